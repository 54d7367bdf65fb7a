//! The state of the passes.

use std::ops::{Deref, DerefMut};

use crate::{
    ir::{Api, Direction},
    lower::{
        operation::{self, state::Operations},
        resolver::state::Resolver,
        schema::{self, state::Schemas},
        types::Types,
    },
};

/// The state of the passes: the types, and the facts of the earlier stages.
pub(in crate::lower) struct Finish<'d, 'x> {
    /// Reads the JSON Schemas that earlier stages have not read. All types are already read.
    pub resolver: Resolver<'d, 'x>,
    pub types: Types<'d>,
    pub schema_notes: schema::notes::Notes<'d>,
    pub operation_notes: operation::notes::Notes<'d>,
    pub api: Api,
    /// The use of each type, until the types get their order.
    pub uses: Vec<Use>,
}

impl<'d, 'x> Finish<'d, 'x> {
    /// Starts with the types and the facts of the earlier stages.
    pub fn new(operations: Operations<'d, 'x>, api: Api) -> Self {
        let Operations { schemas, notes: operation_notes, .. } = operations;
        let Schemas { resolver, types, notes: schema_notes, .. } = schemas;
        Self { resolver, types, schema_notes, operation_notes, api, uses: Vec::new() }
    }
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
