//! The state of the passes, and the leaves of a schema: its alternatives, with aliases and nested unions resolved.

use std::{
    collections::HashSet,
    ops::{Deref, DerefMut},
};

use crate::{
    ir::{Api, Direction, Kind, Schema, Type, TypeId},
    lower::{operation, resolver::state::Resolver, schema, types::Types},
};

/// The state of the passes: the types, and the facts of the earlier stages.
///
/// It dereferences to the resolver. Of the states between them, only the types and the notes remain.
pub(in crate::lower) struct Finish<'d, 'x> {
    /// Reads the JSON Schemas that earlier stages have not read. All types are already read.
    pub resolver: Resolver<'d, 'x>,
    pub types: Types<'d>,
    pub schema_notes: schema::state::Notes<'d>,
    pub operation_notes: operation::state::Notes<'d>,
    pub api: Api,
    /// The use of each type, until the types get their order.
    pub uses: Vec<Use>,
}

impl<'d, 'x> Deref for Finish<'d, 'x> {
    type Target = Resolver<'d, 'x>;

    fn deref(&self) -> &Self::Target {
        &self.resolver
    }
}

impl DerefMut for Finish<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.resolver
    }
}

/// Returns the new indexes of the entries of a list, of which only some are kept.
pub(in crate::lower) fn renumbered(are_kept: impl Iterator<Item = bool>) -> Vec<usize> {
    let mut kept = 0;
    let new = are_kept.map(|is_kept| {
        kept += usize::from(is_kept);
        kept - usize::from(is_kept)
    });
    new.collect()
}

/// The messages in which values of a type occur.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::lower) struct Use {
    /// Whether they occur in responses.
    pub in_responses: bool,
    /// Whether they occur in requests.
    pub in_requests: bool,
    /// Whether they occur in requests that the service sends: callbacks and webhooks.
    pub in_callbacks: bool,
}

impl Use {
    /// Returns whether all values occur in the direction of a field.
    ///
    /// A type that no operation refers to counts as a type of responses, because its use is unknown.
    pub fn is_only(self, direction: Direction) -> bool {
        !self.in_callbacks
            && match direction {
                Direction::Response => !self.in_requests,
                Direction::Request => self.in_requests && !self.in_responses,
            }
    }
}

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
