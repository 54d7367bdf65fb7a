//! The formats that the tables check. Some need a feature of the runtime.

use std::collections::BTreeSet;

use crate::{
    ir::{Keyword, Schema, Type},
    lower::finish::state::Finish,
};

impl Finish<'_, '_> {
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
