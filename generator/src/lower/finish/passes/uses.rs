//! The uses of types: the messages in which their values occur.

use crate::{
    ir::{Api, Direction, Errors, TypeId},
    lower::{finish::walk, operation::state::Operations},
};

/// The messages in which values of a type occur.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::lower) struct Use {
    /// In responses.
    pub is_answered: bool,
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
                Direction::Request => self.is_requested && !self.is_answered,
            }
    }
}

impl Operations<'_, '_> {
    /// Returns the uses of each type.
    pub fn uses(&self, api: &Api) -> Vec<Use> {
        let (mut answers, mut requests, mut received) = (Vec::new(), Vec::new(), self.notes.received.clone());
        for operation in &api.operations {
            walk::answers(operation, &mut |schema| walk::named(schema, &mut |id| answers.push(id)));
            walk::requests(operation, &mut |schema| walk::named(schema, &mut |id| requests.push(id)));
            walk::callbacks(operation, &mut |schema| walk::named(schema, &mut |id| received.push(id)));
            if let Errors::Own { ty, .. } = &operation.errors {
                answers.push(*ty);
            }
        }
        if let Some(shared) = &api.shared_errors {
            answers.push(shared.ty);
            for row in &shared.rows {
                walk::response(row, &mut |schema| walk::named(schema, &mut |id| answers.push(id)));
            }
        }
        let (answered, requested) = (self.reachable(answers), self.reachable(requests));
        let ways = answered.into_iter().zip(requested).zip(self.reachable(received));
        ways.map(|((is_answered, is_requested), is_received)| Use { is_answered, is_requested, is_received })
            .collect()
    }

    /// Returns the types that are reachable from these.
    fn reachable(&self, mut from: Vec<TypeId>) -> Vec<bool> {
        let mut reached = vec![false; self.schemas.types.len()];
        while let Some(id) = from.pop() {
            let Some(reached) = reached.get_mut(id.0) else { continue };
            if std::mem::replace(reached, true) {
                continue;
            }
            if let Some(draft) = self.schemas.types.get(id.0) {
                draft.schemas(&mut |schema| walk::named(schema, &mut |id| from.push(id)));
            }
        }
        reached
    }
}
