//! The tree of a parsed text: nodes with ids and source locations.

mod node;
mod number;
mod object;
mod span;

pub use node::{Node, NodeId, NodeRef, Value};
pub(crate) use node::{last_before, whole};
pub use number::Number;
pub use object::Object;
pub(crate) use span::{FileIndex, Location, Span};
pub use span::{Position, Range};

use std::{collections::HashSet, hash::Hash};

/// Returns these values and all that `next` leads to, in the order in which they are found.
pub(crate) fn reached<T: Copy + Eq + Hash, N: IntoIterator<Item = T>>(
    start: Vec<T>,
    next: impl Fn(T) -> N,
) -> Vec<T> {
    let mut seen: HashSet<T> = start.iter().copied().collect();
    let mut found = start;
    let mut done = 0;
    while let Some(value) = found.get(done).copied() {
        found.extend(next(value).into_iter().filter(|other| seen.insert(*other)));
        done += 1;
    }
    found
}
