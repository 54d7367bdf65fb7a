//! Simple facts about a schema, also behind references: whether it allows `null`, in all notations, whether it accepts every
//! value or none, and in which direction it is sent.

use crate::{
    ir::Direction,
    lower::resolver::{parts::Part, state::Resolver, table::Keywords},
    tree::{Node, NodeRef},
};

/// The maximum number of nested unions. Properties of deeper ones are sent in both directions.
const MAX_UNIONS: usize = 8;

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

    /// Returns the only direction in which a value of these parts is sent.
    ///
    /// The parts can say so themselves, and so can the schemas that they refer to, their members of `allOf`, and all
    /// branches of a union.
    pub fn direction(&mut self, parts: &[Part<'d>]) -> Option<Direction> {
        // In OpenAPI 3.0, a mark beside `$ref` counts, although other keywords there do not.
        let beside = parts.iter().find_map(|part| of_keywords(&Keywords::read(part.node)));
        beside.or_else(|| self.direction_within(parts, MAX_UNIONS))
    }

    fn direction_within(&mut self, parts: &[Part<'d>], steps: usize) -> Option<Direction> {
        let steps = steps.checked_sub(1)?;
        let owns = self.followed(parts);
        if let Some(direction) = owns.iter().find_map(|own| of_keywords(&own.keywords)) {
            return Some(direction);
        }
        for own in owns {
            for union in [own.keywords.one_of, own.keywords.any_of].into_iter().flatten() {
                let branches: Vec<&Node> = union.items().iter().filter(|branch| !is_null(branch)).collect();
                let mut found = branches
                    .into_iter()
                    .map(|branch| self.direction_within(&[Part::new(branch, own.home.clone())], steps));
                let Some(Some(first)) = found.next() else { continue };
                if found.all(|direction| direction == Some(first)) {
                    return Some(first);
                }
            }
        }
        None
    }
}

const fn of_keywords(keywords: &Keywords<'_>) -> Option<Direction> {
    match (keywords.read_only, keywords.write_only) {
        (true, _) => Some(Direction::Response),
        (_, true) => Some(Direction::Request),
        _ => None,
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

/// Returns whether a schema accepts every value.
pub(in crate::lower) fn accepts_all(schema: NodeRef<'_>) -> bool {
    schema.as_bool() == Some(true) || schema.is_object() && schema.entries().len() == 0
}

/// Returns whether a schema accepts no value.
pub(in crate::lower) fn is_never(schema: NodeRef<'_>) -> bool {
    schema.as_bool() == Some(false)
        || schema.entries().len() == 1 && schema.get("not").is_some_and(accepts_all)
}
