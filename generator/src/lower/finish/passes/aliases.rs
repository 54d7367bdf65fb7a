//! Aliases: breaks cycles of them.
//!
//! A broken reference becomes any JSON value.

use crate::{
    diagnostics::Code,
    ir::{Kind, Schema, Type, TypeId},
    lower::{
        context::Reporting,
        finish::{graph, state::Finish},
    },
};

impl Finish<'_, '_> {
    /// Breaks cycles of aliases, also through arrays and maps, because they have no Rust type.
    ///
    /// Each reference on a cycle becomes any JSON value, so the result does not depend on the starting point.
    pub fn break_aliases(&mut self) {
        let alias = |index: usize| matches!(self.types.kind(TypeId(index)), Some(Kind::Alias(_)));
        let edges: Vec<Vec<usize>> = self
            .types
            .iter()
            .map(|draft| {
                let mut targets = Vec::new();
                if let Some(Kind::Alias(schema)) = &draft.kind {
                    schema.named(&mut |id| targets.extend(alias(id.0).then_some(id.0)));
                }
                targets
            })
            .collect();
        let found = graph::components(&edges);
        let mut broken = Vec::new();
        for (index, draft) in self.types.iter_mut().enumerate() {
            let Some(Kind::Alias(schema)) = &mut draft.kind else { continue };
            let targets = edges.get(index).map_or(&[][..], Vec::as_slice);
            if !targets.iter().any(|target| graph::on_cycle(&found, index, *target)) {
                continue;
            }
            schema.visit_mut(&mut |schema| {
                if let Type::Named { id, .. } = schema.ty
                    && targets.contains(&id.0)
                    && graph::on_cycle(&found, index, id.0)
                {
                    *schema = Schema::new(Type::Any);
                }
            });
            broken.push((index, draft.node));
        }
        for (index, node) in broken {
            self.type_says_more(index);
            let message =
                "the schema consists of references to itself only, so the Rust type is any JSON value";
            if let Some(node) = node {
                self.warn(Code::RecursiveAlias, node, message);
            }
        }
    }
}
