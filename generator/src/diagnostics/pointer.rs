//! Where nodes are in the structure of a document: their JSON pointers and operations.
//!
//! A document of one line has no other useful location, and one that was built in memory has none at all.

use crate::document::{Node, NodeId, NodeRef, operations_of};

/// The way from the root of a document to a node.
pub(super) struct Way<'d>(Vec<(String, NodeRef<'d>)>);

impl<'d> Way<'d> {
    /// Returns the way to the node with this id, or `None` if it is not below this root.
    pub(super) fn to(root: NodeRef<'d>, id: NodeId) -> Option<Self> {
        let mut steps = Vec::new();
        let mut node = root;
        while node.id() != id {
            let (place, inner) = node.toward(id)?;
            let name = node.entries().nth(place).map(|(name, _)| name.to_owned());
            steps.push((name.unwrap_or_else(|| place.to_string()), inner));
            node = inner;
        }
        Some(Self(steps))
    }

    /// Returns the JSON pointer: `/paths/~1pets/get`.
    pub(super) fn pointer(&self) -> String {
        let escaped = self.0.iter().map(|(name, _)| name.replace('~', "~0").replace('/', "~1"));
        escaped.fold(String::new(), |pointer, name| pointer + "/" + &name)
    }

    /// Returns the operation on the way: `listPets (GET /pets)`, or `GET /pets` if it has no id.
    pub(super) fn operation(&self) -> Option<String> {
        let [(outer, _), (path, item), inside @ ..] = self.0.as_slice() else { return None };
        if !matches!(outer.as_str(), "paths" | "webhooks") {
            return None;
        }
        let is_inside = |node: &Node| inside.iter().any(|(_, inner)| inner.id() == node.id());
        let (method, node) = operations_of(item).find(|(_, node)| is_inside(node))?;
        Some(match node.get("operationId").and_then(Node::as_str) {
            Some(id) => format!("{id} ({method} {path})"),
            None => format!("{method} {path}"),
        })
    }
}
