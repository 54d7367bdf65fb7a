//! Needs: the modules that each module refers to, and the formats, some of which need a feature of the runtime.

use std::collections::BTreeSet;

use crate::{
    ir::{JsonSchemaId, Keyword, Module, PatternId, Schema, TagId, Type},
    lower::{finish::state::Finish, position::SchemaPosition},
};

impl Finish<'_, '_> {
    /// Finds the modules whose types and patterns each module refers to.
    pub fn settle_needs(&mut self) {
        let mut needs = vec![BTreeSet::new(); self.api.tags.len()];
        let mut need = |from: Module, position: Option<&SchemaPosition<'_>>| {
            if let (Module::Tag(tag), Some(Module::Tag(other))) =
                (from, position.map(|position| position.module))
                && other != tag
                && let Some(needs) = needs.get_mut(tag.0)
            {
                needs.insert(other);
            }
        };
        let pattern = |id: PatternId| self.patterns.get(id.0).map(|draft| &draft.position);
        let json_schema = |id: JsonSchemaId| self.json_schemas.drafts.get(id.0).map(|draft| &draft.position);
        for draft in &self.json_schemas.drafts {
            let from = draft.position.module;
            draft.schema.visit(&mut |keyword| match keyword {
                Keyword::Ref(id) => need(from, json_schema(*id)),
                Keyword::Pattern(id) => need(from, pattern(*id)),
                Keyword::Properties { patterns, .. } => {
                    patterns.iter().for_each(|(id, _)| need(from, pattern(*id)));
                }
                _ => {}
            });
        }
        let mut note = |from: Module, schema: &Schema| {
            schema.visit(&mut |schema| {
                need(from, schema.also.and_then(json_schema));
                if let Type::Named { id, .. } = schema.ty {
                    need(from, self.types.get(id.0).map(|draft| &draft.position));
                }
                schema.patterns(&mut |id| need(from, pattern(*id)));
            });
        };
        for draft in self.types.iter() {
            draft.schemas(&mut |schema| note(draft.position.module, schema));
        }
        for operation in &self.api.operations {
            let home = Module::Tag(operation.tag);
            operation.request_schemas(&mut |schema| note(home, schema));
            operation.response_schemas(&mut |schema| note(home, schema));
            operation.callback_schemas(&mut |schema| note(home, schema));
        }
        for (tag, needs) in self.api.tags.iter_mut().zip(needs) {
            tag.needs = needs.into_iter().collect::<Vec<TagId>>();
        }
    }

    /// Collects the formats that the rows of types and operations check.
    pub fn settle_formats(&mut self) {
        let mut formats = BTreeSet::new();
        let mut visit = |schema: &Schema| {
            schema.visit(&mut |schema| {
                if let Type::Text(rules) = &schema.ty {
                    formats.extend(rules.checked_format());
                }
            });
        };
        self.api.types.iter().for_each(|def| def.kind.schemas(&mut visit));
        for operation in &self.api.operations {
            operation.request_schemas(&mut visit);
            operation.response_schemas(&mut visit);
        }
        self.api.shared_schemas(&mut visit);
        for def in &self.api.json_schemas {
            def.schema.visit(&mut |keyword| {
                if let Keyword::Format(format) = keyword {
                    formats.insert(*format);
                }
            });
        }
        self.api.formats = formats;
    }
}
