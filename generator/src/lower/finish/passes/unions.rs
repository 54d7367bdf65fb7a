//! Unions: breaks cycles of them.
//!
//! A broken variant becomes any JSON value.

use crate::{
    diagnostics::Code,
    graph,
    ir::{Kind, Schema, Type},
    lower::finish::state::Finish,
};

impl Finish<'_, '_> {
    /// Breaks cycles of unions that are variants of each other.
    ///
    /// A decoder would recurse without end for a value that matches no variant. Each variant on a cycle becomes any
    /// JSON value, so the result does not depend on the starting point.
    pub fn break_unions(&mut self) {
        let edges = graph::edges(self.types.iter(), |draft, targets| match &draft.kind {
            Some(Kind::Alias(schema)) => targets.extend(named(schema)),
            Some(Kind::Union(def)) => {
                targets.extend(def.variants.iter().filter_map(|variant| named(&variant.schema)));
            }
            _ => {}
        });
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
            broken.extend(is_broken.then_some(index));
        }
        for index in broken {
            let message = "the union is a variant of itself; that variant is any JSON value";
            self.type_is_cut(index, Code::RecursiveAlias, message);
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
