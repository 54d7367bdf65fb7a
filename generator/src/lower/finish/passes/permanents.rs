//! Checks each `x-permanent` against the type of its response.

use crate::{
    diagnostics::Code,
    ir::{Kind, Schema, Type},
    lower::{context::Reporting, finish::state::Finish, operation::notes::Permanent},
};

/// The maximum number of aliases that a schema is resolved through.
const MAX_STEPS: usize = 8;

impl Finish<'_, '_> {
    /// Reports extensions that do not name a boolean property of the response's body.
    pub fn check_permanents(&mut self) {
        for Permanent { node, property, bodies } in std::mem::take(&mut self.operation_notes.permanents) {
            let is_there = |body: &Schema| self.has_boolean(body, property);
            if !bodies.iter().any(is_there) {
                let message = format!("the response's JSON body has no boolean property `{property}`");
                self.error(Code::BadExtension, node, message);
            }
        }
    }

    fn has_boolean(&self, body: &Schema, property: &str) -> bool {
        let Some(Kind::Struct(body)) = self.kind_of(body) else { return false };
        let field = body.fields.iter().find(|field| field.wire == property);
        field.is_some_and(|field| match (&field.schema.ty, self.kind_of(&field.schema)) {
            (Type::Boolean, _) => true,
            (_, Some(Kind::Alias(schema))) => schema.ty == Type::Boolean,
            _ => false,
        })
    }

    /// Returns the kind of a named type, with aliases resolved.
    fn kind_of(&self, schema: &Schema) -> Option<&Kind> {
        let mut ty = &schema.ty;
        let mut kind = None;
        for _ in 0..MAX_STEPS {
            let Type::Named { id, .. } = ty else { break };
            kind = self.types.kind(*id);
            let Some(Kind::Alias(schema)) = kind else { break };
            ty = &schema.ty;
        }
        kind
    }
}
