//! The state of the passes.

use crate::{
    ir::{Api, Direction},
    lower::{
        context::{Context, Reporting},
        operation::{self, state::Operations},
        resolver::state::Resolver,
        schema::{self, state::Schemas},
        types::Types,
    },
};

/// The state of the passes: the types, and the facts of the earlier stages.
pub(in crate::lower) struct Finish<'d, 'x> {
    /// Reads the JSON Schemas that are left. No pass reads a type.
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

impl<'d, 'x> Reporting<'d, 'x> for Finish<'d, 'x> {
    fn context(&self) -> &Context<'d, 'x> {
        &self.resolver.context
    }

    fn context_mut(&mut self) -> &mut Context<'d, 'x> {
        &mut self.resolver.context
    }
}

/// The messages in which values of a type occur.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::lower) struct Use {
    /// In responses.
    pub is_returned: bool,
    /// In requests.
    pub is_requested: bool,
    /// In requests that the service sends: callbacks and webhooks.
    pub is_received: bool,
}

impl Use {
    /// Returns whether all values occur in the direction of a field.
    ///
    /// The use of a type that no operation refers to is unknown. It is treated like a type of responses.
    pub fn is_only(self, direction: Direction) -> bool {
        !self.is_received
            && match direction {
                Direction::Response => !self.is_requested,
                Direction::Request => self.is_requested && !self.is_returned,
            }
    }
}
