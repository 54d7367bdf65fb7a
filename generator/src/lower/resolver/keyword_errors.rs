//! Errors in single keywords.

use crate::{
    diagnostics::Code,
    lower::resolver::{
        keywords::{KNOWN, KeywordError, Keywords},
        state::Resolver,
    },
};

impl<'d> Resolver<'d, '_> {
    /// Reports the errors in single keywords.
    pub fn report_keyword_errors(&mut self, keywords: &mut Keywords<'d>) {
        for error in std::mem::take(&mut keywords.errors) {
            match error {
                KeywordError::Type(node, name, expected) => {
                    self.wrong_type(node, &format!("`{name}`"), expected)
                }
                KeywordError::Word(node, name, expected) => {
                    let found =
                        node.as_str().map_or_else(|| node.kind_name().to_owned(), |text| format!("`{text}`"));
                    self.error(Code::WrongType, node, format!("`{name}` must be {expected}, not {found}"));
                }
                KeywordError::Unsupported(node, name) => {
                    self.warn(
                        Code::Unsupported,
                        node,
                        format!("unsupported keyword `{name}`, which is not checked"),
                    );
                }
                KeywordError::Misplaced(node, name, position) => {
                    let message = format!("`{name}` has no effect here; it belongs in {position}");
                    self.warn(Code::BadExtension, node, message);
                }
                KeywordError::Unknown(node, name) => {
                    self.unknown_field(node, "a schema", name, KNOWN);
                }
                KeywordError::BooleanRequired(node) => {
                    let message = "`required` must be a list of property names; a boolean has no effect";
                    self.warn(Code::WrongType, node, message);
                }
            }
        }
    }
}
