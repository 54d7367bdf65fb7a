//! The ids of nodes that stand for others.

use crate::tree::{Node, NodeId};

/// Which node each of some new nodes stands for.
///
/// The ids of new nodes are above those of the others, so an id says whether its node is new.
#[derive(Debug)]
pub(crate) struct Ids {
    /// The id of the first new node.
    first: NodeId,
    /// The old ids of the new nodes, in their order.
    old: Vec<NodeId>,
}

impl Ids {
    /// Numbers the nodes of new trees from `first`. Until then, they have the ids of the nodes that they stand for.
    pub(super) fn number<'n>(first: NodeId, trees: impl IntoIterator<Item = &'n mut Node>) -> Self {
        let (mut old, mut next) = (Vec::new(), first);
        for tree in trees {
            tree.walk_mut(&mut |node| {
                old.push(node.id);
                node.id = next;
                next = next.next();
            });
        }
        old.shrink_to_fit();
        Self { first, old }
    }

    /// Returns the id of the node that a node stands for: its own, if it is not new.
    pub(crate) fn old(&self, id: NodeId) -> NodeId {
        let index = id.0.checked_sub(self.first.0).and_then(|index| usize::try_from(index).ok());
        index.and_then(|index| self.old.get(index)).copied().unwrap_or(id)
    }

    /// Returns the id of the first new node that stands for a node.
    pub(super) fn new_id(&self, old: NodeId) -> Option<NodeId> {
        let index = self.old.iter().position(|id| *id == old)?;
        Some(NodeId(self.first.0.checked_add(u32::try_from(index).ok()?)?))
    }

    /// Returns the old ids of the new nodes, in their order, with the new ids.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        (self.first.0..).map(NodeId).zip(self.old.iter().copied())
    }
}
