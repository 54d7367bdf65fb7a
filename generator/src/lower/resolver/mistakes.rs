//! Errors in single keywords.

use crate::{
    diagnostics::Code,
    lower::{
        context::Reporting,
        resolver::{
            keywords::{KNOWN, Keywords, Mistake},
            state::Resolver,
        },
    },
};

impl<'d> Resolver<'d, '_> {
    /// Reports the errors in single keywords.
    pub fn report_mistakes(&mut self, keywords: &mut Keywords<'d>) {
        for mistake in std::mem::take(&mut keywords.mistakes) {
            match mistake {
                Mistake::Type(node, name, expected) => self.wrong_type(node, &format!("`{name}`"), expected),
                Mistake::Kind(node) => {
                    let found =
                        node.as_str().map_or_else(|| node.kind_name().to_owned(), |text| format!("`{text}`"));
                    let expected = "`boolean`, `integer`, `number`, `string`, `array` or `object`";
                    self.error(Code::WrongType, node, format!("`type` must be {expected}, not {found}"));
                }
                Mistake::Unsupported(node, name) => {
                    self.warn(
                        Code::Unsupported,
                        node,
                        format!("unsupported keyword `{name}`, which is not checked"),
                    );
                }
                Mistake::Misplaced(node, name, place) => {
                    let message = format!("`{name}` has no effect here; it belongs in {place}");
                    self.warn(Code::BadExtension, node, message);
                }
                Mistake::Unknown(node, name) => {
                    self.unknown_field(node, "a schema", name, KNOWN);
                }
                Mistake::BooleanRequired(node) => {
                    let message = "`required` must be a list of property names; a boolean has no effect";
                    self.warn(Code::WrongType, node, message);
                }
            }
        }
    }
}
