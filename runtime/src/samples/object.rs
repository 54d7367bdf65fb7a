//! Objects: their fields and additional properties.

use serde_json::Map;

use super::make::Maker;
use super::pattern;
use crate::table::{Additional, Names, Object, Schema};
use crate::types::Value;
use crate::validation::violations_of;

/// The number of tries for a name.
const TRIES: usize = 16;

impl Maker<'_> {
    pub(super) fn object(&mut self, rules: &'static Object) -> Option<Value> {
        let mut fields = Map::new();
        // Some objects have no optional fields, some have all.
        let density = if self.prefers_small() { 0 } else { self.random.below(5) };
        for field in rules.fields {
            if field.required {
                fields.insert(field.name.to_owned(), self.value(field.schema)?);
            } else if !self.prefers_small() && self.random.below(4) < density {
                fields.extend(self.value(field.schema).map(|value| (field.name.to_owned(), value)));
            }
        }
        self.additional(rules, &mut fields);
        self.balance(rules, &mut fields);
        Some(fields.into())
    }

    /// Adds additional properties.
    fn additional(&mut self, rules: &'static Object, fields: &mut Map<String, Value>) {
        let count = match rules.additional {
            _ if self.prefers_small() => 0,
            Additional::Forbidden => 0,
            Additional::Ignored => usize::from(self.random.once_in(8)),
            Additional::Kept(_) if rules.fields.is_empty() => self.random.below(4),
            Additional::Kept(_) => usize::from(self.random.once_in(3)),
        };
        for _ in 0..count {
            self.one_more(rules, fields);
        }
    }

    /// Adds or removes fields until their number is within the bounds.
    fn balance(&mut self, rules: &'static Object, fields: &mut Map<String, Value>) {
        let size = |limit: u64| usize::try_from(limit).unwrap_or(usize::MAX);
        let counted = |fields: &Map<String, Value>| match rules.additional {
            // The model drops them, so they don't count.
            Additional::Ignored => {
                rules.fields.iter().filter(|field| fields.contains_key(field.name)).count()
            }
            _ => fields.len(),
        };
        for _ in 0..rules.min_properties.unwrap_or_default().min(64) * 2 {
            if counted(fields) >= rules.min_properties.map_or(0, size) {
                break;
            }
            let absent: Vec<_> =
                rules.fields.iter().filter(|field| !fields.contains_key(field.name)).collect();
            match self.random.pick(&absent).copied() {
                Some(field) => {
                    fields.extend(self.value(field.schema).map(|value| (field.name.to_owned(), value)));
                }
                None => self.one_more(rules, fields),
            }
        }
        while counted(fields) > rules.max_properties.map_or(usize::MAX, size) {
            let is_required =
                |name: &str| rules.fields.iter().any(|field| field.required && field.name == name);
            let mut optional: Vec<String> =
                fields.keys().filter(|name| !is_required(name)).cloned().collect();
            let Some(name) = self.random.take(&mut optional) else { break };
            fields.remove(&name);
        }
    }

    /// Adds an additional property, if the object allows one.
    fn one_more(&mut self, rules: &'static Object, fields: &mut Map<String, Value>) {
        let (name, value) = match (rules.additional, rules.names) {
            (Additional::Forbidden, _) => return,
            (Additional::Ignored, _) => (Some(self.name()), self.inside(Self::anything)),
            (Additional::Kept(schema), None) => (Some(self.name()), self.value(schema)),
            (Additional::Kept(schema), Some(names)) => self.named(schema, names),
        };
        if let (Some(name), Some(value)) = (name, value)
            && rules.fields.iter().all(|field| field.name != name)
        {
            fields.insert(name, value);
        }
    }

    /// Makes a property whose constraints depend on its name.
    fn named(&mut self, schema: &'static Schema, names: &'static Names) -> (Option<String>, Option<Value>) {
        let by_pattern =
            names.patterns.get(self.random.below(names.patterns.len() + usize::from(!names.closed)));
        let name = (0..TRIES).find_map(|_| {
            let name = match by_pattern {
                Some((pattern, _)) => pattern::text(pattern, 4, self.random)?,
                None => match names.each {
                    Some(each) => self.value(each)?.as_str()?.to_owned(),
                    None => self.name(),
                },
            };
            let is_valid =
                names.each.is_none_or(|each| violations_of(each, &name.as_str().into()).is_empty());
            is_valid.then_some(name)
        });
        let narrower = match by_pattern {
            Some((_, schema)) => *schema,
            None => names.others,
        };
        (name, self.value(narrower.unwrap_or(schema)))
    }
}
