//! What a schema comes down to, behind aliases and unions within unions.

use std::collections::HashSet;

use crate::{
    ir::{Kind, Schema, Type, TypeId},
    lower::Lowering,
};

/// So many unions within a union are looked into.
const MAX_UNIONS: usize = 64;

/// What a schema comes down to.
#[derive(Debug, Default)]
pub(super) struct Leaves<'t> {
    /// What is neither an alias nor a union, each type once, in the order of the document.
    pub schemas: Vec<&'t Schema>,
    /// The types on the way, and at its end.
    pub types: HashSet<TypeId>,
    /// Whether one of them may be null.
    pub nullable: bool,
    /// Whether there is a union on the way.
    pub is_union: bool,
    /// Whether there is more, of which nothing is known.
    pub is_cut: bool,
}

impl Lowering<'_, '_> {
    /// What a schema comes down to. Each type is looked at once, however many ways lead to it.
    pub(super) fn leaves<'t>(&'t self, schema: &'t Schema) -> Leaves<'t> {
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
            match self.types.get(id.0).and_then(|draft| draft.kind.as_ref()) {
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
