//! Back-references: which ones can be translated exactly.
//!
//! In ECMA-262, a repetition resets the groups in it before each turn. `fancy-regex` keeps them. The results
//! differ only where a reference reads a group that the last turn skipped. Such a pattern is refused.
//! A reference that always reads a group without a match becomes the empty text, which it matches.

use super::Refusal;
use super::tree::Node;

/// Replaces references that only match the empty text, and returns the groups to which the others refer.
pub(super) fn settle(root: &mut Node) -> Result<Vec<u32>, Refusal> {
    let mut positions = Positions::default();
    positions.find(root, &mut Vec::new());
    let mut used = Vec::new();
    let mut kept = Vec::with_capacity(positions.references.len());
    for reference in &positions.references {
        let is_kept = positions.can_match(reference)?;
        kept.push(is_kept);
        used.extend(is_kept.then_some(reference.group));
    }
    if !kept.is_empty() {
        replace(root, &mut kept.into_iter());
    }
    Ok(used)
}

/// Replaces references by the empty text, in the order of the pattern, if they are not kept.
fn replace(node: &mut Node, kept: &mut impl Iterator<Item = bool>) {
    if matches!(node, Node::Reference { .. }) && kept.next() == Some(false) {
        *node = Node::Empty;
    }
    node.parts_mut().iter_mut().for_each(|part| replace(part, kept));
}

/// A step from a node to a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    of: Kind,
    /// The index of the part.
    part: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sequence,
    Choice,
    Group(u32),
    Look { behind: bool, negated: bool },
    Repeat { is_optional: bool, is_loop: bool, can_be_empty: bool },
}

impl Kind {
    /// Returns whether a match of the node may skip the part.
    fn is_skippable(self) -> bool {
        matches!(self, Self::Choice | Self::Repeat { is_optional: true, .. })
    }
}

/// A back-reference with the path to it.
struct Reference {
    group: u32,
    at: usize,
    path: Vec<Step>,
}

/// The paths from the root to groups and references.
#[derive(Default)]
struct Positions {
    groups: Vec<(u32, Vec<Step>)>,
    references: Vec<Reference>,
}

impl Positions {
    fn find(&mut self, node: &Node, path: &mut Vec<Step>) {
        let of = match node {
            Node::Group(group) => {
                self.groups.push((group.number, path.clone()));
                Kind::Group(group.number)
            }
            Node::Reference { group, at } => {
                return self.references.push(Reference { group: *group, at: *at, path: path.clone() });
            }
            Node::Look { behind, negated, .. } => Kind::Look { behind: *behind, negated: *negated },
            Node::Repeat(repeat) => Kind::Repeat {
                is_optional: repeat.times.least == 0,
                is_loop: repeat.times.most != Some(1),
                can_be_empty: repeat.body.can_be_empty(),
            },
            Node::Choice(_) => Kind::Choice,
            _ => Kind::Sequence,
        };
        for (part, inner) in node.parts().iter().enumerate() {
            path.push(Step { of, part });
            self.find(inner, path);
            path.pop();
        }
    }

    /// Returns whether a reference can read a match of its group; else it matches the empty text.
    fn can_match(&self, reference: &Reference) -> Result<bool, Refusal> {
        let found = self.groups.iter().find(|(number, _)| *number == reference.group);
        let Some((_, group)) = found else { return Ok(false) };
        let mut both = group.iter().chain(&reference.path);
        if both.any(|step| matches!(step.of, Kind::Look { behind: true, .. })) {
            let message = "a back-reference in or to a look-behind is not supported";
            return Err(Refusal::at(reference.at, message));
        }
        if reference.path.iter().any(|step| step.of == Kind::Group(reference.group)) {
            return Ok(false);
        }
        let shared = group.iter().zip(&reference.path).take_while(|(one, other)| one == other).count();
        let (Some(to_group), Some(to_reference)) = (group.get(shared), reference.path.get(shared)) else {
            return Ok(false);
        };
        // Another alternative, or an earlier position: each turn of a repetition begins without the group.
        if to_group.of != Kind::Sequence || to_reference.part < to_group.part {
            return Ok(false);
        }
        let below = group.get(shared + 1..).unwrap_or_default();
        if below.iter().any(|step| matches!(step.of, Kind::Look { negated: true, .. })) {
            return Ok(false);
        }
        if resets(group, shared) {
            let message = "a back-reference to a group that a repetition may skip is not supported";
            return Err(Refusal::at(reference.at, message));
        }
        Ok(true)
    }
}

/// Returns whether a repetition around a group can forget what an earlier turn captured.
///
/// `shared` is the number of steps that lead to the reference as well.
fn resets(group: &[Step], shared: usize) -> bool {
    group.iter().enumerate().any(|(index, step)| {
        let Kind::Repeat { is_loop: true, can_be_empty, .. } = step.of else { return false };
        let inside = group.get(index.max(shared) + 1..).unwrap_or_default();
        // A last turn that matches the empty text counts for `fancy-regex`, but not in ECMA-262.
        let drops_turns = index > shared && can_be_empty;
        drops_turns || inside.iter().any(|step| step.of.is_skippable())
    })
}
