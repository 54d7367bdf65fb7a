//! The formats that the tables check. Some need a feature of the runtime.

use std::collections::BTreeSet;

use crate::{
    ir::{Keyword, Schema, Type},
    lower::finish::{state::Finish, walk},
};

impl Finish<'_, '_> {
    /// Collects the formats that the rows of types and operations check.
    pub fn settle_formats(&mut self) {
        let mut formats = BTreeSet::new();
        let mut visit = |schema: &Schema| {
            walk::nested(schema, &mut |schema| {
                if let Type::Text(rules) = &schema.ty {
                    formats.extend(rules.checked_format());
                }
            });
        };
        self.api.types.iter().for_each(|def| walk::schemas(&def.kind, &mut visit));
        for operation in &self.api.operations {
            walk::requests(operation, &mut visit);
            walk::answers(operation, &mut visit);
        }
        let shared = self.api.shared_errors.iter().flat_map(|shared| &shared.rows);
        shared.for_each(|row| walk::response(row, &mut visit));
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
