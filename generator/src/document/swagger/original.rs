//! The original of a rewritten document: where its nodes were.

use crate::document::{Node, NodeId};

/// The main file as it was written, and which of its nodes each node of the rewritten document stands for.
///
/// The ids of the new nodes are above those of the original, so an id says which of the two trees it belongs to.
#[derive(Debug)]
pub(crate) struct Original {
    root: Node,
    /// The id of the first new node.
    first: NodeId,
    /// The old ids of the new nodes, in their order.
    ids: Vec<NodeId>,
}

impl Original {
    /// Numbers the nodes of the new trees from `first`.
    pub(super) fn new(root: Node, first: NodeId, trees: &mut [(usize, Node)]) -> Self {
        let (mut ids, mut next) = (Vec::new(), first);
        for (_, tree) in trees {
            tree.walk_mut(&mut |node| {
                ids.push(node.id);
                node.id = next;
                next = next.next();
            });
        }
        ids.shrink_to_fit();
        Self { root, first, ids }
    }

    /// Returns the main file as it was written.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// Returns the id that a node had in the original.
    pub fn old(&self, id: NodeId) -> NodeId {
        let place = id.0.checked_sub(self.first.0).and_then(|place| usize::try_from(place).ok());
        place.and_then(|place| self.ids.get(place)).copied().unwrap_or(id)
    }

    /// Returns the id of the first new node that stands for a node of the original.
    pub fn new_id(&self, old: NodeId) -> Option<NodeId> {
        let place = self.ids.iter().position(|id| *id == old)?;
        Some(NodeId(self.first.0.checked_add(u32::try_from(place).ok()?)?))
    }

    /// Returns the old ids of the new nodes, in their order, with the new ids.
    pub fn pairs(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        (self.first.0..).map(NodeId).zip(self.ids.iter().copied())
    }
}
