//! Order: types are in document order, each followed by the types of its inline schemas.

use crate::{
    ir::{Errors, Schema, Type, TypeId},
    lower::finish::state::Finish,
};

impl Finish<'_, '_> {
    /// Sorts the types, removes unused ones and assigns the final ids.
    pub fn order(&mut self) {
        let mut order: Vec<usize> =
            (0..self.types.len()).filter(|index| self.types.kind(TypeId(*index)).is_some()).collect();
        order.sort_by_key(|index| self.types.get(*index).map(|draft| draft.position.owner()));
        let mut ids: Vec<TypeId> = vec![TypeId(0); self.types.len()];
        for (new, old) in order.iter().enumerate() {
            if let Some(id) = ids.get_mut(*old) {
                *id = TypeId(new);
            }
        }
        let renew = |id: TypeId| ids.get(id.0).copied().unwrap_or(id);
        let mut slots: Vec<_> = std::mem::take(&mut self.types).into_iter().map(Some).collect();
        self.types = order.iter().filter_map(|index| slots.get_mut(*index).and_then(Option::take)).collect();
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
