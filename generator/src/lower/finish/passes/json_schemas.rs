//! Finds the JSON Schemas that rows refer to, and breaks their cycles.

use std::collections::HashSet;

use crate::{
    diagnostics::Code,
    graph,
    ir::{JsonSchema, JsonSchemaId, Keyword},
    lower::finish::state::{Finish, renumbered},
};

impl Finish<'_, '_> {
    /// Adds the document's schema to a type that can't express all constraints.
    fn attach_json_schema(&mut self, index: usize) {
        let Some(draft) = self.types.get(index) else { return };
        if let (None, Some(node)) = (draft.also, draft.node) {
            let (position, typing) = (draft.position.clone(), self.typing());
            let id = self.json_schema_id(vec![node], &position, typing);
            if let Some(draft) = self.types.get_mut(index) {
                draft.also = Some(id);
            }
        }
    }

    /// Reports that a part of a type became any JSON value, and checks the document's schema as well.
    pub fn type_is_cut(&mut self, index: usize, code: Code, message: impl Into<String>) {
        self.attach_json_schema(index);
        if let Some(node) = self.types.get(index).and_then(|draft| draft.node) {
            self.warn(code, node, message);
        }
    }

    /// Reads the schemas that rows refer to, and removes the others.
    ///
    /// Nothing validates responses, so the rows of types that only occur in responses refer to none.
    pub fn settle_json_schemas(&mut self) {
        for (draft, one) in self.types.iter_mut().zip(&self.uses) {
            if one.in_responses && !one.in_requests && !one.in_callbacks {
                draft.also = None;
                let kinds = draft.kind.iter_mut();
                kinds.for_each(|kind| {
                    kind.schemas_mut(&mut |schema| {
                        schema.visit_mut(&mut |schema| schema.also = None);
                    });
                });
            }
        }
        self.api.all_response_schemas_mut(&mut |schema| schema.visit_mut(&mut |schema| schema.also = None));
        self.keep_used_json_schemas(|it, id| it.read_json_schema(id));
    }

    /// Breaks cycles of schemas that apply each other to the same value.
    ///
    /// JSON Schema leaves their meaning open. Each reference on a cycle accepts every value, so the result does not
    /// depend on the starting point.
    pub fn break_in_place_cycles(&mut self) {
        let drafts = &mut self.json_schemas.drafts;
        let edges = graph::edges(drafts.iter_mut(), |draft, targets| {
            in_place(&mut draft.schema, &mut |keyword| targets.extend(target(keyword).map(|id| id.0)));
        });
        let found = graph::components(&edges);
        let mut broken = Vec::new();
        for (index, draft) in drafts.iter_mut().enumerate() {
            let mut is_broken = false;
            in_place(&mut draft.schema, &mut |keyword| {
                if target(keyword).is_some_and(|target| graph::on_cycle(&found, index, target.0)) {
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

    /// Removes the schemas that no row refers to.
    ///
    /// Calls `read` for each of the others before it follows the references in it. A schema can be read only once,
    /// because it gets another id here.
    pub fn keep_used_json_schemas(&mut self, read: fn(&mut Self, JsonSchemaId)) {
        let mut found: Vec<JsonSchemaId> = self.types.iter().filter_map(|draft| draft.also).collect();
        self.every_schema(&mut |schema| found.extend(schema.also));
        let mut used = HashSet::new();
        while let Some(id) = found.pop() {
            if used.insert(id) {
                read(self, id);
                if let Some(draft) = self.json_schemas.drafts.get(id.0) {
                    draft.schema.visit(&mut |keyword| found.extend(target(keyword)));
                }
            }
        }
        self.keep_json_schemas(&used);
    }

    /// Removes all other schemas.
    fn keep_json_schemas(&mut self, used: &HashSet<JsonSchemaId>) {
        let all = 0..self.json_schemas.drafts.len();
        let ids = renumbered(all.map(|index| used.contains(&JsonSchemaId(index))));
        let new = |id: JsonSchemaId| ids.get(id.0).copied().map_or(id, JsonSchemaId);
        self.every_schema(&mut |schema| schema.also = schema.also.map(new));
        self.types.iter_mut().for_each(|draft| draft.also = draft.also.map(new));
        let mut index = 0;
        self.json_schemas.drafts.retain(|_| {
            index += 1;
            used.contains(&JsonSchemaId(index - 1))
        });
        for draft in &mut self.json_schemas.drafts {
            draft.schema.visit_mut(&mut |keyword| {
                if let Keyword::Ref(id) = keyword {
                    *id = new(*id);
                }
            });
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

const fn target(keyword: &Keyword) -> Option<JsonSchemaId> {
    match keyword {
        Keyword::Ref(id) => Some(*id),
        _ => None,
    }
}
