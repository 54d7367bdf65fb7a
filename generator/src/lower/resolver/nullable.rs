//! Determines whether a schema allows `null`, in all notations.

use crate::{
    lower::resolver::{keywords::Keywords, state::Resolver},
    tree::{Node, NodeRef},
};

/// The maximum length of a chain of references. Longer chains count as not nullable.
const MAX_STEPS: usize = 32;

impl<'d> Resolver<'d, '_> {
    /// Returns whether a schema allows null. References to it are then nullable.
    pub fn is_nullable(&mut self, node: NodeRef<'d>) -> bool {
        self.allows_null(node, MAX_STEPS)
    }

    fn allows_null(&mut self, node: NodeRef<'d>, steps: usize) -> bool {
        if let Some(known) = self.nullables.get(&node.id()) {
            return *known;
        }
        // A reference of a schema to itself does not make it nullable.
        self.nullables.insert(node.id(), false);
        let allows = steps.checked_sub(1).is_some_and(|steps| self.find_null(node, steps));
        self.nullables.insert(node.id(), allows);
        allows
    }

    fn find_null(&mut self, node: NodeRef<'d>, steps: usize) -> bool {
        let mut keywords = Keywords::read(node);
        if keywords.reference.is_some() && !self.is_3_1() {
            keywords = keywords.beside_reference();
        }
        if keywords.nullable {
            return true;
        }
        let referred =
            keywords.reference.and_then(Node::as_str).and_then(|text| self.document.lookup(text).ok());
        if let Some(target) = referred {
            return self.allows_null(target, steps);
        }
        let mut branches = [keywords.one_of, keywords.any_of].into_iter().flatten().flat_map(Node::items);
        if branches.any(|branch| is_null(branch) || (branch.is_object() && self.allows_null(branch, steps))) {
            return true;
        }
        let members = keywords.all_of.map_or(&[][..], Node::items);
        !members.is_empty()
            && keywords.kinds.is_none()
            && !keywords.constrains()
            && members.iter().all(|member| self.allows_null(member, steps))
    }
}

/// Returns whether a branch of a union only allows null.
pub(in crate::lower) fn is_null(node: NodeRef<'_>) -> bool {
    let null_type = match node.get("type") {
        Some(value) if value.is_array() => {
            let items = value.items();
            !items.is_empty() && items.iter().all(|item| item.as_str() == Some("null"))
        }
        Some(value) => value.as_str() == Some("null"),
        None => false,
    };
    let values = node.get("enum").map_or(&[][..], Node::items);
    null_type
        || (!values.is_empty() && values.iter().all(Node::is_null))
        || node.get("const").is_some_and(Node::is_null)
}
