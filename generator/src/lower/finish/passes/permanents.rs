//! Checks each `x-permanent` against the type of its response.

use crate::{
    diagnostics::Code,
    ir::{Field, Kind, Schema, Type},
    lower::{context::Reporting, finish::state::Finish, operation::notes::Permanent},
};

impl Finish<'_, '_> {
    /// Reports extensions that do not name a boolean property of the response's body.
    pub fn check_permanents(&mut self) {
        for Permanent { node, property, bodies } in std::mem::take(&mut self.operation_notes.permanents) {
            let is_present = |body: &Schema| self.has_boolean(body, property);
            if !bodies.iter().any(is_present) {
                let message = format!("the response's JSON body has no boolean property `{property}`");
                self.error(Code::BadExtension, node, message);
            }
        }
    }

    fn has_boolean(&self, body: &Schema, property: &str) -> bool {
        let Type::Named { id, .. } = self.types.unaliased(body).ty else { return false };
        let Some(Kind::Struct(body)) = self.types.kind(id) else { return false };
        let is_boolean = |field: &Field| self.types.unaliased(&field.schema).ty == Type::Boolean;
        body.fields.iter().find(|field| field.wire == property).is_some_and(is_boolean)
    }
}
