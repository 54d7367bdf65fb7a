//! Boxes: a type that would contain itself directly contains a box.

use crate::{
    graph,
    ir::{Kind, Type},
    lower::finish::state::Finish,
};

impl Finish<'_, '_> {
    /// Boxes each field and variant through which a type would contain itself directly.
    ///
    /// Arrays and maps need no box. The boxed fields depend on the cycle only.
    pub fn box_cycles(&mut self) {
        let edges = graph::edges(self.types.iter(), |draft, targets| {
            draft.schemas(&mut |schema| {
                schema.held(&mut |schema| {
                    if let Type::Named { id, .. } = schema.ty {
                        targets.push(id.0);
                    }
                });
            });
        });
        let found = graph::components(&edges);
        for (index, draft) in self.types.iter_mut().enumerate() {
            let Some(kind) = &mut draft.kind else { continue };
            if matches!(kind, Kind::Alias(_)) {
                continue;
            }
            kind.schemas_mut(&mut |schema| {
                schema.held_mut(&mut |schema| {
                    if let Type::Named { id, boxed } = &mut schema.ty {
                        *boxed = graph::on_cycle(&found, index, id.0);
                    }
                });
            });
        }
    }
}
