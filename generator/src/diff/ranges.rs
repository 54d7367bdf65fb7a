//! Media types and statuses, of which some are ranges: `application/*`, `2XX`, `default`.
//!
//! A range describes each of its members that has no entry of its own.

use crate::ir::Status;

/// A media type or a status.
pub(super) trait Range: PartialEq {
    /// Returns whether all members of the other range are in this one.
    fn covers(&self, other: &Self) -> bool;
}

impl Range for &str {
    fn covers(&self, other: &Self) -> bool {
        match (self.split_once('/'), other.split_once('/')) {
            (Some((kind, "*")), Some((of, _))) => kind == "*" || kind == of,
            _ => self == other,
        }
    }
}

impl Range for Status {
    fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Default, _) => true,
            (Self::Class(class), Self::Code(code)) => u16::from(*class) == code / 100,
            _ => self == other,
        }
    }
}

/// What happened to an entry, by its index in the old or the new list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// The new entry has members that had no entry.
    Added(usize),
    /// No member of the old entry has an entry.
    Removed(usize),
    /// Only some members of the old entry still have an entry.
    Narrowed(usize),
    /// The old entry was removed. A range that both lists have now describes it.
    Merged(usize),
    /// The new entry was described by a range that both lists have.
    Split(usize),
}

/// The entries that describe the same members, by their indexes, and the changes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Matched {
    pub pairs: Vec<(usize, usize)>,
    pub changes: Vec<Change>,
}

/// Compares two lists of media types or statuses.
pub(super) fn matched<R: Range>(old: &[R], new: &[R]) -> Matched {
    let mut matched = Matched::default();
    for (from, range) in old.iter().enumerate() {
        match closest(new, range) {
            Some((to, by)) => {
                matched.pairs.push((from, to));
                if by != range && old.contains(by) {
                    matched.changes.push(Change::Merged(from));
                }
            }
            None if new.iter().any(|of| range.covers(of) && !old.contains(of)) => {
                matched.changes.push(Change::Narrowed(from));
            }
            None => matched.changes.push(Change::Removed(from)),
        }
    }
    for (to, range) in new.iter().enumerate() {
        match closest(old, range) {
            Some((from, by)) => {
                if !matched.pairs.contains(&(from, to)) {
                    matched.pairs.push((from, to));
                }
                if by != range && new.contains(by) {
                    matched.changes.push(Change::Split(to));
                }
            }
            None => matched.changes.push(Change::Added(to)),
        }
    }
    matched
}

/// Returns the smallest range that covers another one.
fn closest<'r, R: Range>(all: &'r [R], range: &R) -> Option<(usize, &'r R)> {
    let covering = all.iter().enumerate().filter(|(_, by)| by.covers(range));
    covering.reduce(|best, next| if best.1.covers(next.1) { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_media_types() {
        for (old, new, pairs, changes) in [
            (vec!["a/b"], vec!["a/*"], vec![(0, 0)], vec![Change::Added(0)]),
            (vec!["a/*"], vec!["a/b"], vec![(0, 0)], vec![Change::Narrowed(0)]),
            (vec!["a/b", "*/*"], vec!["*/*"], vec![(0, 0), (1, 0)], vec![Change::Merged(0)]),
            (vec!["a/*"], vec!["a/*", "a/b"], vec![(0, 0), (0, 1)], vec![Change::Split(1)]),
            (vec!["*/*", "a/*"], vec!["a/b"], vec![(1, 0)], vec![Change::Narrowed(0), Change::Narrowed(1)]),
            (vec!["a/b", "a/*"], vec!["a/b"], vec![(0, 0)], vec![Change::Removed(1)]),
            (vec!["a/b"], vec!["c/*"], vec![], vec![Change::Removed(0), Change::Added(0)]),
        ] {
            assert_eq!(matched(&old, &new), Matched { pairs, changes }, "{old:?} {new:?}");
        }
    }

    #[test]
    fn ranges_of_statuses() {
        use Status::{Class, Code, Default};
        assert!(Class(2).covers(&Code(204)) && Default.covers(&Class(4)) && Default.covers(&Code(200)));
        assert!(!Class(2).covers(&Code(404)) && !Code(204).covers(&Class(2)) && !Class(2).covers(&Default));
    }
}
