//! Which way types go, and which fields must be there for it: `readOnly` and `writeOnly`.

use super::walk;
use crate::{
    ir::{Api, Direction, Errors, Kind, TypeId},
    lower::Lowering,
};

/// Where values of a type are found.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Use {
    /// In responses.
    pub is_answered: bool,
    /// In requests.
    pub is_requested: bool,
    /// In requests that the service makes: callbacks and webhooks.
    pub is_received: bool,
}

impl Use {
    /// Whether all values go the way that a field is for. Who uses a type that no operation has is not known; what it
    /// gets is taken for an answer.
    fn is_only(self, direction: Direction) -> bool {
        !self.is_received
            && match direction {
                Direction::Response => !self.is_requested,
                Direction::Request => self.is_requested && !self.is_answered,
            }
    }
}

impl Lowering<'_, '_> {
    /// Where values of each type are found.
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

    /// A field that goes one way only is required of types that only go that way. What goes both ways is one type, of
    /// which it can't be demanded.
    pub(super) fn settle_directions(&mut self, uses: &[Use]) {
        for (draft, used) in self.types.iter_mut().zip(uses) {
            let Some(Kind::Struct(def)) = &mut draft.kind else { continue };
            for field in &mut def.fields {
                field.required &= field.docs.direction.is_none_or(|direction| used.is_only(direction));
            }
        }
    }

    /// Which types these lead to.
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
