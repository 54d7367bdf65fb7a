//! Unions: breaks cycles of them.
//!
//! A broken variant becomes any JSON value.

use crate::{
    diagnostics::Code,
    ir::{Kind, Schema, Type},
    lower::{
        context::Reporting,
        finish::{graph, state::Finish},
    },
};

impl Finish<'_, '_> {
    /// Breaks cycles of unions that are variants of each other.
    ///
    /// A decoder would try them in each other forever for a value that matches none. Each variant on a cycle
    /// becomes any JSON value, so the result does not depend on the starting point.
    pub fn break_unions(&mut self) {
        let edges: Vec<Vec<usize>> = self
            .types
            .iter()
            .map(|draft| match &draft.kind {
                Some(Kind::Alias(schema)) => named(schema).into_iter().collect(),
                Some(Kind::Union(def)) => {
                    def.variants.iter().filter_map(|variant| named(&variant.schema)).collect()
                }
                _ => Vec::new(),
            })
            .collect();
        let found = graph::components(&edges);
        let mut broken = Vec::new();
        for (index, draft) in self.types.iter_mut().enumerate() {
            let Some(Kind::Union(def)) = &mut draft.kind else { continue };
            let mut is_broken = false;
            for variant in &mut def.variants {
                if named(&variant.schema).is_some_and(|target| graph::on_cycle(&found, index, target)) {
                    variant.schema = Schema::new(Type::Any);
                    is_broken = true;
                }
            }
            broken.extend(is_broken.then_some((index, draft.node)));
        }
        for (index, node) in broken {
            self.type_says_more(index);
            let message = "the union is a variant of itself; that variant is any JSON value";
            if let Some(node) = node {
                self.warn(Code::RecursiveAlias, node, message);
            }
        }
    }
}

/// Returns the type that a schema names.
fn named(schema: &Schema) -> Option<usize> {
    match schema.ty {
        Type::Named { id, .. } => Some(id.0),
        _ => None,
    }
}
