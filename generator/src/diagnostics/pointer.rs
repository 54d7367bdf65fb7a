//! The JSON pointers of nodes, for documents that have no text and therefore no lines.

use crate::document::{Node, NodeId};

/// Returns the JSON pointer of the node with this id.
pub(super) fn pointer(root: &Node, id: NodeId) -> String {
    let mut pointer = String::new();
    let mut node = root;
    while node.id() != id
        && let Some((place, inner)) = node.toward(id)
    {
        let name = node.entries().nth(place).map(|(name, _)| name.replace('~', "~0").replace('/', "~1"));
        pointer.push('/');
        pointer.push_str(&name.unwrap_or_else(|| place.to_string()));
        node = inner;
    }
    pointer
}
