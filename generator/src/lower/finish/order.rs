//! Order: types are in document order, each followed by the types of its inline schemas.

use super::walk;
use crate::{
    ir::{Api, Errors, FamilyId, Kind, Module, Schema, Type, TypeId},
    lower::{Lowering, place::Place},
};

impl Lowering<'_, '_> {
    /// Sorts the types, removes unused ones and assigns the final ids.
    pub(super) fn order(&mut self, api: &mut Api) {
        let mut order: Vec<usize> = (0..self.types.len())
            .filter(|index| self.types.get(*index).is_some_and(|draft| draft.kind.is_some()))
            .collect();
        order.sort_by_key(|index| self.types.get(*index).map(|draft| draft.place.owner()));
        let mut ids: Vec<TypeId> = vec![TypeId(0); self.types.len()];
        for (new, old) in order.iter().enumerate() {
            if let Some(id) = ids.get_mut(*old) {
                *id = TypeId(new);
            }
        }
        let renew = |id: TypeId| ids.get(id.0).copied().unwrap_or(id);
        let mut slots: Vec<_> = std::mem::take(&mut self.types).into_iter().map(Some).collect();
        self.types = order.iter().filter_map(|index| slots.get_mut(*index).and_then(Option::take)).collect();
        self.every_schema(api, &mut |schema| {
            if let Type::Named { id, .. } = &mut schema.ty {
                *id = renew(*id);
            }
        });
        for operation in &mut api.operations {
            operation.input = operation.input.map(renew);
            if let Errors::Own { ty, .. } = &mut operation.errors {
                *ty = renew(*ty);
            }
        }
        if let Some(shared) = &mut api.shared_errors {
            shared.ty = renew(shared.ty);
        }
    }

    /// Visits every schema mutably, including those within arrays and maps.
    pub(super) fn every_schema(&mut self, api: &mut Api, visit: &mut dyn FnMut(&mut Schema)) {
        let mut nested = |schema: &mut Schema| walk::nested_mut(schema, visit);
        walk::all_mut(api, &mut nested);
        for kind in self.types.iter_mut().filter_map(|draft| draft.kind.as_mut()) {
            walk::schemas_mut(kind, &mut nested);
        }
        self.shown.iter_mut().for_each(|shown| nested(&mut shown.schema));
    }

    /// Finds the modules whose types and patterns each module refers to.
    pub(super) fn settle_needs(&self, api: &mut Api) {
        let mut needs = vec![std::collections::BTreeSet::new(); api.families.len()];
        let mut note = |from: Module, schema: &Schema| {
            let Module::Family(family) = from else { return };
            let mut need = |place: Option<&Place<'_>>| {
                if let Some(Module::Family(other)) = place.map(Place::module)
                    && other != family
                    && let Some(needs) = needs.get_mut(family.0)
                {
                    needs.insert(other);
                }
            };
            walk::named(schema, &mut |id| need(self.types.get(id.0).map(|draft| &draft.place)));
            walk::patterns(schema, &mut |id| need(self.patterns.get(id.0).map(|draft| &draft.place)));
        };
        for draft in &self.types {
            draft.schemas(&mut |schema| note(draft.place.module(), schema));
        }
        for operation in &api.operations {
            let home = Module::Family(operation.family);
            walk::requests(operation, &mut |schema| note(home, schema));
            walk::answers(operation, &mut |schema| note(home, schema));
            walk::callbacks(operation, &mut |schema| note(home, schema));
        }
        for (family, needs) in api.families.iter_mut().zip(needs) {
            family.needs = needs.into_iter().collect::<Vec<FamilyId>>();
        }
    }

    /// Returns whether a type has too many required fields for arguments.
    pub(super) fn has_many_required_fields(kind: Option<&Kind>) -> bool {
        match kind {
            Some(Kind::Struct(def)) => {
                def.fields.iter().filter(|field| field.is_asked()).count() > MAX_ARGUMENTS
            }
            _ => false,
        }
    }
}

/// The maximum number of required fields that are arguments of `new`.
const MAX_ARGUMENTS: usize = 7;
