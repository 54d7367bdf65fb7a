//! Random numbers, from a seed alone.

/// A source of random numbers (SplitMix64).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`, or 0.
    pub fn below(&mut self, end: usize) -> usize {
        match u64::try_from(end) {
            Ok(end) if end > 0 => usize::try_from(self.next() % end).unwrap_or_default(),
            _ => 0,
        }
    }

    /// Returns true once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Returns a number from 0 to 1.
    pub fn unit(&mut self) -> f64 {
        f64::from(u32::try_from(self.next() >> 32).unwrap_or_default()) / f64::from(u32::MAX)
    }

    /// Returns a number between two others, which are included.
    pub fn between(&mut self, least: i128, most: i128) -> i128 {
        let span = u128::try_from(most.saturating_sub(least)).unwrap_or_default().saturating_add(1);
        let offset = (u128::from(self.next()) << 64 | u128::from(self.next())) % span;
        least.saturating_add(i128::try_from(offset).unwrap_or_default())
    }

    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.below(all.len()))
    }

    /// Removes one of the values.
    pub fn take<T>(&mut self, all: &mut Vec<T>) -> Option<T> {
        (!all.is_empty()).then(|| all.swap_remove(self.below(all.len())))
    }
}
