//! The fields of the document's root.

use std::collections::BTreeSet;

use crate::{
    diagnostics::Code,
    ir::{Api, SecurityScheme, SharedErrors},
    lower::operation::state::Operations,
    tree::NodeRef,
};

impl Operations<'_, '_> {
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
        self.check_servers(root);
        self.check_tags();
    }

    /// Returns the API without its types.
    pub fn api(&mut self) -> Api {
        let shared = self.shared_responses();
        let webhooks = self.webhooks(&shared);
        let schemes = self.security_schemes();
        let (mut operations, uses) = self.operations(&schemes, &shared);
        let shared_errors = self.shared_errors(&shared, &mut operations, &uses);
        Api { operations, webhooks, ..self.head(schemes, shared_errors) }
    }

    /// Returns the API without its operations, webhooks and types.
    fn head(&mut self, security_schemes: Vec<SecurityScheme>, shared_errors: Option<SharedErrors>) -> Api {
        let root = self.document.root();
        let info = root.get("info");
        let text = |name: &str| info.and_then(|info| info.get(name)).map(plain_text);
        let description = text("description").filter(|text| !text.trim().is_empty());
        Api {
            title: text("title").unwrap_or_default(),
            version: text("version").unwrap_or_default(),
            description,
            server_url: self.server_url(),
            named_servers: self.named_servers(&security_schemes),
            tags: self.tags.list.clone(),
            types: Vec::new(),
            foreign_types: self.options.types.values().cloned().collect(),
            derives: Vec::new(),
            patterns: Vec::new(),
            json_schemas: Vec::new(),
            formats: BTreeSet::new(),
            operations: Vec::new(),
            webhooks: Vec::new(),
            security_schemes,
            shared_errors,
            rejections: self.rejections(),
        }
    }
}

/// Returns a scalar as text, because `version: 1.0` is a number in YAML.
pub(super) fn plain_text(node: NodeRef<'_>) -> String {
    node.as_written().unwrap_or_else(|| node.to_json().to_string())
}
