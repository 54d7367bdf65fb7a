//! The uses of types: the messages in which their values occur.

use crate::{
    ir::{Errors, TypeId},
    lower::finish::state::{Finish, Use},
};

impl Finish<'_, '_> {
    /// Finds the uses of each type.
    pub fn find_uses(&mut self) {
        let api = &self.api;
        let (mut responses, mut requests, mut callbacks) =
            (Vec::new(), Vec::new(), self.operation_notes.received.clone());
        for operation in &api.operations {
            operation.response_schemas(&mut |schema| schema.named(&mut |id| responses.push(id)));
            operation.request_schemas(&mut |schema| schema.named(&mut |id| requests.push(id)));
            operation.callback_schemas(&mut |schema| schema.named(&mut |id| callbacks.push(id)));
            if let Errors::Own { ty, .. } = &operation.errors {
                responses.push(*ty);
            }
        }
        for webhook in &api.webhooks {
            webhook.schemas(&mut |schema| schema.named(&mut |id| callbacks.push(id)));
        }
        if let Some(shared) = &api.shared_errors {
            responses.push(shared.ty);
        }
        api.shared_schemas(&mut |schema| schema.named(&mut |id| responses.push(id)));
        let (responses, requests) = (self.reachable(responses), self.reachable(requests));
        let flags = responses.into_iter().zip(requests).zip(self.reachable(callbacks));
        let uses = flags.map(|((in_responses, in_requests), in_callbacks)| Use {
            in_responses,
            in_requests,
            in_callbacks,
        });
        self.uses = uses.collect();
    }

    /// Returns the types that are reachable from these.
    pub fn reachable(&self, mut from: Vec<TypeId>) -> Vec<bool> {
        let mut reached = vec![false; self.types.len()];
        while let Some(id) = from.pop() {
            let Some(reached) = reached.get_mut(id.0) else { continue };
            if std::mem::replace(reached, true) {
                continue;
            }
            if let Some(draft) = self.types.get(id.0) {
                draft.schemas(&mut |schema| schema.named(&mut |id| from.push(id)));
            }
        }
        reached
    }
}
