//! Openness: an enum or union that a response can hold takes values that the document doesn't name.

use super::walk;
use crate::{
    ir::{Api, Errors, Ident, Kind, Type, TypeId},
    lower::Lowering,
    names,
};

/// Names of the variant for what the document doesn't name.
const OPEN: &[&str] = &["Unknown", "Unlisted", "Undocumented"];

impl Lowering<'_, '_> {
    /// Opens what responses (and the requests that the service makes) can hold, and what nobody uses. What only
    /// requests hold stays closed.
    pub(super) fn settle_openness(&mut self, api: &Api) {
        let mut answers = self.received.clone();
        let mut requests = Vec::new();
        for operation in &api.operations {
            walk::answers(operation, &mut |schema| walk::named(schema, &mut |id| answers.push(id)));
            walk::requests(operation, &mut |schema| walk::named(schema, &mut |id| requests.push(id)));
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
        let answered = self.reachable(answers);
        let requested = self.reachable(requests);
        for (draft, (answered, requested)) in self.types.iter_mut().zip(answered.into_iter().zip(requested)) {
            if !answered && requested {
                continue;
            }
            match &mut draft.kind {
                Some(Kind::StringEnum(def)) => {
                    def.open = Some(open(def.variants.iter().map(|one| &one.ident)))
                }
                Some(Kind::IntegerEnum(def)) => {
                    def.open = Some(open(def.variants.iter().map(|one| &one.ident)))
                }
                // A variant that takes anything leaves nothing over.
                Some(Kind::Union(def))
                    if def.variants.iter().all(|variant| variant.schema.ty != Type::Any) =>
                {
                    def.open = Some(open(def.variants.iter().map(|one| &one.ident)));
                }
                _ => {}
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

fn open<'a>(idents: impl Iterator<Item = &'a Ident> + Clone) -> Ident {
    names::free(OPEN, |name| idents.clone().any(|ident| ident.0 == name))
}
