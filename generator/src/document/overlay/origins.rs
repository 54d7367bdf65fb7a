//! Which nodes of a document came from overlays.

use crate::{
    document::{Ids, NodePath, swagger::Original},
    tree::{Location, Node, NodeId},
};

/// How an action added a value to the document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Insertion {
    /// The verb for the action's effect on the value: `added`, `copied`.
    pub verb: &'static str,
    /// The target of the action, in the overlay.
    pub action: Option<Location>,
    /// The node to which the action was applied.
    pub target: Option<Location>,
}

/// The nodes of a document that came from overlays.
#[derive(Debug, Default)]
pub(crate) struct Origins {
    insertions: Vec<Insertion>,
    /// The nodes at which the origin changes, with the insertion of this node and the following ones.
    changes: Vec<(NodeId, Option<usize>)>,
    /// The document before it was rewritten, if it was.
    pub(in crate::document) original: Option<Original>,
    /// The copies of schemas, if there are any.
    pub(in crate::document) copied: Option<Ids>,
}

impl Origins {
    /// Returns the document before it was rewritten.
    pub(crate) fn original(&self) -> Option<&Original> {
        self.original.as_ref()
    }

    /// Returns whether several nodes can stand for one node of the text.
    pub(crate) fn has_copies(&self) -> bool {
        self.original.is_some() || self.copied.is_some()
    }

    /// Returns the path of a node in the document as it is written, of which these are the files.
    pub(crate) fn path<'d>(
        &'d self,
        mut files: impl Iterator<Item = &'d Node>,
        id: NodeId,
    ) -> Option<NodePath<'d>> {
        let id = self.copied.as_ref().map_or(id, |copied| copied.old(id));
        let original = self.original.as_ref().and_then(|it| NodePath::to(&it.root, it.ids.old(id)));
        original.or_else(|| files.find_map(|root| NodePath::to(root, id)))
    }

    /// Returns how the node with this id came into the document, unless the document's text has it there.
    pub(crate) fn of(&self, id: NodeId) -> Option<&Insertion> {
        let id = self.copied.as_ref().map_or(id, |copied| copied.old(id));
        let id = self.original.as_ref().map_or(id, |original| original.ids.old(id));
        let last = self.changes.partition_point(|(first, _)| *first <= id).checked_sub(1)?;
        self.insertions.get(self.changes.get(last)?.1?)
    }
}

/// The values that were added to a document whose nodes are not numbered anew yet.
#[derive(Debug)]
pub(super) struct Inserted {
    /// The id of the next added node.
    next: NodeId,
    /// The first node of each added value.
    firsts: Vec<NodeId>,
    insertions: Vec<Insertion>,
}

impl Inserted {
    /// Numbers the added nodes from `first`, above all others.
    pub fn new(first: NodeId) -> Self {
        Self { next: first, firsts: Vec::new(), insertions: Vec::new() }
    }

    /// Returns a copy of a value, to be added to the document.
    pub fn copy(&mut self, value: &Node, insertion: Insertion) -> Node {
        self.firsts.push(self.next);
        self.insertions.push(insertion);
        let mut copy = value.clone();
        copy.walk_mut(&mut |node| {
            node.id = self.next;
            self.next = self.next.next();
        });
        copy
    }

    /// Numbers all nodes of the document in their order.
    pub fn number(self, root: &mut Node) -> Origins {
        let Self { firsts, insertions, .. } = self;
        let ids = Ids::number(NodeId::default(), [&mut *root]);
        let origin = |old: NodeId| firsts.partition_point(|first| *first <= old).checked_sub(1);
        let (mut changes, mut last) = (Vec::new(), None);
        for (new, old) in ids.pairs() {
            let own = origin(old);
            if own != last {
                changes.push((new, own));
                last = own;
            }
        }
        if let Some((_, Some(_))) = changes.last() {
            changes.push((root.last_id().next(), None));
        }
        Origins { insertions, changes, ..Origins::default() }
    }
}
