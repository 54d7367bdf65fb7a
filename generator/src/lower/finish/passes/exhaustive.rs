//! Structs of requests that can be destructured, if the setting `exhaustive` allows it.

use crate::{
    ir::{Kind, TypeId},
    lower::finish::state::Finish,
    options::Exhaustive,
};

impl Finish<'_, '_> {
    /// Marks the inputs of operations, and the structs that they contain.
    pub fn settle_exhaustive(&mut self) {
        if self.options.exhaustive == Exhaustive::None {
            return;
        }
        for id in self.types_of_inputs() {
            if let Some(Kind::Struct(def)) = self.types.kind_mut(id) {
                def.exhaustive = true;
            }
        }
    }

    /// Returns the inputs of operations, and the types that they contain.
    pub fn types_of_inputs(&self) -> Vec<TypeId> {
        let inputs = self.api.operations.iter().filter_map(|operation| operation.input).collect();
        let reached = self.reachable(inputs).into_iter().enumerate();
        reached.filter(|(_, is_reached)| *is_reached).map(|(index, _)| TypeId(index)).collect()
    }
}
