//! Checks each `x-permanent` against the type of its response.

use crate::{
    diagnostics::{Code, nearest},
    ir::{Schema, Type},
    lower::{finish::state::Finish, operation::notes::Permanent},
};

impl Finish<'_, '_> {
    /// Reports extensions that do not name a boolean property of the response's body.
    pub fn check_permanents(&mut self) {
        for Permanent { node, property, bodies } in std::mem::take(&mut self.operation_notes.permanents) {
            let booleans: Vec<&str> = bodies.iter().flat_map(|body| self.booleans(body)).collect();
            if !booleans.contains(&property) {
                let message = format!("the response's JSON body has no boolean property `{property}`");
                let near = nearest(property, booleans).map(str::to_owned);
                self.error(Code::BadExtension, node, message)
                    .near("a property with a similar name", near.as_deref());
            }
        }
    }

    /// Returns the names of the boolean properties of a body.
    fn booleans(&self, body: &Schema) -> Vec<&str> {
        let Some(body) = self.types.struct_of(&self.types.unaliased(body).ty) else { return Vec::new() };
        let fields = body.fields.iter();
        let booleans = fields.filter(|field| self.types.unaliased(&field.schema).ty == Type::Boolean);
        booleans.map(|field| field.wire.as_str()).collect()
    }
}
