//! Writes a document that consists of several files as one.

use serde_json::{Map, Value as Json};

use super::{
    Document,
    links::{Role, SECTIONS},
};
use crate::tree::{Node, Value};

/// The maximum nesting of parts of other files that are written in place of references.
const MAX_PARTS: usize = 16;

impl Document {
    /// Returns the document as one value.
    ///
    /// Components that other files contain become components of the document. What can't be a component is written in
    /// the position of each reference to it.
    pub(crate) fn bundle(&self) -> Json {
        let mut root = self.bundled(self.root(), Role::Other, 0);
        let Some(fields) = root.as_object_mut() else { return root };
        let adopted = SECTIONS.into_iter().flat_map(|(_, section)| {
            self.links
                .of(section)
                .filter_map(move |(name, target)| Some((section, name, self.target(target)?)))
        });
        for (section, name, node) in adopted {
            let components = fields.entry("components").or_insert_with(|| Json::Object(Map::new()));
            let Some(components) = components.as_object_mut() else { continue };
            let entries = components.entry(section).or_insert_with(|| Json::Object(Map::new()));
            if let Some(entries) = entries.as_object_mut() {
                entries.insert(name.to_owned(), self.bundled(node, Role::of_section(section), 0));
            }
        }
        root
    }

    fn bundled(&self, node: &Node, role: Role, parts: usize) -> Json {
        if let Some(text) = node.get("$ref").and_then(Node::as_str).filter(|text| !text.starts_with('#'))
            && parts < MAX_PARTS
            && let Ok(target) = self.lookup(text)
        {
            return self.bundled(target, role, parts + 1);
        }
        match node.value() {
            Value::Array(items) => items.iter().map(|item| self.bundled(item, role.item(), parts)).collect(),
            Value::Object(_) => {
                let mut fields = Map::new();
                for (name, field) in node.entries() {
                    fields.entry(name).or_insert_with(|| match role.field(name) {
                        Some(role) => self.bundled(field, role, parts),
                        None => field.to_json(),
                    });
                }
                fields.into()
            }
            _ => node.to_json(),
        }
    }
}
