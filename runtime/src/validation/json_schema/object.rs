//! The keywords for objects.

use super::budget::cost_of_text;
use super::evaluator::Evaluator;
use super::subject::Subject;
use crate::codec::view::{Spelling, View, entries, view};
use crate::codec::{Encode, same};
use crate::table::{JsonSchema, Keyword, Pattern};
use crate::validation::probe::Form;

/// The keywords that apply to properties by their names.
#[derive(Debug, Clone, Copy)]
pub struct Properties {
    pub listed: &'static [(&'static str, &'static JsonSchema)],
    pub patterns: &'static [(&'static Pattern, &'static JsonSchema)],
    pub others: Option<&'static JsonSchema>,
}

impl Properties {
    /// Returns the schema that is listed for this name.
    pub fn named(&self, name: &str) -> Option<&'static JsonSchema> {
        let index = self.listed.binary_search_by(|(listed, _)| (*listed).cmp(name)).ok()?;
        self.listed.get(index).map(|(_, schema)| *schema)
    }
}

impl Evaluator<'_> {
    /// Evaluates a keyword on an object.
    pub fn object(&mut self, keyword: &'static Keyword, subject: Subject<'_>, start: usize) -> bool {
        let value = subject.value;
        match *keyword {
            Keyword::MinProperties(limit) => self.size(value) >= limit,
            Keyword::MaxProperties(limit) => self.size(value) <= limit,
            Keyword::Required(names) => names.iter().all(|name| self.has(value, name)),
            Keyword::Properties { listed, patterns, others } => {
                let rules = Properties { listed, patterns, others };
                entries(value, &mut |name, value| self.property(rules, name, value))
            }
            Keyword::PropertyNames(schema) => {
                entries(value, &mut |name, _| self.spend(1) && self.name(schema, name))
            }
            Keyword::DependentRequired(list) => list.iter().all(|(name, required)| {
                !self.has(value, name) || required.iter().all(|name| self.has(value, name))
            }),
            Keyword::DependentSchemas(list) => {
                list.iter().all(|(name, schema)| !self.has(value, name) || self.schema(schema, subject))
            }
            Keyword::UnevaluatedProperties(schema) => entries(value, &mut |name, value| {
                self.spend(1) && (self.is_evaluated_name(name, start) || self.child(schema, value))
            }),
            _ => true,
        }
    }

    /// Evaluates the schemas of a property.
    fn property(&mut self, rules: Properties, name: &str, value: &dyn Encode) -> bool {
        if !self.spend(cost_of_text(name)) {
            return false;
        }
        let own = rules.named(name);
        if own.is_some_and(|schema| !self.child(schema, value)) {
            return false;
        }
        let mut is_known = own.is_some();
        for (pattern, schema) in rules.patterns {
            if self.matches(pattern, name) {
                is_known = true;
                if !self.child(schema, value) {
                    return false;
                }
            }
        }
        match rules.others {
            Some(schema) if !is_known => self.child(schema, value),
            _ => true,
        }
    }

    /// Evaluates a schema on the name of a property.
    pub fn name(&mut self, schema: &'static JsonSchema, name: &str) -> bool {
        self.without_recording(schema, Subject { value: &name, form: Form::Text, spelling: Spelling::Exact })
    }

    /// Returns whether an object has a property.
    pub fn has(&mut self, value: &dyn Encode, name: &str) -> bool {
        let mut steps = 1;
        let has = view(value, |view| match view {
            View::Object(fields, rest) => {
                fields.iter().any(|(field, value)| same(field, name) && !value.is_absent())
                    || rest.is_some_and(|rest| rest.inspect(|_| steps += 1).any(|(it, _)| it == name))
            }
            View::Map(map) => map.contains_key(name),
            _ => false,
        });
        self.spend(steps) && has == Some(true)
    }

    /// Returns the number of properties of an object.
    fn size(&mut self, value: &dyn Encode) -> u64 {
        let size = view(value, |view| Some(view.entries()?.count()));
        let size = size.flatten().unwrap_or(0) as u64;
        self.spend(size);
        size
    }

    /// Returns whether a keyword since `start` evaluated the property of this name.
    pub fn is_evaluated_name(&mut self, name: &str, start: usize) -> bool {
        let marks = self.marks.get(start..).unwrap_or_default();
        let (mut steps, mut is_evaluated) = (0, false);
        for mark in marks {
            steps += mark.cost_of_name(name);
            if mark.has_name(name) {
                is_evaluated = true;
                break;
            }
        }
        self.spend(steps) && is_evaluated
    }
}
