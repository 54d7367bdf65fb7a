//! The ranges in the path that a template's parameters have matched.

/// The number of captures that need no allocation.
const INLINE: usize = 8;

/// Start and end in a path. The router rejects longer paths than `u16` can address.
type Range = (u16, u16);

/// The captured ranges of a path, in the order of the template.
#[derive(Debug, Clone, Default)]
pub(in crate::server) struct Captures {
    length: usize,
    inline: [Range; INLINE],
    spill: Vec<Range>,
}

impl Captures {
    pub(in crate::server) const fn new() -> Self {
        Self { length: 0, inline: [(0, 0); INLINE], spill: Vec::new() }
    }

    pub(in crate::server) const fn len(&self) -> usize {
        self.length
    }

    pub(in crate::server) fn push(&mut self, start: usize, end: usize) {
        let short = |position: usize| u16::try_from(position).unwrap_or(u16::MAX);
        let range = (short(start), short(end));
        match self.inline.get_mut(self.length) {
            Some(slot) => *slot = range,
            None => self.spill.push(range),
        }
        self.length += 1;
    }

    /// Removes all captures but the first `length`.
    pub(in crate::server) fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
        self.spill.truncate(self.length.saturating_sub(INLINE));
    }

    /// Returns the captured parts of `path`, the path that was matched.
    pub(in crate::server) fn of<'p>(&self, path: &'p str) -> impl Iterator<Item = &'p str> {
        let inline = self.inline.iter().take(self.length.min(INLINE));
        inline
            .chain(&self.spill)
            .map(move |(start, end)| path.get((*start).into()..(*end).into()).unwrap_or_default())
    }

    /// Calls `then` with the captured parts of `path` and their names.
    pub(in crate::server) fn named<'p, R>(
        &self,
        names: &[&'p str],
        path: &'p str,
        then: impl FnOnce(&[(&'p str, &'p str)]) -> R,
    ) -> R {
        if self.length == 0 {
            return then(&[]);
        }
        let pairs = || names.iter().copied().zip(self.of(path));
        let mut inline = [("", ""); INLINE];
        match inline.get_mut(..self.length) {
            Some(inline) => {
                inline.iter_mut().zip(pairs()).for_each(|(slot, pair)| *slot = pair);
                then(inline)
            }
            None => then(&pairs().collect::<Vec<_>>()),
        }
    }
}
