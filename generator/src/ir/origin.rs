//! Where a part of the representation stands in the text of the document.

use crate::tree::{Location, Node};

/// The source location of a part of the document, for reports.
///
/// Two origins are always equal: the representation of a document depends on what it says, and not on where.
#[derive(Debug, Clone, Copy, Default)]
pub struct Origin(pub(crate) Option<Location>);

impl Origin {
    /// Returns the origin of a node.
    pub(crate) fn of(node: &Node) -> Self {
        Self(node.location())
    }

    /// Returns the origin of a field of a node, if the node has it.
    pub(crate) fn of_field(node: &Node, name: &str) -> Self {
        node.get(name).map_or_else(Self::default, Self::of)
    }

    /// Returns this origin, or else the other one.
    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0.or(other.0))
    }
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
