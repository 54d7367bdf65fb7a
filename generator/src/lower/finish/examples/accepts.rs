//! Checks examples against schemas as far as possible without the generated code.

use std::{collections::HashSet, fmt};

use serde_json::Value;

use crate::patterns::Compiled;
use crate::{
    formats::violated,
    ir::{Additional, Choice, Kind, NameRules, PatternId, Schema, StructDef, TextRules, Type, UnionDef},
    lower::finish::examples::Examples,
    tree::whole,
};

/// A constraint that a value violates.
#[derive(Debug)]
pub(in crate::lower) struct Violated {
    /// The JSON pointer to the value.
    pointer: String,
    /// The keyword: `minimum`.
    keyword: &'static str,
    /// The property that is missing or not allowed.
    property: Option<String>,
}

impl Violated {
    pub fn new(keyword: &'static str) -> Self {
        Self { pointer: String::new(), keyword, property: None }
    }

    pub fn of_property(keyword: &'static str, name: &str) -> Self {
        Self { property: Some(name.to_owned()), ..Self::new(keyword) }
    }

    /// Prepends a property name or an index to the pointer.
    pub fn at(self, step: impl fmt::Display) -> Self {
        let step = step.to_string().replace('~', "~0").replace('/', "~1");
        Self { pointer: format!("/{step}{}", self.pointer), ..self }
    }
}

impl fmt::Display for Violated {
    /// Writes `` `/pets/0` violates `required` (`name`) ``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = if self.pointer.is_empty() { "it".to_owned() } else { format!("`{}`", self.pointer) };
        write!(f, "{value} violates `{}`", self.keyword)?;
        self.property.as_ref().map_or(Ok(()), |name| write!(f, " (`{name}`)"))
    }
}

type Checked = Result<(), Violated>;

impl Examples<'_> {
    /// Returns a constraint of the schema that the value violates.
    ///
    /// Values that are nested deeper than `steps` levels are accepted.
    pub fn check(&self, schema: &Schema, value: &Value, steps: usize) -> Checked {
        let (Some(steps), Some(left)) = (steps.checked_sub(1), self.checks.get().checked_sub(1)) else {
            return Ok(());
        };
        self.checks.set(left);
        if value.is_null() && schema.nullable {
            return Ok(());
        }
        let is_allowed = schema.allowed.is_empty() || schema.allowed.iter().any(|literal| literal.is(value));
        holds(is_allowed, "enum")?;
        let also = [schema.also, self.named(schema).and_then(|def| def.also)].into_iter().flatten();
        for def in also.filter_map(|id| self.api.json_schemas.get(id.0)) {
            if self.applies(&def.schema, value, steps) == Some(false) {
                return Err(self.violated(&def.schema, value, steps));
            }
        }
        match &schema.ty {
            Type::Any => Ok(()),
            Type::Unit => holds(value.is_null(), "type"),
            Type::Boolean => holds(value.is_boolean(), "type"),
            Type::Integer(rules) => satisfied(rules.violated(typed(integer(value))?)),
            Type::Number(rules) => satisfied(rules.violated(typed(value.as_f64())?)),
            Type::Text(rules) => self.check_text(rules, typed(value.as_str())?),
            Type::Bytes | Type::File => holds(value.is_string(), "type"),
            // The example can be one item, several items, or the text of all items.
            Type::Stream(_) => Ok(()),
            Type::Array(rules) => {
                let items = typed(value.as_array())?;
                let count = items.len() as u64;
                holds(rules.min_items.is_none_or(|least| count >= least), "minItems")?;
                holds(rules.max_items.is_none_or(|most| count <= most), "maxItems")?;
                holds(!rules.unique || are_unique(items), "uniqueItems")?;
                self.check_each(items.iter().map(|item| (&rules.items, item)), steps)
            }
            Type::Tuple(schemas) => {
                let items = typed(value.as_array())?;
                holds(items.len() >= schemas.len(), "minItems")?;
                holds(items.len() <= schemas.len(), "maxItems")?;
                self.check_each(schemas.iter().zip(items), steps)
            }
            Type::Map(rules) => {
                let entries = typed(value.as_object())?;
                let count = entries.len() as u64;
                holds(rules.min_properties.is_none_or(|least| count >= least), "minProperties")?;
                holds(rules.max_properties.is_none_or(|most| count <= most), "maxProperties")?;
                for (name, value) in entries {
                    self.check(&rules.values, value, steps).map_err(|violated| violated.at(name))?;
                }
                self.check_names(rules.names.as_deref(), entries.iter(), steps)
            }
            Type::Named { .. } => self.check_kind(typed(self.kind(schema))?, value, steps),
        }
    }

    fn check_each<'e>(&self, items: impl Iterator<Item = (&'e Schema, &'e Value)>, steps: usize) -> Checked {
        for (index, (schema, item)) in items.enumerate() {
            self.check(schema, item, steps).map_err(|violated| violated.at(index))?;
        }
        Ok(())
    }

    fn check_kind(&self, kind: &Kind, value: &Value, steps: usize) -> Checked {
        match kind {
            Kind::Struct(def) => self.check_struct(def, value, steps),
            Kind::StringEnum(def) => {
                let text = typed(value.as_str())?;
                holds(def.variants.iter().any(|variant| variant.wire == text), "enum")
            }
            Kind::IntegerEnum(def) => {
                let value = typed(integer(value))?;
                holds(def.variants.iter().any(|it| i128::from(it.wire) == value), "enum")
            }
            Kind::Union(def) => self.check_union(def, value, steps),
            Kind::Alias(schema) => self.check(schema, value, steps),
            // Examples do not name a media type or a status, so they belong to the first alternative.
            Kind::Choice(Choice { variants, .. }) => {
                let first = variants.first().ok_or_else(|| Violated::new("oneOf"))?;
                self.check(&first.payload, value, steps)
            }
        }
    }

    fn check_struct(&self, def: &StructDef, value: &Value, steps: usize) -> Checked {
        let entries = typed(value.as_object())?;
        for field in &def.fields {
            match entries.get(&field.wire) {
                Some(value) => {
                    self.check(&field.schema, value, steps).map_err(|violated| violated.at(&field.wire))?;
                }
                None if field.required => return Err(Violated::of_property("required", &field.wire)),
                None => {}
            }
        }
        let mut others =
            entries.iter().filter(|(name, _)| !def.fields.iter().any(|field| field.wire == **name));
        match &def.additional {
            Additional::Ignored => Ok(()),
            Additional::Forbidden => match others.next() {
                Some((name, _)) => Err(Violated::of_property("additionalProperties", name)),
                None => Ok(()),
            },
            Additional::Kept { schema, names, .. } => {
                let others: Vec<_> = others.collect();
                for (name, value) in &others {
                    self.check(schema, value, steps).map_err(|violated| violated.at(name))?;
                }
                self.check_names(names.as_deref(), others.into_iter(), steps)
            }
        }
    }

    fn check_names<'e>(
        &self,
        names: Option<&NameRules>,
        entries: impl Iterator<Item = (&'e String, &'e Value)>,
        steps: usize,
    ) -> Checked {
        let Some(names) = names else { return Ok(()) };
        for (name, value) in entries {
            let inside = |violated: Violated| violated.at(name);
            if let Some(each) = &names.each {
                self.check(each, &Value::from(name.as_str()), steps)
                    .map_err(|_| Violated::of_property("propertyNames", name))?;
            }
            let mut is_listed = false;
            for (_, schema) in names.patterns.iter().filter(|(pattern, _)| self.matches(*pattern, name)) {
                is_listed = true;
                schema.as_ref().map_or(Ok(()), |schema| self.check(schema, value, steps)).map_err(inside)?;
            }
            if is_listed {
                continue;
            }
            if names.closed {
                return Err(Violated::of_property("additionalProperties", name));
            }
            names
                .others
                .as_ref()
                .map_or(Ok(()), |schema| self.check(schema, value, steps))
                .map_err(inside)?;
        }
        Ok(())
    }

    /// Checks the value against the candidate variants.
    ///
    /// Returns the violation of the only candidate, or that of `oneOf` if there are several or none.
    fn check_union(&self, def: &UnionDef, value: &Value, steps: usize) -> Checked {
        let mut found = Vec::new();
        for (_, variant) in def.candidates(value) {
            match self.check(&variant.schema, value, steps) {
                Ok(()) => return Ok(()),
                Err(violated) => found.push(violated),
            }
        }
        let last = found.pop().filter(|_| found.is_empty());
        Err(last.unwrap_or_else(|| Violated::new("oneOf")))
    }

    pub fn check_text(&self, rules: &TextRules, text: &str) -> Checked {
        satisfied(violated(rules, text))?;
        holds(rules.pattern.is_none_or(|id| self.matches(id, text)), "pattern")
    }

    fn matches(&self, id: PatternId, text: &str) -> bool {
        let mut compiled = self.compiled.borrow_mut();
        let regex = compiled.entry(id).or_insert_with(|| {
            let pattern = self.api.patterns.get(id.0);
            pattern.and_then(|pattern| Compiled::new(pattern.engine, &pattern.source).ok())
        });
        regex.as_ref().is_none_or(|regex| regex.is_match(text))
    }
}

fn holds(holds: bool, keyword: &'static str) -> Checked {
    if holds { Ok(()) } else { Err(Violated::new(keyword)) }
}

/// Returns a value that has the right type.
fn typed<T>(value: Option<T>) -> Result<T, Violated> {
    value.ok_or_else(|| Violated::new("type"))
}

fn are_unique(items: &[Value]) -> bool {
    let mut seen = HashSet::with_capacity(items.len());
    items.iter().all(|item| seen.insert(item.to_string()))
}

fn integer(value: &Value) -> Option<i128> {
    value.as_number().and_then(whole)
}

fn satisfied(violated: Option<&'static str>) -> Checked {
    violated.map_or(Ok(()), |keyword| Err(Violated::new(keyword)))
}
