//! Aliases: breaks cycles of them.
//!
//! A broken reference becomes any JSON value.

use crate::{
    diagnostics::Code,
    graph,
    ir::{Kind, Schema, Type, TypeId},
    lower::finish::state::Finish,
};

impl Finish<'_, '_> {
    /// Breaks cycles of aliases, also through arrays and maps, because they have no Rust type.
    ///
    /// Each reference on a cycle becomes any JSON value, so the result does not depend on the starting point.
    pub fn break_aliases(&mut self) {
        let alias = |index: usize| matches!(self.types.kind(TypeId(index)), Some(Kind::Alias(_)));
        let edges = graph::edges(self.types.iter(), |draft, targets| {
            if let Some(Kind::Alias(schema)) = &draft.kind {
                schema.named(&mut |id| targets.extend(alias(id.0).then_some(id.0)));
            }
        });
        let found = graph::components(&edges);
        let mut broken = Vec::new();
        for (index, draft) in self.types.iter_mut().enumerate() {
            let Some(Kind::Alias(schema)) = &mut draft.kind else { continue };
            let mut is_broken = false;
            schema.visit_mut(&mut |schema| {
                if let Type::Named { id, .. } = schema.ty
                    && graph::on_cycle(&found, index, id.0)
                {
                    *schema = Schema::new(Type::Any);
                    is_broken = true;
                }
            });
            broken.extend(is_broken.then_some(index));
        }
        for index in broken {
            let message =
                "the schema consists of references to itself only, so the Rust type is any JSON value";
            self.type_is_cut(index, Code::RecursiveAlias, message);
        }
    }
}
