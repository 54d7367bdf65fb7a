//! `x-rejections`: how servers reject requests.

use crate::{
    diagnostics::{Code, nearest},
    document::media,
    ir::{RejectionKind, Rejections},
    lower::operation::state::Operations,
    tree::NodeRef,
};

/// The keys of `reasons` in addition to [`VIOLATION_CODES`]: a string that must not be empty, and all other codes.
const OTHER_REASONS: [&str; 2] = ["empty", "default"];

/// The fields of the extension.
const FIELDS: &[&str] = &["content-type", "message-field", "problem-fields", "kinds", "reasons"];

/// The fields of a kind of rejections.
const KIND_FIELDS: &[&str] = &[
    "status",
    "message",
    "content-type",
    "violations-field",
    "name-field",
    "reason-field",
    "location-field",
    "code-field",
];

/// The codes of violations. The runtime declares the same (`validation::Code`), which a test compares.
pub const VIOLATION_CODES: &[&str] = &[
    "missing",
    "unknown",
    "duplicate",
    "wrong-type",
    "null",
    "not-integer",
    "out-of-range",
    "minimum",
    "exclusive-minimum",
    "maximum",
    "exclusive-maximum",
    "multiple-of",
    "min-length",
    "max-length",
    "pattern",
    "pattern-limit",
    "format",
    "not-allowed",
    "forbidden",
    "min-items",
    "max-items",
    "unique-items",
    "contains",
    "min-properties",
    "max-properties",
    "no-variant",
    "ambiguous",
    "cross-field",
    "repeated",
    "malformed",
    "too-many",
    "too-complex",
    "other",
];

impl<'d> Operations<'d, '_> {
    pub fn rejections(&mut self) -> Option<Rejections> {
        let node = self.document.root().get("x-rejections")?;
        let node = self.object(node, "`x-rejections`")?;
        self.check_extension(node, "`x-rejections`", FIELDS);
        let mut rejections = Rejections::default();
        for (name, value) in node.entries() {
            match name {
                "content-type" => rejections.content_type = self.media_type(value),
                "message-field" => rejections.message_field = self.extension_text(value),
                "problem-fields" => rejections.problem_fields = value.as_bool(),
                "kinds" => {
                    for (kind, value) in value.entries() {
                        if !RejectionKind::NAMES.contains(&kind) {
                            let message = format!(
                                "unknown rejection kind `{kind}`; known kinds: `{}`",
                                RejectionKind::NAMES.join("`, `")
                            );
                            let near = nearest(kind, RejectionKind::NAMES.iter().copied());
                            self.error(Code::BadExtension, value, message)
                                .near("a kind with a similar name", near);
                            continue;
                        }
                        let kind = (kind.to_owned(), self.rejection_kind(value));
                        rejections.kinds.push(kind);
                    }
                }
                "reasons" => {
                    for (code, value) in value.entries() {
                        let known = || VIOLATION_CODES.iter().chain(&OTHER_REASONS).copied();
                        if !known().any(|name| name == code) {
                            let message = format!("unknown violation code `{code}` in `reasons`");
                            let near = nearest(code, known());
                            self.error(Code::BadExtension, value, message).near("a similar code", near);
                            continue;
                        }
                        if let Some(template) = self.extension_text(value) {
                            rejections.reasons.push((code.to_owned(), template));
                        }
                    }
                }
                _ => {}
            }
        }
        Some(rejections)
    }

    fn rejection_kind(&mut self, node: NodeRef<'d>) -> RejectionKind {
        let mut kind = RejectionKind::default();
        if !node.is_object() {
            self.error(Code::BadExtension, node, "a rejection kind must be an object");
        }
        self.check_extension(node, "a rejection kind", KIND_FIELDS);
        for (name, value) in node.entries() {
            match name {
                "status" => {
                    let code = value.as_u64().and_then(|code| u16::try_from(code).ok());
                    let message = "the status of a rejection must be from 400 to 599";
                    kind.status = self.found(code.filter(|code| (400..600).contains(code)), value, message);
                }
                "message" => kind.message = self.extension_text(value),
                "content-type" => kind.content_type = self.media_type(value),
                "violations-field" => kind.violations_field = self.extension_text(value),
                "name-field" => kind.name_field = self.extension_text(value),
                "reason-field" => kind.reason_field = self.extension_text(value),
                "location-field" => kind.location_field = self.extension_text(value),
                "code-field" => kind.code_field = self.extension_text(value),
                _ => {}
            }
        }
        kind
    }

    /// Reads the media type of rejections, which is sent unchanged.
    fn media_type(&mut self, node: NodeRef<'d>) -> Option<String> {
        let text = self.extension_text(node)?;
        let message = format!("invalid media type `{text}`; use one such as `application/problem+json`");
        self.found(Some(text).filter(|text| media::is_media_type(text)), node, message)
    }

    fn extension_text(&mut self, node: NodeRef<'d>) -> Option<String> {
        let message = format!("the value must be a string, not {}", node.kind_name());
        self.found(node.as_str().map(str::to_owned), node, message)
    }
}
