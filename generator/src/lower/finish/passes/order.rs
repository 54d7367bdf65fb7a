//! Order: types are in document order, each followed by the types of its inline schemas.

use crate::{
    ir::{Errors, Schema, Type, TypeId},
    lower::finish::state::Finish,
};

impl Finish<'_, '_> {
    /// Sorts the types, removes unused ones and assigns the final ids.
    pub fn order(&mut self) {
        let mut ids: Vec<TypeId> = vec![TypeId(0); self.types.len()];
        let drafts = std::mem::take(&mut self.types.0).into_iter().enumerate();
        let mut drafts: Vec<_> = drafts.filter(|(_, draft)| draft.kind.is_some()).collect();
        drafts.sort_by_key(|(_, draft)| draft.position.owner);
        for (new, (old, _)) in drafts.iter().enumerate() {
            if let Some(id) = ids.get_mut(*old) {
                *id = TypeId(new);
            }
        }
        let renew = |id: TypeId| ids.get(id.0).copied().unwrap_or(id);
        self.types.0 = drafts.into_iter().map(|(_, draft)| draft).collect();
        self.every_schema(&mut |schema| {
            if let Type::Named { id, .. } = &mut schema.ty {
                *id = renew(*id);
            }
        });
        for operation in &mut self.api.operations {
            operation.input = operation.input.map(renew);
            if let Errors::Own { ty, .. } = &mut operation.errors {
                *ty = renew(*ty);
            }
        }
        if let Some(shared) = &mut self.api.shared_errors {
            shared.ty = renew(shared.ty);
        }
    }

    /// Visits every schema mutably, including those within arrays and maps.
    pub fn every_schema(&mut self, visit: &mut dyn FnMut(&mut Schema)) {
        let mut nested = |schema: &mut Schema| schema.visit_mut(visit);
        self.api.all_schemas_mut(&mut nested);
        for kind in self.types.iter_mut().filter_map(|draft| draft.kind.as_mut()) {
            kind.schemas_mut(&mut nested);
        }
        self.schema_notes.examples.iter_mut().for_each(|example| nested(&mut example.schema));
    }
}
