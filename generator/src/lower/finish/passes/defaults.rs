//! Defaults of fields, which are checked against the types of the fields.

use crate::{
    diagnostics::Code,
    ir::{Literal, Type},
    lower::{finish::state::Finish, schema::notes::Default},
    names,
};

/// The maximum number of aliases between a default and its type.
const MAX_ALIASES: usize = 32;

impl Finish<'_, '_> {
    /// Adds the defaults to their fields, and reports defaults that do not match their schemas.
    pub fn settle_defaults(&mut self) {
        for Default { id, field, node } in std::mem::take(&mut self.schema_notes.defaults) {
            let optional = self.types.struct_mut(id).and_then(|def| def.fields.get(field));
            let Some(schema) = optional.filter(|field| !field.required).map(|field| field.schema.clone())
            else {
                continue;
            };
            if node.is_null() {
                if !schema.nullable && schema.ty != Type::Any {
                    self.warn(Code::BadDefault, node, "the default is null, but the schema is not nullable");
                }
                continue;
            }
            let is_allowed =
                |literal: &Literal| schema.allowed.is_empty() || schema.allowed.contains(literal);
            let fitting = self.types.fit(node, &schema.ty, MAX_ALIASES).filter(is_allowed);
            let text = || self.types.fit_text(node, &schema.ty, MAX_ALIASES).filter(is_allowed);
            let converted = if fitting.is_none() { text() } else { None };
            if converted.is_some() {
                let message = "the default does not have the schema's `type`; it is converted to that type";
                self.warn(Code::BadDefault, node, message);
            }
            let Some(literal) = fitting.or(converted) else {
                self.warn(Code::BadDefault, node, "the default does not match its schema, so it is left out");
                continue;
            };
            let accessor = !schema.nullable;
            if let Some(field) = self.types.struct_mut(id).and_then(|def| def.fields.get_mut(field)) {
                field.default_accessor = accessor.then(|| names::suffixed(&field.ident, "_or_default"));
                field.default = Some(literal);
            }
        }
    }
}
