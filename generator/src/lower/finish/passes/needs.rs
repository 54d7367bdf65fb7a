//! Needs: the modules that each module refers to.

use crate::{
    ir::{Api, FamilyId, Module, Schema},
    lower::{finish::walk, lowering::Lowering, place::Place},
};

impl Lowering<'_, '_> {
    /// Finds the modules whose types and patterns each module refers to.
    pub fn settle_needs(&self, api: &mut Api) {
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
        for draft in self.types.iter() {
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
}
