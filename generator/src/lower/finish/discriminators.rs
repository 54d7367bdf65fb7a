//! Discriminators: which value of which property means which variant.

use std::collections::{HashMap, HashSet};

use crate::{
    diagnostics::Code,
    document::Node,
    ir::{Field, Kind, Schema, Type, TypeId},
    lower::{Lowering, components::Component, unions::Discriminator},
    names,
};

/// How many aliases and nested unions a variant is followed through.
const MAX_STEPS: usize = 8;

impl Lowering<'_, '_> {
    /// Fills the discriminators of all unions. A variant's values are those that the mapping gives it, else those that
    /// its own schema lists for the property, else the name of its component.
    pub(super) fn settle_discriminators(&mut self) {
        for noted in std::mem::take(&mut self.discriminators) {
            if noted.property.is_empty() {
                continue;
            }
            let values = self.discriminator_values(&noted);
            if let Some(Kind::Union(def)) =
                self.types.get_mut(noted.id.0).and_then(|draft| draft.kind.as_mut())
                && !values.is_empty()
            {
                def.discriminator = Some((noted.property.to_owned(), values));
            }
        }
    }

    fn discriminator_values(&mut self, noted: &Discriminator<'_>) -> Vec<(String, usize)> {
        let schemas: Vec<Schema> = match self.types.get(noted.id.0).and_then(|draft| draft.kind.as_ref()) {
            Some(Kind::Union(def)) => def.variants.iter().map(|variant| variant.schema.clone()).collect(),
            _ => return Vec::new(),
        };
        let mut values: Vec<(String, usize)> = Vec::new();
        let mut seen = HashSet::new();
        let mut mapped = vec![false; schemas.len()];
        for (value, node, target) in &noted.mapping {
            let place = target.and_then(|target| self.variant_with(&schemas, &noted.components, target));
            let Some(place) = place else {
                let message = format!("`{value}` is mapped to what is no variant of this union");
                self.diagnostics.warning(Code::BadDiscriminator, node, message);
                continue;
            };
            if let Some(mapped) = mapped.get_mut(place) {
                *mapped = true;
            }
            if seen.insert((*value).to_owned()) {
                values.push(((*value).to_owned(), place));
            }
        }
        let listed: Vec<Vec<String>> =
            schemas.iter().map(|schema| self.listed(schema, noted.property, MAX_STEPS)).collect();
        let mut listings: HashMap<&str, usize> = HashMap::new();
        for value in listed.iter().flatten() {
            *listings.entry(value).or_default() += 1;
        }
        for ((place, schema), listed) in schemas.iter().enumerate().zip(&listed) {
            if mapped.get(place) == Some(&true) {
                continue;
            }
            let component = noted.components.get(place).copied().flatten();
            let component = component.and_then(|id| self.components.get(id));
            let is_own = |value: &String| listings.get(value.as_str()) == Some(&1);
            let mut own: Vec<String> = listed.iter().filter(|value| is_own(value)).cloned().collect();
            if own.is_empty() {
                own.extend(component.map(|component| own_value(component, listed)));
            }
            if own.is_empty() {
                own.clone_from(listed);
            }
            if !self.has_property(schema, noted.property, MAX_STEPS) {
                let message =
                    format!("variant {} of this union has no property `{}`", place + 1, noted.property);
                self.diagnostics.warning(Code::BadDiscriminator, noted.node, message);
            }
            if own.is_empty() {
                let message =
                    format!("nothing says which value of `{}` means variant {}", noted.property, place + 1);
                self.diagnostics.warning(Code::BadDiscriminator, noted.node, message);
            }
            for value in own {
                if seen.insert(value.clone()) {
                    values.push((value, place));
                }
            }
        }
        values
    }

    /// The variant that is this component, or a union that it is a variant of.
    fn variant_with(
        &self,
        schemas: &[Schema],
        components: &[Option<TypeId>],
        target: TypeId,
    ) -> Option<usize> {
        let direct = components.iter().position(|component| *component == Some(target));
        direct.or_else(|| schemas.iter().position(|schema| self.contains(schema, target, MAX_STEPS)))
    }

    fn contains(&self, schema: &Schema, target: TypeId, steps: usize) -> bool {
        let (Type::Named { id, .. }, Some(steps)) = (&schema.ty, steps.checked_sub(1)) else { return false };
        *id == target
            || match self.types.get(id.0).and_then(|draft| draft.kind.as_ref()) {
                Some(Kind::Alias(schema)) => self.contains(schema, target, steps),
                Some(Kind::Union(def)) => {
                    def.variants.iter().any(|variant| self.contains(&variant.schema, target, steps))
                }
                _ => false,
            }
    }

    /// The values that a variant's own schema lists for a property.
    fn listed(&self, schema: &Schema, property: &str, steps: usize) -> Vec<String> {
        let (Type::Named { id, .. }, Some(steps)) = (&schema.ty, steps.checked_sub(1)) else {
            return Vec::new();
        };
        match self.types.get(id.0).and_then(|draft| draft.kind.as_ref()) {
            Some(Kind::Struct(def)) => field(&def.fields, property)
                .and_then(|field| self.strings_of(&field.schema, steps))
                .unwrap_or_default(),
            Some(Kind::Alias(schema)) => self.listed(schema, property, steps),
            Some(Kind::Union(def)) => def
                .variants
                .iter()
                .flat_map(|variant| self.listed(&variant.schema, property, steps))
                .collect(),
            _ => Vec::new(),
        }
    }

    fn has_property(&self, schema: &Schema, property: &str, steps: usize) -> bool {
        let (Type::Named { id, .. }, Some(steps)) = (&schema.ty, steps.checked_sub(1)) else { return false };
        match self.types.get(id.0).and_then(|draft| draft.kind.as_ref()) {
            Some(Kind::Struct(def)) => field(&def.fields, property).is_some(),
            Some(Kind::Alias(schema)) => self.has_property(schema, property, steps),
            Some(Kind::Union(def)) => {
                def.variants.iter().all(|variant| self.has_property(&variant.schema, property, steps))
            }
            _ => false,
        }
    }
}

/// The value that means a component: what it says itself, else its name, as it is written among the listed values.
fn own_value(component: &Component<'_>, listed: &[String]) -> String {
    let said = ["x-discriminator-value", "x-ms-discriminator-value"];
    if let Some(said) = said.iter().find_map(|name| component.node.get(name)).and_then(Node::as_str) {
        return said.to_owned();
    }
    let folded = names::pascal(component.name).to_lowercase();
    let written = listed.iter().find(|value| names::pascal(value).to_lowercase() == folded);
    written.map_or(component.name, String::as_str).to_owned()
}

fn field<'a>(fields: &'a [Field], wire: &str) -> Option<&'a Field> {
    fields.iter().find(|field| field.wire == wire)
}
