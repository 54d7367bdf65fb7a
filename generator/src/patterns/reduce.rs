//! Removes parts of a tree that do not change its matches: unused capture groups, and repetitions of assertions, which
//! the engines refuse.

use super::tree::{Group, Node, Repeat};

/// Returns a tree that matches the same texts, in which only these groups capture.
///
/// In the result, each repetition can be printed, and each reference follows its group.
pub(super) fn reduce(root: &Node, captures: impl Fn(u32) -> bool) -> Node {
    Reducer { captures, kept: Vec::new() }.node(root)
}

struct Reducer<F> {
    captures: F,
    /// The groups that capture so far.
    kept: Vec<u32>,
}

impl<F: Fn(u32) -> bool> Reducer<F> {
    fn node(&mut self, node: &Node) -> Node {
        match node {
            Node::Group(group) => self.group(group),
            Node::Look { behind, negated, body } => {
                Node::Look { behind: *behind, negated: *negated, body: Box::new(self.node(body)) }
            }
            // A reference to a group without a match matches the empty text.
            Node::Reference { group, .. } if !self.kept.contains(group) => Node::Empty,
            Node::Repeat(repeat) => self.repeat(repeat),
            Node::Sequence(parts) => Node::sequence(parts.iter().map(|part| self.node(part)).collect()),
            Node::Choice(parts) => Node::Choice(parts.iter().map(|part| self.node(part)).collect()),
            other => other.clone(),
        }
    }

    fn group(&mut self, group: &Group) -> Node {
        if !(self.captures)(group.number) {
            return self.node(&group.body);
        }
        self.kept.push(group.number);
        Node::Group(Group { body: Box::new(self.node(&group.body)), ..group.clone() })
    }

    fn repeat(&mut self, Repeat { body, times }: &Repeat) -> Node {
        let kept = self.kept.len();
        let repeated = self.node(body).repeated(*times);
        if repeated == Node::Empty {
            self.kept.truncate(kept);
        }
        repeated
    }
}
