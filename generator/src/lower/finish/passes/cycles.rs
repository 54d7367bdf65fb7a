//! Breaks or boxes cycles of types, and shortens long chains. A decoder or the compiler would fail on them.

use crate::{
    diagnostics::Code,
    graph,
    ir::{Kind, Schema, Type, TypeId},
    lower::{finish::state::Finish, types::id_of},
};

/// The maximum nesting depth of types.
///
/// The compiler fails at a depth of 128 (E0320), which includes each `Option`, `Vec` and `Box`.
const MAX_LEVELS: usize = 40;

/// A function that visits schemas of a type.
type Visit = fn(&mut Kind, &mut dyn FnMut(&mut Schema));

impl Finish<'_, '_> {
    /// Breaks cycles of aliases, also through arrays and maps, because they have no Rust type.
    pub fn break_aliases(&mut self) {
        let alias = |index: usize| matches!(self.types.kind(TypeId(index)), Some(Kind::Alias(_)));
        let edges = graph::edges(self.types.iter(), |draft, targets| {
            if let Some(Kind::Alias(schema)) = &draft.kind {
                schema.named(&mut |id| targets.extend(alias(id.0).then_some(id.0)));
            }
        });
        let message = "the schema consists of references to itself only, so the Rust type is any JSON value";
        self.cut(&edges, message, |kind, cut| {
            if let Kind::Alias(schema) = kind {
                schema.visit_mut(cut);
            }
        });
    }

    /// Breaks cycles of unions that are variants of each other.
    ///
    /// A decoder would recurse without end for a value that matches no variant.
    pub fn break_unions(&mut self) {
        let edges = graph::edges(self.types.iter(), |draft, targets| {
            if let Some(kind @ (Kind::Alias(_) | Kind::Union(_))) = &draft.kind {
                kind.schemas(&mut |schema| targets.extend(id_of(&schema.ty).map(|id| id.0)));
            }
        });
        let message = "the union is a variant of itself; that variant is any JSON value";
        self.cut(&edges, message, |kind, cut| {
            if let Kind::Union(_) = kind {
                kind.schemas_mut(cut);
            }
        });
    }

    /// Makes each reference on a cycle any JSON value, so the result does not depend on the starting point.
    ///
    /// `visit` visits the schemas of a type that can be replaced.
    fn cut(&mut self, edges: &[Vec<usize>], message: &str, visit: Visit) {
        let found = graph::components(edges);
        let mut broken = Vec::new();
        for (index, draft) in self.types.iter_mut().enumerate() {
            let Some(kind) = &mut draft.kind else { continue };
            let mut is_broken = false;
            visit(kind, &mut |schema| {
                if id_of(&schema.ty).is_some_and(|id| graph::on_cycle(&found, index, id.0)) {
                    *schema = Schema::new(Type::Any);
                    is_broken = true;
                }
            });
            broken.extend(is_broken.then_some(index));
        }
        for index in broken {
            self.type_is_cut(index, Code::RecursiveAlias, message);
        }
    }

    /// Replaces references in chains of types that are too long, at a level that is counted from their end.
    ///
    /// So the replaced references do not depend on the types that refer to the beginning of the chain.
    pub fn limit_depth(&mut self) {
        let edges = graph::edges(self.types.iter(), |draft, targets| {
            draft.schemas(&mut |schema| schema.named(&mut |id| targets.push(id.0)));
        });
        let components = graph::components(&edges);
        // A type has a higher number than the types that it refers to.
        let mut order: Vec<usize> = (0..self.types.len()).collect();
        order.sort_by_key(|index| components.get(*index).copied());
        let mut levels = vec![0_usize; components.iter().max().map_or(0, |last| last + 1)];
        let mut deep: Vec<(usize, Vec<usize>)> = Vec::new();
        for index in order {
            let targets = edges.get(index).map_or(&[][..], Vec::as_slice);
            let level = |target: usize| {
                let component = components.get(target)?;
                levels.get(*component).copied().filter(|_| !graph::on_cycle(&components, index, target))
            };
            let cut: Vec<usize> =
                targets.iter().copied().filter(|target| level(*target) >= Some(MAX_LEVELS)).collect();
            let below =
                targets.iter().filter(|target| !cut.contains(target)).filter_map(|target| level(*target));
            let own = below.max().unwrap_or_default() + 1;
            if let Some(slot) = components.get(index).and_then(|component| levels.get_mut(*component)) {
                *slot = own.max(*slot);
            }
            if !cut.is_empty() {
                deep.push((index, cut));
            }
        }
        for (index, cut) in deep {
            if let Some(kind) = self.types.kind_mut(TypeId(index)) {
                kind.schemas_mut(&mut |schema| {
                    schema.visit_mut(&mut |schema| {
                        if matches!(schema.ty, Type::Named { id, .. } if cut.contains(&id.0)) {
                            *schema = Schema::new(Type::Any);
                        }
                    });
                });
            }
            let message = format!(
                "more than {MAX_LEVELS} types are nested here, so the innermost Rust type is any JSON value"
            );
            self.type_is_cut(index, Code::TooDeep, message);
        }
    }

    /// Boxes each field and variant through which a type would contain itself directly.
    ///
    /// Arrays and maps need no box. The boxed fields depend on the cycle only.
    pub fn box_cycles(&mut self) {
        let edges = graph::edges(self.types.iter(), |draft, targets| {
            draft.schemas(&mut |schema| {
                schema.held(&mut |schema| targets.extend(id_of(&schema.ty).map(|id| id.0)));
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
