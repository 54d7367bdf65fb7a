//! Cycles: boxes recursive types and breaks cycles of aliases and unions.
//!
//! A broken reference becomes any JSON value.

use super::{graph, walk};
use crate::{
    diagnostics::Code,
    ir::{Kind, Schema, Type},
    lower::Lowering,
};

impl Lowering<'_, '_> {
    /// Breaks cycles of aliases, also through arrays and maps, because they have no Rust type.
    ///
    /// Each reference on a cycle becomes any JSON value, so the result does not depend on the starting point.
    pub(super) fn break_aliases(&mut self) {
        let alias = |index: usize| {
            self.types.get(index).is_some_and(|draft| matches!(draft.kind, Some(Kind::Alias(_))))
        };
        let edges: Vec<Vec<usize>> = self
            .types
            .iter()
            .map(|draft| {
                let mut targets = Vec::new();
                if let Some(Kind::Alias(schema)) = &draft.kind {
                    walk::named(schema, &mut |id| targets.extend(alias(id.0).then_some(id.0)));
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
            walk::nested_mut(schema, &mut |schema| {
                if let Type::Named { id, .. } = schema.ty
                    && targets.contains(&id.0)
                    && graph::on_cycle(&found, index, id.0)
                {
                    *schema = Schema::new(Type::Any);
                }
            });
            broken.extend(draft.node);
        }
        for node in broken {
            let message =
                "the schema consists of references to itself only; any JSON value is accepted instead";
            self.warn(Code::RecursiveAlias, node, message);
        }
    }

    /// Breaks cycles of unions that are variants of each other.
    ///
    /// A decoder would try them in each other forever for a value that matches none. Each variant on a cycle
    /// becomes any JSON value, so the result does not depend on the starting point.
    pub(super) fn break_unions(&mut self) {
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
            broken.extend(draft.node.filter(|_| is_broken));
        }
        for node in broken {
            let message = "the union is a variant of itself; that variant accepts any JSON value";
            self.warn(Code::RecursiveAlias, node, message);
        }
    }

    /// Boxes each field and variant through which a type would contain itself directly.
    ///
    /// Arrays and maps need no box. The boxed fields depend on the cycle only.
    pub(super) fn box_cycles(&mut self) {
        let edges: Vec<Vec<usize>> = self
            .types
            .iter()
            .map(|draft| {
                let mut targets = Vec::new();
                draft.schemas(&mut |schema| walk::held(schema, &mut |id| targets.push(id.0)));
                targets
            })
            .collect();
        let found = graph::components(&edges);
        for (index, draft) in self.types.iter_mut().enumerate() {
            let Some(kind) = &mut draft.kind else { continue };
            if matches!(kind, Kind::Alias(_)) {
                continue;
            }
            walk::schemas_mut(kind, &mut |schema| {
                walk::held_mut(schema, &mut |id, boxed| *boxed = graph::on_cycle(&found, index, id.0));
            });
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
