//! The height of the smallest value of each schema. With it, values of recursive schemas come to an end.

use std::collections::HashMap;

use crate::table::{Additional, Object, Schema, Type};

/// The heights of all schemas that a schema contains.
#[derive(Debug, Default)]
pub struct Heights(HashMap<*const Schema, u32>);

/// The height of a schema without any finite value.
pub const ENDLESS: u32 = u32::MAX;

impl Heights {
    pub fn of(root: &'static Schema) -> Self {
        let mut all: Vec<&'static Schema> = vec![root];
        let mut heights = Self(HashMap::from([(std::ptr::from_ref(root), ENDLESS)]));
        let mut next = 0;
        while let Some(schema) = all.get(next).copied() {
            each_child(schema, &mut |child| {
                if heights.0.insert(child, ENDLESS).is_none() {
                    all.push(child);
                }
            });
            next += 1;
        }
        // Each round finishes at least one schema, and children mostly come after their parents.
        loop {
            let mut is_done = true;
            for schema in all.iter().rev() {
                let height = heights.by_children(schema);
                if height < heights.get(schema) {
                    heights.0.insert(std::ptr::from_ref(*schema), height);
                    is_done = false;
                }
            }
            if is_done {
                return heights;
            }
        }
    }

    pub fn get(&self, schema: &'static Schema) -> u32 {
        self.0.get(&std::ptr::from_ref(schema)).copied().unwrap_or(ENDLESS)
    }

    fn by_children(&self, schema: &'static Schema) -> u32 {
        if schema.nullable || !schema.allowed.is_empty() {
            return 0;
        }
        let above = |height: u32| height.saturating_add(1);
        match &schema.of {
            Type::Array(rules) if rules.min_items.unwrap_or_default() > 0 => above(self.get(rules.items)),
            Type::Tuple(items) => items.iter().map(|item| above(self.get(item))).max().unwrap_or_default(),
            Type::Object(rules) => {
                let required = rules.fields.iter().filter(|field| field.required);
                required.map(|field| above(self.get(field.schema))).max().unwrap_or_default()
            }
            Type::Union(union) => {
                union.variants.iter().map(|variant| above(self.get(variant))).min().unwrap_or(ENDLESS)
            }
            Type::Same(schema) => self.get(schema),
            _ => 0,
        }
    }
}

fn each_child(schema: &'static Schema, visit: &mut dyn FnMut(&'static Schema)) {
    match &schema.of {
        Type::Array(rules) => visit(rules.items),
        Type::Tuple(items) => items.iter().for_each(|item| visit(item)),
        Type::Object(rules) => each_part(rules, visit),
        Type::Union(union) => union.variants.iter().for_each(|variant| visit(variant)),
        Type::Same(schema) => visit(schema),
        _ => {}
    }
}

fn each_part(rules: &'static Object, visit: &mut dyn FnMut(&'static Schema)) {
    rules.fields.iter().for_each(|field| visit(field.schema));
    if let Additional::Kept(schema) = rules.additional {
        visit(schema);
    }
    if let Some(names) = rules.names {
        let patterns = names.patterns.iter().filter_map(|(_, schema)| *schema);
        names.each.into_iter().chain(patterns).chain(names.others).for_each(visit);
    }
}
