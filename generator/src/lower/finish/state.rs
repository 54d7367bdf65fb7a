//! The state of the passes.

use std::ops::{Deref, DerefMut};

use crate::{
    ir::{Api, Direction},
    lower::{operation, resolver::state::Resolver, schema, types::Types},
};

/// The state of the passes: the types, and the facts of the earlier stages.
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
