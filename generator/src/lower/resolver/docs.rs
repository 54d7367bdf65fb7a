//! The documentation of a node: summary, description, deprecation and example.

use crate::{
    ir::{Docs, Origin},
    lower::{context::Context, resolver::parts::Own},
    tree::{Node, NodeRef},
};

impl<'d> Context<'d, '_> {
    /// Returns the documentation of a schema, parameter or operation.
    pub fn docs_of(&self, node: NodeRef<'d>) -> Docs {
        let mut docs = Docs::default();
        self.add_docs(&mut docs, node);
        docs
    }

    /// Returns the documentation of a schema's own parts, without the targets of references.
    pub fn docs_of_parts(&self, owns: &[Own<'d>]) -> Docs {
        let mut docs = Docs::default();
        // The schema's own documentation comes after that of its parts.
        for node in owns.iter().rev().filter(|own| own.direct).filter_map(|own| own.keywords.node) {
            self.add_docs(&mut docs, node);
        }
        docs
    }

    /// Fills in the documentation that is still missing from a node.
    pub fn add_docs(&self, docs: &mut Docs, node: NodeRef<'d>) {
        let text = |name: &str| node.get(name).and_then(Node::as_str).filter(|text| !text.trim().is_empty());
        let summary = text("summary").or_else(|| text("title")).map(str::to_owned);
        docs.summary = docs.summary.take().or(summary);
        docs.description = docs.description.take().or_else(|| text("description").map(str::to_owned));
        docs.deprecated |= node.get("deprecated").and_then(Node::as_bool).unwrap_or_default();
        docs.origin = docs.origin.or(Origin::of(node));
        docs.example = docs.example.take().or_else(|| self.example_of(node).map(Node::to_json));
    }

    /// Returns the `example` of a schema, parameter or media type, or the first of `examples`.
    pub fn example_of(&self, node: NodeRef<'d>) -> Option<NodeRef<'d>> {
        if let Some(example) = node.get("example") {
            return Some(example);
        }
        let examples = node.get("examples")?;
        if let Some(first) = examples.items().first() {
            return Some(first);
        }
        let (_, first) = examples.entries().next()?;
        let first = self.document.resolve(first).ok()?.node;
        first.get("value").or_else(|| first.get("dataValue"))
    }
}
