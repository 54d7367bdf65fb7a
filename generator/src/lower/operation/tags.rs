//! The tags that the document declares.

use std::collections::HashMap;

use crate::{
    diagnostics::Code,
    lower::operation::state::Operations,
    tree::{Node, NodeRef},
};

impl<'d> Operations<'d, '_> {
    /// Reports mistakes in the document's `tags`.
    pub fn check_tags(&mut self) {
        const KNOWN: &[&str] = &["name", "summary", "description", "externalDocs", "parent", "kind"];
        let Some(tags) = self.document.root().get("tags") else { return };
        if !tags.is_array() && !tags.is_null() {
            self.wrong_type(tags, "`tags`", "an array");
        }
        let mut declared: HashMap<&str, NodeRef<'d>> = HashMap::new();
        for tag in tags.items() {
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
        for tag in tags.items() {
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
}
