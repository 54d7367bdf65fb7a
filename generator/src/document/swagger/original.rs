//! The original of a rewritten document: where its nodes were.

use crate::{
    document::Ids,
    tree::{Node, NodeId},
};

/// The main file as it was written, and which of its nodes each node of the rewritten document stands for.
#[derive(Debug)]
pub(crate) struct Original {
    root: Node,
    pub(in crate::document) ids: Ids,
}

impl Original {
    /// Numbers the nodes of the new trees from `first`.
    pub(super) fn new(root: Node, first: NodeId, trees: &mut [(usize, Node)]) -> Self {
        Self { root, ids: Ids::number(first, trees.iter_mut().map(|(_, tree)| tree)) }
    }

    /// Returns the main file as it was written.
    pub fn root(&self) -> &Node {
        &self.root
    }
}
