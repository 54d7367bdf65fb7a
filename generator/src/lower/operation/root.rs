//! The fields of the document's root, and its tags.

use std::collections::{BTreeSet, HashMap};

use crate::{
    diagnostics::Code,
    document::Version,
    ir::Api,
    lower::operation::state::Operations,
    tree::{Node, NodeRef},
};

impl<'d> Operations<'d, '_> {
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
        self.check_fields(root, "a document", KNOWN);
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
        if root.get("paths").is_none() && self.document.version() == Version::V3_0 {
            self.error(Code::MissingField, root, "missing field `paths`");
        }
        if let Some(components) = root.get("components").filter(|node| !node.is_object() && !node.is_null()) {
            self.wrong_type(components, "`components`", "an object");
        }
        self.check_servers(root);
        self.check_tags();
    }

    /// Reports mistakes in the document's `tags`.
    pub fn check_tags(&mut self) {
        const KNOWN: &[&str] = &["name", "summary", "description", "externalDocs", "parent", "kind"];
        let root = self.document.root();
        let tags = self.list(root, "tags");
        let mut declared: HashMap<&str, NodeRef<'d>> = HashMap::new();
        for tag in tags {
            if self.object(tag, "a tag").is_none() {
                continue;
            }
            if tag.get("name").is_none_or(Node::is_null) {
                self.error(Code::MissingField, tag, "a tag needs a `name`");
            }
            for field in ["summary", "description", "parent", "kind"] {
                self.text(tag, field);
            }
            self.check_fields(tag, "a tag", KNOWN);
            let Some(name) = self.text(tag, "name") else { continue };
            let first = *declared.entry(name).or_insert(tag);
            if !std::ptr::eq(first, tag) {
                self.error(Code::BadTag, tag, format!("duplicate tag `{name}`"))
                    .label(first, "first declared here");
            }
        }
        for tag in tags {
            self.check_parents(tag, &declared);
        }
    }

    /// Reports a `parent` that is not declared, or whose own parents lead back to the tag.
    fn check_parents(&mut self, tag: NodeRef<'d>, declared: &HashMap<&str, NodeRef<'d>>) {
        let parent = |tag: NodeRef<'d>| tag.get("parent").and_then(|node| Some((node, node.as_str()?)));
        let Some((at, name)) = parent(tag) else { return };
        let Some(mut above) = declared.get(name).copied() else {
            self.error(Code::BadTag, at, format!("unknown parent `{name}`: no tag has this name"));
            return;
        };
        for _ in 0..declared.len() {
            if std::ptr::eq(above, tag) {
                self.error(Code::BadTag, at, "the parents of this tag lead back to it");
                return;
            }
            let Some(next) = parent(above).and_then(|(_, name)| declared.get(name)) else { return };
            above = next;
        }
    }

    /// Returns the API without its types.
    pub fn api(&mut self) -> Api {
        self.read_shared_responses();
        let webhooks = self.webhooks();
        self.read_security_schemes();
        let (mut operations, uses) = self.operations();
        let shared_errors = self.shared_errors(&mut operations, &uses);
        let root = self.document.root();
        let info = root.get("info");
        let text = |name: &str| info.and_then(|info| info.get(name)).map(plain_text);
        let description = text("description").filter(|text| !text.trim().is_empty());
        Api {
            title: text("title").unwrap_or_default(),
            version: text("version").unwrap_or_default(),
            description,
            server_url: self.server_url(),
            named_servers: self.named_servers(),
            tags: self.tags.list.clone(),
            types: Vec::new(),
            foreign_types: self.options.types.values().cloned().collect(),
            derives: Vec::new(),
            patterns: Vec::new(),
            json_schemas: Vec::new(),
            formats: BTreeSet::new(),
            operations,
            webhooks,
            security_schemes: std::mem::take(&mut self.schemes),
            shared_errors,
            rejections: self.rejections(),
        }
    }
}

/// Returns a scalar as text, because `version: 1.0` is a number in YAML.
pub(super) fn plain_text(node: NodeRef<'_>) -> String {
    node.as_written().unwrap_or_else(|| node.to_json().to_string())
}
