//! Splitting: `^.{0,262144}$` becomes `^.*$` and limits of the length.
//!
//! The engines compile a repetition by copying its body, so large ones exceed the limit for the size of a compiled
//! pattern.

use super::Lengths;
use super::tree::{Node, Repeat, Times};

/// The largest number of repetitions that stays in the pattern.
const MAX_REPETITIONS: u32 = 1000;

/// Splits a pattern if it has one large repetition of a character and else a fixed number of characters.
///
/// The limits count code points.
pub(super) fn split(root: &Node) -> Option<(Node, Lengths)> {
    let mut parts = Vec::new();
    flatten(root, &mut parts);
    let [Node::Start, inner @ .., Node::End] = parts.as_slice() else { return None };
    let mut fixed: u64 = 0;
    let mut large = None;
    for (index, part) in inner.iter().enumerate() {
        match part {
            Node::Repeat(Repeat { body, times }) if is_one_character(body) => match times.most {
                Some(most) if most == times.least && most <= MAX_REPETITIONS => fixed += u64::from(most),
                most if most.unwrap_or(times.least) > MAX_REPETITIONS && large.is_none() => {
                    large = Some((index, body.clone(), *times));
                }
                _ => return None,
            },
            part if is_one_character(part) => fixed += 1,
            _ => return None,
        }
    }
    let (index, body, times) = large?;
    let any = Repeat { body, times: Times { least: 0, most: None, lazy: false } };
    let mut rest: Vec<Node> = parts.into_iter().cloned().collect();
    *rest.get_mut(index + 1)? = Node::Repeat(any);
    let lengths = Lengths {
        least: Some(fixed + u64::from(times.least)).filter(|least| *least > 0),
        most: times.most.map(|most| fixed + u64::from(most)),
    };
    Some((Node::Sequence(rest), lengths))
}

/// Lists the parts of sequences and groups within each other.
fn flatten<'n>(node: &'n Node, parts: &mut Vec<&'n Node>) {
    match node {
        Node::Empty => {}
        Node::Sequence(inner) => inner.iter().for_each(|part| flatten(part, parts)),
        Node::Group(group) => flatten(&group.body, parts),
        other => parts.push(other),
    }
}

fn is_one_character(node: &Node) -> bool {
    match node {
        Node::Group(group) => is_one_character(&group.body),
        other => other.is_one_character(),
    }
}
