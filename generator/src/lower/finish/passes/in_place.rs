//! References by which a schema would apply itself to the same value without end.

use crate::{
    diagnostics::Code,
    graph,
    ir::{JsonSchema, Keyword},
    lower::finish::state::Finish,
};

impl Finish<'_, '_> {
    /// Breaks cycles of schemas that apply each other to the same value.
    ///
    /// JSON Schema leaves their meaning open. Each reference on a cycle accepts every value, so the result does not
    /// depend on the starting point.
    pub fn break_in_place_cycles(&mut self) {
        let drafts = &mut self.json_schemas.drafts;
        let edges = graph::edges(drafts.iter_mut(), |draft, targets| {
            in_place(&mut draft.schema, &mut |keyword| targets.extend(target(keyword)));
        });
        let found = graph::components(&edges);
        let mut broken = Vec::new();
        for (index, draft) in drafts.iter_mut().enumerate() {
            let mut is_broken = false;
            in_place(&mut draft.schema, &mut |keyword| {
                if target(keyword).is_some_and(|target| graph::on_cycle(&found, index, target)) {
                    *keyword = Keyword::AllOf(Vec::new());
                    is_broken = true;
                }
            });
            broken.extend(draft.nodes.first().copied().filter(|_| is_broken));
        }
        for node in broken {
            let message = "the schema applies itself to the same value, which has no effect";
            self.warn(Code::RecursiveAlias, node, message);
        }
    }
}

/// Visits the references that apply to the same value as the schema.
fn in_place(schema: &mut JsonSchema, visit: &mut dyn FnMut(&mut Keyword)) {
    for keyword in &mut schema.0 {
        match keyword {
            Keyword::Ref(_) => visit(keyword),
            Keyword::AllOf(_)
            | Keyword::AnyOf(_)
            | Keyword::OneOf(_)
            | Keyword::Not(_)
            | Keyword::If { .. }
            | Keyword::DependentSchemas(_) => {
                keyword.schemas_mut().into_iter().for_each(|schema| in_place(schema, visit));
            }
            _ => {}
        }
    }
}

const fn target(keyword: &Keyword) -> Option<usize> {
    match keyword {
        Keyword::Ref(id) => Some(id.0),
        _ => None,
    }
}
