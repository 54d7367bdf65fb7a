//! The examples that the document contains for an operation.

use serde_json::Value;

use crate::{
    document::Document,
    lower::operation::state::Operations,
    tree::{Node, NodeRef},
};

/// Returns the first media type of a parameter or body.
pub(in crate::lower) fn first_content<'d>(document: &'d Document, node: NodeRef<'d>) -> Option<NodeRef<'d>> {
    let (_, content) = node.get("content")?.entries().next()?;
    Some(document.resolve(content).ok()?.node)
}

impl<'d> Operations<'d, '_> {
    /// Returns the example of a parameter or of its schema.
    pub fn parameter_example(&self, node: NodeRef<'d>) -> Option<Value> {
        let content = || first_content(self.document, node);
        let schema = || node.get("schema").or_else(|| content()?.get("schema"));
        let own = self.example_of(node).or_else(|| self.example_of(content()?));
        own.or_else(|| self.schema_example(schema()?)).map(Node::to_json)
    }

    /// Returns the example of a body's first media type or of its schema.
    pub fn body_example(&self, node: NodeRef<'d>) -> Option<Value> {
        let body = self.document.resolve(node).ok()?.node;
        let content = first_content(self.document, body)?;
        let own = self.example_of(content);
        own.or_else(|| self.schema_example(content.get("schema")?)).map(Node::to_json)
    }

    fn schema_example(&self, node: NodeRef<'d>) -> Option<NodeRef<'d>> {
        let node = self.document.resolve(node).ok()?.node;
        self.example_of(node).or_else(|| node.get("default"))
    }
}
