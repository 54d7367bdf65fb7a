//! `x-rejections`, and the other fields of the document's root.

use super::{Lowering, media};
use crate::{
    diagnostics::{Code, nearest},
    document::Node,
    ir::{Api, RejectionKind, Rejections, SecurityScheme, SharedErrors},
};

/// The kinds of rejections, which the runtime has as well.
const KINDS: &[&str] = &[
    "no-route",
    "method-not-allowed",
    "missing-credentials",
    "invalid-credentials",
    "forbidden",
    "too-many-requests",
    "unavailable",
    "unsupported-media-type",
    "payload-too-large",
    "malformed-body",
    "invalid",
    "not-implemented",
    "internal",
];

/// The keys of `reasons` beside [`VIOLATION_CODES`]: a string that must not be empty, and all other codes.
const OTHER_REASONS: [&str; 2] = ["empty", "default"];

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
    "min-items",
    "max-items",
    "unique-items",
    "min-properties",
    "max-properties",
    "no-variant",
    "cross-field",
    "repeated",
    "malformed",
    "too-many",
    "other",
];

impl<'d> Lowering<'d, '_> {
    /// Reports errors in the root of the document.
    pub fn check_root(&mut self) {
        const KNOWN: &[&str] = &[
            "openapi",
            "info",
            "servers",
            "paths",
            "components",
            "security",
            "tags",
            "externalDocs",
            "webhooks",
            "jsonSchemaDialect",
            "$self",
        ];
        let root = self.document.root();
        for (name, node) in root.entries() {
            if !KNOWN.contains(&name) {
                self.unknown_field(node, "a document", name, KNOWN);
            }
        }
        match root.get("info") {
            None => _ = self.error(Code::MissingField, root, "missing field `info`"),
            Some(info) if !info.is_object() => self.wrong_type(info, "`info`", "an object"),
            Some(info) => {
                for field in ["title", "version"] {
                    if info.get(field).is_none() {
                        self.error(Code::MissingField, info, format!("missing field `{field}` in `info`"));
                    }
                }
            }
        }
        if root.get("paths").is_none() && self.document.version() == crate::document::Version::V3_0 {
            self.error(Code::MissingField, root, "missing field `paths`");
        }
        if let Some(components) = root.get("components").filter(|node| !node.is_object() && !node.is_null()) {
            self.wrong_type(components, "`components`", "an object");
        }
        self.check_tags();
    }

    /// Returns the API without its operations and types.
    pub fn api(&mut self, security_schemes: Vec<SecurityScheme>, shared_errors: Option<SharedErrors>) -> Api {
        let root = self.document.root();
        let info = root.get("info");
        let text = |name: &str| info.and_then(|info| info.get(name)).map(plain_text);
        let description = text("description").filter(|text| !text.trim().is_empty());
        Api {
            title: text("title").unwrap_or_default(),
            version: text("version").unwrap_or_default(),
            description,
            server_url: self.server_url(),
            families: self.families.list.clone(),
            types: Vec::new(),
            foreign_types: self.options.types.values().cloned().collect(),
            derives: Vec::new(),
            patterns: Vec::new(),
            operations: Vec::new(),
            security_schemes,
            shared_errors,
            rejections: self.rejections(),
        }
    }

    /// Returns the first server's URL with the defaults of its variables.
    fn server_url(&mut self) -> Option<String> {
        let server = self.document.root().get("servers")?.items().first()?;
        let mut url = self.text(server, "url")?.to_owned();
        for (name, variable) in server.get("variables").into_iter().flat_map(Node::entries) {
            let Some(default) = variable.get("default") else {
                self.error(Code::MissingField, variable, "missing field `default` in server variable");
                continue;
            };
            url = url.replace(&format!("{{{name}}}"), &plain_text(default));
        }
        Some(url)
    }

    fn rejections(&mut self) -> Option<Rejections> {
        let node = self.document.root().get("x-rejections")?;
        let node = self.object(node, "`x-rejections`")?;
        let mut rejections = Rejections::default();
        for (name, value) in node.entries() {
            match name {
                "content-type" => rejections.content_type = self.media_type(value),
                "message-field" => rejections.message_field = self.extension_text(value),
                "problem-fields" => rejections.problem_fields = value.as_bool(),
                "kinds" => {
                    for (kind, value) in value.entries() {
                        if !KINDS.contains(&kind) {
                            let message = format!(
                                "unknown rejection kind `{kind}`; known kinds: `{}`",
                                KINDS.join("`, `")
                            );
                            self.error(Code::BadExtension, value, message);
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
                            let error = self.error(Code::BadExtension, value, message);
                            if let (Some(error), Some(near)) = (error, nearest(code, known())) {
                                error.help(format!("a similar code exists: `{near}`"));
                            }
                            continue;
                        }
                        if let Some(template) = self.extension_text(value) {
                            rejections.reasons.push((code.to_owned(), template));
                        }
                    }
                }
                _ => {
                    _ = self.error(
                        Code::BadExtension,
                        value,
                        format!("unknown field `{name}` in `x-rejections`"),
                    )
                }
            }
        }
        Some(rejections)
    }

    fn rejection_kind(&mut self, node: &'d Node) -> RejectionKind {
        let mut kind = RejectionKind::default();
        if !node.is_object() {
            self.error(Code::BadExtension, node, "a rejection kind must be an object");
        }
        for (name, value) in node.entries() {
            match name {
                "status" => {
                    kind.status = value
                        .as_u64()
                        .and_then(|code| u16::try_from(code).ok())
                        .filter(|code| (400..600).contains(code));
                    if kind.status.is_none() {
                        self.error(
                            Code::BadExtension,
                            value,
                            "the status of a rejection must be from 400 to 599",
                        );
                    }
                }
                "message" => kind.message = self.extension_text(value),
                "content-type" => kind.content_type = self.media_type(value),
                "violations-field" => kind.violations_field = self.extension_text(value),
                "name-field" => kind.name_field = self.extension_text(value),
                "reason-field" => kind.reason_field = self.extension_text(value),
                "location-field" => kind.location_field = self.extension_text(value),
                "code-field" => kind.code_field = self.extension_text(value),
                _ => {
                    _ = self.error(
                        Code::BadExtension,
                        value,
                        format!("unknown field `{name}` in a rejection kind"),
                    )
                }
            }
        }
        kind
    }

    /// Reads the media type of rejections, which is sent unchanged.
    fn media_type(&mut self, node: &'d Node) -> Option<String> {
        let text = self.extension_text(node)?;
        if media::is_media_type(&text) {
            return Some(text);
        }
        let message = format!("invalid media type `{text}`; use one such as `application/problem+json`");
        self.error(Code::BadExtension, node, message);
        None
    }

    fn extension_text(&mut self, node: &'d Node) -> Option<String> {
        if node.as_str().is_none() {
            let message = format!("the value must be a string, not {}", node.kind_name());
            self.error(Code::BadExtension, node, message);
        }
        node.as_str().map(str::to_owned)
    }
}

/// Returns a scalar as text, because `version: 1.0` is a number in YAML.
fn plain_text(node: &Node) -> String {
    node.as_str().map_or_else(|| node.to_json().to_string(), str::to_owned)
}
