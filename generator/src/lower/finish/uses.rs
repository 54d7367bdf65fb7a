//! The directions of types, for required fields with `readOnly` and `writeOnly`.

use super::walk;
use crate::{
    ir::{Api, Direction, Errors, Kind, TypeId},
    lower::Lowering,
};

/// The messages in which values of a type occur.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Use {
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
    fn is_only(self, direction: Direction) -> bool {
        !self.is_received
            && match direction {
                Direction::Response => !self.is_requested,
                Direction::Request => self.is_requested && !self.is_answered,
            }
    }
}

impl Lowering<'_, '_> {
    /// Returns the uses of each type.
    pub(super) fn uses(&self, api: &Api) -> Vec<Use> {
        let (mut answers, mut requests, mut received) = (Vec::new(), Vec::new(), self.received.clone());
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

    /// Makes `readOnly` and `writeOnly` fields optional, depending on the uses of the type.
    ///
    /// Such a field stays required if the type occurs in the field's direction only.
    pub(super) fn settle_directions(&mut self, uses: &[Use]) {
        for (draft, used) in self.types.iter_mut().zip(uses) {
            let Some(Kind::Struct(def)) = &mut draft.kind else { continue };
            for field in &mut def.fields {
                field.required &= field.docs.direction.is_none_or(|direction| used.is_only(direction));
            }
        }
    }

    /// Returns the types that are reachable from these.
    fn reachable(&self, mut from: Vec<TypeId>) -> Vec<bool> {
        let mut reached = vec![false; self.types.len()];
        while let Some(id) = from.pop() {
            let Some(reached) = reached.get_mut(id.0) else { continue };
            if std::mem::replace(reached, true) {
                continue;
            }
            if let Some(draft) = self.types.get(id.0) {
                draft.schemas(&mut |schema| walk::named(schema, &mut |id| from.push(id)));
            }
        }
        reached
    }
}
