//! Errors in single keywords.

use crate::{
    diagnostics::Code,
    lower::{
        context::Reporting,
        resolver::{
            keywords::{Fault, KNOWN, Keywords},
            state::Resolver,
        },
    },
};

impl<'d> Resolver<'d, '_> {
    /// Reports the errors in single keywords.
    pub fn say_faults(&mut self, keywords: &mut Keywords<'d>) {
        for fault in std::mem::take(&mut keywords.faults) {
            match fault {
                Fault::Type(node, name, expected) => self.wrong_type(node, &format!("`{name}`"), expected),
                Fault::Kind(node) => {
                    let found =
                        node.as_str().map_or_else(|| node.kind_name().to_owned(), |text| format!("`{text}`"));
                    let expected = "`boolean`, `integer`, `number`, `string`, `array` or `object`";
                    self.error(Code::WrongType, node, format!("`type` must be {expected}, not {found}"));
                }
                Fault::Unsupported(node, name) => {
                    self.warn(
                        Code::Unsupported,
                        node,
                        format!("unsupported keyword `{name}`, which is not checked"),
                    );
                }
                Fault::Misplaced(node, name, place) => {
                    let message = format!("`{name}` has no effect here; it belongs in {place}");
                    self.warn(Code::BadExtension, node, message);
                }
                Fault::Unknown(node, name) => {
                    self.unknown_field(node, "a schema", name, KNOWN);
                }
                Fault::BooleanRequired(node) => {
                    let message = "`required` must be a list of property names; a boolean has no effect";
                    self.warn(Code::WrongType, node, message);
                }
            }
        }
    }
}
