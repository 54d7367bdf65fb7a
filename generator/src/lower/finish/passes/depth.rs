//! Depth: replaces types by any JSON value where they are nested deeper than the compiler allows.

use crate::{
    diagnostics::Code,
    graph,
    ir::{Schema, Type, TypeId},
    lower::finish::state::Finish,
};

/// The maximum nesting depth of types.
///
/// The compiler fails at a depth of 128 (E0320), which includes each `Option`, `Vec` and `Box`.
const MAX_LEVELS: usize = 40;

impl Finish<'_, '_> {
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
}
