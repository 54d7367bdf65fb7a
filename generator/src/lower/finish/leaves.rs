//! The leaves of a schema: its alternatives, with aliases and nested unions resolved.

use std::collections::HashSet;

use crate::{
    ir::{Kind, Schema, Type, TypeId},
    lower::finish::state::Finish,
};

/// The maximum number of nested unions to resolve.
const MAX_UNIONS: usize = 64;

/// The leaves of a schema.
#[derive(Debug, Default)]
pub(in crate::lower) struct Leaves<'t> {
    /// The schemas that are neither alias nor union, each type once, in document order.
    pub schemas: Vec<&'t Schema>,
    /// The types of the leaves, and those between the schema and its leaves.
    pub types: HashSet<TypeId>,
    /// Whether the schema, a leaf or a type between them is nullable.
    pub nullable: bool,
    /// Whether a union is between the schema and its leaves.
    pub is_union: bool,
    /// Whether the search stopped early, so there can be further leaves.
    pub is_cut: bool,
}

impl Finish<'_, '_> {
    /// Returns the leaves of a schema. Each type is visited once, even if several paths reach it.
    pub fn leaves<'t>(&'t self, schema: &'t Schema) -> Leaves<'t> {
        let mut leaves = Leaves::default();
        let mut unions = 0;
        let mut open = vec![schema];
        while let Some(schema) = open.pop() {
            leaves.nullable |= schema.nullable;
            let Type::Named { id, .. } = schema.ty else {
                leaves.schemas.push(schema);
                continue;
            };
            if !leaves.types.insert(id) {
                continue;
            }
            match self.types.kind(id) {
                Some(Kind::Alias(inner)) => open.push(inner),
                Some(Kind::Union(def)) => {
                    leaves.is_union = true;
                    unions += 1;
                    if unions > MAX_UNIONS {
                        leaves.is_cut = true;
                    } else {
                        open.extend(def.variants.iter().rev().map(|variant| &variant.schema));
                    }
                }
                Some(_) => leaves.schemas.push(schema),
                None => leaves.is_cut = true,
            }
        }
        leaves
    }
}
