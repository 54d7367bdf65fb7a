//! Finds parts that were probably renamed: one is removed, one is new, and they differ only in the name.

use super::compare::{Compare, Pair};

/// The maximum number of pairs that are compared for one object or operation.
const MAX_PAIRS: usize = 64;

/// The old and the new name of each part that was probably renamed.
pub(super) struct Renames(Vec<(String, String)>);

impl Renames {
    /// Finds pairs of equal parts that only one document has. A part that is equal to several others has no pair.
    pub fn of<'p, P>(
        parts: &[Pair<'p, P>],
        name: impl Fn(&P) -> &str,
        mut is_same: impl FnMut(&'p P, &'p P) -> bool,
    ) -> Self {
        let (mut old, mut new, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            match part {
                Pair::Both(..) => {}
                Pair::Removed(part) => old.push(*part),
                Pair::Added(part) => new.push(*part),
            }
        }
        if old.len() * new.len() <= MAX_PAIRS {
            let all = old.iter().flat_map(|from| new.iter().map(move |to| (*from, *to)));
            pairs.extend(all.filter(|(from, to)| is_same(from, to)).map(|(from, to)| (name(from), name(to))));
        }
        let is_only = |(from, to): &&(&str, &str)| {
            let others = pairs.iter().filter(|(one, other)| one == from || other == to);
            others.count() == 1
        };
        let owned = |(from, to): &(&str, &str)| ((*from).to_owned(), (*to).to_owned());
        Self(pairs.iter().filter(is_only).map(owned).collect())
    }

    /// Returns a hint about the new name of an old part.
    pub fn now(&self, name: &str) -> Option<String> {
        let (_, new) = self.0.iter().find(|(old, _)| old == name)?;
        Some(format!("renamed to `{new}`?"))
    }

    /// Returns a hint about the old name of a new part.
    pub fn before(&self, name: &str) -> Option<String> {
        let (old, _) = self.0.iter().find(|(_, new)| new == name)?;
        Some(format!("was `{old}`?"))
    }
}

impl Compare<'_> {
    pub(super) fn is_silent(&mut self, compare: impl FnOnce(&mut Self)) -> bool {
        // Nobody reads the hints of a nested comparison.
        !self.is_alone && self.alone(compare).is_empty()
    }
}
