//! The properties of a value that its schema declares.
//!
//! Only other properties may be lost in a round trip.

use std::collections::{BTreeMap, BTreeSet};

use openapi_crates::internals::{Additional, Api, Kind, Schema, Type};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The declared properties of a value and of the values in it.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Known {
    /// The declared properties, with the same for their values.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub properties: BTreeMap<String, Known>,
    /// The same for each item.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub items: Vec<Known>,
}

/// The maximum number of aliases and unions to follow for one value.
const MAX_STEPS: usize = 32;

impl Known {
    /// Returns the properties of a value that the schema declares.
    ///
    /// For a union, those that any variant declares.
    pub fn of(api: &Api, schema: &Schema, value: &Value) -> Self {
        let mut known = Self::default();
        known.add(api, schema, value, MAX_STEPS);
        known
    }

    fn add(&mut self, api: &Api, schema: &Schema, value: &Value, steps: usize) {
        let Some(steps) = steps.checked_sub(1) else { return };
        match (&schema.ty, value) {
            (Type::Any, value) => self.add_all(value),
            (Type::Array(rules), Value::Array(items)) => {
                self.items.resize_with(items.len(), Self::default);
                for (known, item) in self.items.iter_mut().zip(items) {
                    known.add(api, &rules.items, item, MAX_STEPS);
                }
            }
            (Type::Map(rules), Value::Object(entries)) => {
                for (name, value) in entries {
                    self.property(name).add(api, &rules.values, value, MAX_STEPS);
                }
            }
            (Type::Named { id, .. }, value) => {
                if let Some(def) = api.type_def(*id) {
                    self.add_kind(api, &def.kind, value, steps);
                }
            }
            _ => {}
        }
    }

    fn add_kind(&mut self, api: &Api, kind: &Kind, value: &Value, steps: usize) {
        match (kind, value) {
            (Kind::Struct(def), Value::Object(entries)) => {
                let mut declared = BTreeSet::new();
                for field in &def.fields {
                    declared.insert(&field.wire);
                    if let Some(value) = entries.get(&field.wire) {
                        self.property(&field.wire).add(api, &field.schema, value, MAX_STEPS);
                    }
                }
                if let Additional::Kept { schema, .. } = &def.additional {
                    for (name, value) in entries.iter().filter(|(name, _)| !declared.contains(name)) {
                        self.property(name).add(api, schema, value, MAX_STEPS);
                    }
                }
            }
            (Kind::Union(def), value) => {
                def.variants.iter().for_each(|variant| self.add(api, &variant.schema, value, steps));
            }
            (Kind::Alias(schema), value) => self.add(api, schema, value, steps),
            (Kind::Choice(choice), value) => {
                if let Some(variant) = choice.variants.first() {
                    self.add(api, &variant.payload, value, steps);
                }
            }
            _ => {}
        }
    }

    fn property(&mut self, name: &str) -> &mut Self {
        self.properties.entry(name.to_owned()).or_default()
    }

    /// Adds all properties of a value, at any depth.
    fn add_all(&mut self, value: &Value) {
        match value {
            Value::Object(entries) => {
                entries.iter().for_each(|(name, value)| self.property(name).add_all(value));
            }
            Value::Array(items) => {
                self.items.resize_with(items.len(), Self::default);
                self.items.iter_mut().zip(items).for_each(|(known, item)| known.add_all(item));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use openapi_crates::{
        Options,
        internals::{Diagnostics, Document, lower},
    };
    use serde_json::json;

    use super::*;

    const DOCUMENT: &str = "
openapi: 3.1.0
info: { title: t, version: '1' }
paths: {}
components:
  schemas:
    Pet:
      oneOf:
        - { type: object, required: [barks], properties: { barks: { type: boolean } } }
        - { type: object, required: [lives], properties: { lives: { type: integer }, tags: { type: array, items: {} } } }
";

    #[test]
    fn properties_of_any_variant_and_of_untyped_values_are_known() {
        let document = Document::parse("pets.yaml", DOCUMENT).document.unwrap();
        let api = lower(&document, &Options::new("pets", "pets.yaml"), &mut Diagnostics::default()).api;
        let pet = api.types.iter().find(|def| def.name.0 == "Pet").unwrap();
        let value = json!({"lives": 9, "barks": false, "wags": true, "tags": [{"free": 1}]});
        let mut known = Known::default();
        known.add_kind(&api, &pet.kind, &value, MAX_STEPS);
        let names: Vec<&str> = known.properties.keys().map(String::as_str).collect();
        assert_eq!(names, ["barks", "lives", "tags"]);
        assert!(known.properties["tags"].items[0].properties.contains_key("free"));
    }
}
