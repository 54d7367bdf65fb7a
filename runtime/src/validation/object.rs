//! The slow path through objects: fields, additional properties, cross-field rules.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;

use super::walk::{Read, Walker};
use super::{ViolationKind, Violations, cross, names, scalar};
use crate::codec::{AdditionalProperties, DecodeError, Encode, Fill, Kind, Reader};
use crate::table::{Additional, Field, Names, Object};
use crate::types::Value;

impl Walker<'_> {
    /// Walks an object.
    ///
    /// Its violations come in the order of the table, not of the input. First come those of its fields, then those of
    /// additional properties, of the number of fields, and of rules over several fields.
    pub fn object(
        &self,
        rules: &'static Object,
        reader: &mut dyn Reader,
        wants: bool,
    ) -> Result<Read, DecodeError> {
        let mut others = Others::new(self, rules, wants);
        if let ([], Additional::Kept(_)) = (rules.fields, rules.additional) {
            let result = self.read(reader, Kind::Object, "an object", &mut |reader| {
                reader.entries(&mut |name, reader| others.observe_field(name, reader))
            });
            return self.finish_object(rules, result, Vec::new(), others, wants);
        }
        let names: Vec<&'static str> = rules.fields.iter().map(|field| field.name).collect();
        let mut fields: Vec<FieldWalk<'_, '_>> = rules
            .fields
            .iter()
            .map(|field| FieldWalk {
                walker: self,
                field,
                wants: wants || is_subject(rules, field.name),
                is_present: false,
                is_invalid: false,
                value: None,
                found: Violations::new(),
            })
            .collect();
        let result = self.read(reader, Kind::Object, "an object", &mut |reader| {
            let mut slots: Vec<&mut dyn Fill> =
                fields.iter_mut().map(|field| field as &mut dyn Fill).collect();
            match rules.additional {
                Additional::Ignored if !scalar::counts_properties(rules) => {
                    reader.object(&names, &mut slots, AdditionalProperties::Ignore)
                }
                _ => {
                    let mut observe_field =
                        |name: &str, reader: &mut dyn Reader| others.observe_field(name, reader);
                    reader.object(&names, &mut slots, AdditionalProperties::Keep(&mut observe_field))
                }
            }
        });
        self.finish_object(rules, result, fields, others, wants)
    }

    /// Finishes the walk of an object, after it was read completely or until an error.
    fn finish_object(
        &self,
        rules: &'static Object,
        result: Result<bool, DecodeError>,
        mut fields: Vec<FieldWalk<'_, '_>>,
        mut others: Others<'_, '_>,
        wants: bool,
    ) -> Result<Read, DecodeError> {
        let is_whole = matches!(result, Ok(true));
        let mut is_invalid = others.is_invalid;
        for slot in &mut fields {
            self.put_back(take(&mut slot.found));
            if is_whole && !slot.is_present && slot.field.required {
                self.at_field(slot.field.name, || self.record(ViolationKind::Missing));
                is_invalid = true;
            }
            is_invalid |= slot.is_invalid;
        }
        self.put_back(take(&mut others.found));
        if !result? {
            return Ok(None);
        }
        let count =
            fields.iter().filter(|slot| slot.is_present).count() + others.kept.len() + others.dropped.len();
        scalar::properties(rules, count as u64, |kind| self.record_own(kind));
        self.check_rules(rules, &fields);
        if is_invalid || !wants {
            return Ok((!is_invalid).then_some(Value::Null));
        }
        let values = fields
            .into_iter()
            .filter_map(|slot| Some((slot.field.name.to_owned(), slot.value?)))
            .chain(others.kept)
            .collect();
        Ok(Some(Value::Object(values)))
    }

    /// Checks the rules over several fields.
    ///
    /// A rule is skipped if a field that it refers to has an error.
    fn check_rules(&self, rules: &'static Object, fields: &[FieldWalk<'_, '_>]) {
        if rules.rules.is_empty() {
            return;
        }
        let values: Vec<(&'static str, &dyn Encode)> = fields
            .iter()
            .filter_map(|slot| Some((slot.field.name, slot.value.as_ref()? as &dyn Encode)))
            .collect();
        let is_invalid = |name| fields.iter().any(|slot| slot.is_invalid && slot.field.name == name);
        for rule in rules.rules {
            if !cross::subjects(rule).into_iter().any(is_invalid)
                && !cross::holds(rule, &values, rules.fields)
            {
                self.at_field(cross::reported(rule), || self.record(ViolationKind::CrossField(rule)));
            }
        }
    }
}

/// Returns whether a rule over several fields refers to this field.
fn is_subject(rules: &'static Object, name: &str) -> bool {
    rules.rules.iter().flat_map(cross::subjects).any(|subject| subject == name)
}

/// The walk of one field.
struct FieldWalk<'w, 'a> {
    walker: &'w Walker<'a>,
    field: &'static Field,
    wants: bool,
    is_present: bool,
    is_invalid: bool,
    value: Option<Value>,
    found: Violations,
}

impl Fill for FieldWalk<'_, '_> {
    fn fill(&mut self, reader: &mut dyn Reader) -> Result<(), DecodeError> {
        let (walker, field) = (self.walker, self.field);
        let is_second = self.is_present;
        self.is_present = true;
        let read = walker.hold(&mut self.found, || {
            walker.at_field(field.name, || {
                if is_second {
                    return duplicate(walker, reader);
                }
                walker.value(field.schema, reader, self.wants)
            })
        })?;
        self.is_invalid |= read.is_none();
        self.value = self.value.take().or(read);
        walker.go_on(self.is_invalid)
    }

    /// Returns `false`, so that the reader passes on a field's second occurrence too.
    fn is_filled(&self) -> bool {
        false
    }
}

/// The walk of the additional properties.
struct Others<'w, 'a> {
    walker: &'w Walker<'a>,
    additional: Additional,
    names: Option<&'static Names>,
    wants: bool,
    is_invalid: bool,
    kept: BTreeMap<String, Value>,
    /// The names that the model drops, for a limit on the number of properties.
    dropped: BTreeSet<String>,
    found: Violations,
}

impl<'w, 'a> Others<'w, 'a> {
    const fn new(walker: &'w Walker<'a>, rules: &'static Object, wants: bool) -> Self {
        let Object { additional, names, .. } = *rules;
        // Constraints that depend on the name are checked after reading, so the value is kept.
        let wants = wants || names.is_some();
        Self {
            walker,
            additional,
            names,
            wants,
            is_invalid: false,
            kept: BTreeMap::new(),
            dropped: BTreeSet::new(),
            found: Violations::new(),
        }
    }

    /// Walks one additional property.
    fn observe_field(&mut self, name: &str, reader: &mut dyn Reader) -> Result<(), DecodeError> {
        let walker = self.walker;
        if walker.is_full() {
            self.is_invalid = true;
            return reader.skip();
        }
        let is_second = self.kept.contains_key(name);
        let read = walker.hold(&mut self.found, || {
            walker.at_field(name, || match self.additional {
                Additional::Kept(_) if is_second => duplicate(walker, reader),
                Additional::Kept(schema) => {
                    let read = walker.value(schema, reader, self.wants)?;
                    if let (Some(names), Some(value)) = (self.names, &read) {
                        check_named(walker, names, name, value);
                    }
                    Ok(read)
                }
                Additional::Ignored => {
                    self.dropped.insert(name.to_owned());
                    reader.skip().map(|()| Some(Value::Null))
                }
                Additional::Forbidden => {
                    reader.skip()?;
                    Ok(walker.violated(ViolationKind::Unknown))
                }
            })
        })?;
        self.is_invalid |= read.is_none();
        if matches!(self.additional, Additional::Kept(_)) && !is_second {
            self.kept.insert(name.to_owned(), read.unwrap_or_default());
        }
        walker.go_on(self.is_invalid)
    }
}

/// Reports a field that the same object already contained.
fn duplicate(walker: &Walker<'_>, reader: &mut dyn Reader) -> Result<Read, DecodeError> {
    reader.skip()?;
    Ok(walker.violated(ViolationKind::Duplicate))
}

/// Checks a value against the constraints that depend on its name.
///
/// A violation here is not an error, because the model can hold the value.
fn check_named(walker: &Walker<'_>, names: &'static Names, name: &str, value: &Value) {
    names::check_name(walker.scope().context, names, name, |kind| walker.record_own(kind));
    if let Some(also) = names.each.and_then(|each| walker.scope().also(each, || false)) {
        walker.evaluate_name(also, name);
    }
    names::rules_of(names, name).for_each(|schema| walker.record_all(schema, value));
}
