//! The uses of types: the messages in which their values occur.
//!
//! They decide which fields are optional, and which enums and unions are open.

use crate::{
    ir::{Errors, Kind, Type, TypeId},
    lower::finish::state::{Finish, Use},
    names,
};

/// Names of the variant for unlisted values.
const OPEN: &[&str] = &["Unknown", "Unlisted", "Undocumented"];

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

    /// Makes `readOnly` and `writeOnly` fields optional, depending on the uses of the type.
    ///
    /// Such a field stays required if the type occurs in the field's direction only.
    pub fn settle_directions(&mut self) {
        for (draft, used) in self.types.iter_mut().zip(&self.uses) {
            let Some(Kind::Struct(def)) = &mut draft.kind else { continue };
            for field in &mut def.fields {
                field.required_one_way = field.required && field.docs.direction.is_some();
                field.required &= field.docs.direction.is_none_or(|direction| used.is_only(direction));
            }
        }
    }

    /// Opens the enums and unions in responses, callbacks and webhooks, and unused ones.
    ///
    /// Enums and unions that only requests contain stay closed.
    pub fn settle_openness(&mut self) {
        for (draft, used) in self.types.iter_mut().zip(&self.uses) {
            if used.in_requests && !used.in_responses && !used.in_callbacks {
                continue;
            }
            let Some(kind) = &mut draft.kind else { continue };
            let name = names::free(OPEN, |name| kind.names().any(|ident| ident.0 == name));
            match kind {
                Kind::StringEnum(def) => def.open = Some(name),
                Kind::IntegerEnum(def) => def.open = Some(name),
                // A variant for any JSON value already accepts unlisted values.
                Kind::Union(def) if def.variants.iter().all(|variant| variant.schema.ty != Type::Any) => {
                    def.open = Some(name);
                }
                _ => {}
            }
        }
    }
}
