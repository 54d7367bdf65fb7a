//! A seeded random number generator: splitmix64.
//!
//! The same seed must give the same bytes. The code is our own because a crate's generator may change with
//! the crate's version.

/// The increment from one state to the next.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of random numbers.
#[derive(Debug, Clone)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Creates a stream for one part of the work.
    ///
    /// The number of draws in one part doesn't affect the other parts.
    pub(crate) fn for_part(seed: u64, part: &str) -> Self {
        let mut stream = Self::new(seed ^ hash(part.as_bytes()));
        stream.next();
        stream
    }

    /// Creates a new stream, seeded by the next number of this one.
    pub(crate) fn fork(&mut self) -> Self {
        Self::new(self.next())
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number from 0 up to, but not including, 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a number from -1 to 1. A series of them is white noise.
    pub(crate) fn signed(&mut self) -> f64 {
        self.unit() * 2.0 - 1.0
    }

    pub(crate) fn range(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.unit()
    }

    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Returns a number from 0 up to, but not including, `count`.
    ///
    /// Returns 0 if `count` is 0.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        ((self.unit() * count as f64) as usize).min(count.saturating_sub(1))
    }

    /// Returns a random element, or `None` if the slice is empty.
    pub(crate) fn pick<'a, T>(&mut self, slice: &'a [T]) -> Option<&'a T> {
        slice.get(self.below(slice.len()))
    }
}

/// Returns the number at an index of a seed's stream, so that indexes can be visited in any order.
pub(crate) fn hash_at(seed: u64, at: u64) -> u64 {
    Random::new(seed.wrapping_add(at.wrapping_mul(STEP))).next()
}

/// Hashes bytes with FNV-1a. The result is the same on every machine.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_seed_never_change() {
        let mut random = Random::new(1234567);
        assert_eq!(random.next(), 6457827717110365317);
        assert_eq!(random.next(), 3203168211198807973);
    }

    #[test]
    fn random_numbers_are_uniform() {
        let mut random = Random::new(7);
        let mean = (0..10_000).map(|_| random.unit()).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
        assert!((0..1000).all(|_| random.below(3) < 3));
        assert_eq!(random.below(0), 0);
    }

    #[test]
    fn parts_have_streams_of_their_own() {
        assert_ne!(Random::for_part(1, "rain").next(), Random::for_part(1, "wind").next());
        assert_ne!(Random::for_part(1, "rain").next(), Random::for_part(2, "rain").next());
    }
}
