//! The work of the built-in engines for the requests of each family.

mod pictures;
mod shapes;
mod texts;
mod videos;

pub(super) use pictures::*;
pub(super) use texts::*;
pub(super) use videos::*;

use crate::engine::work::Work;

/// The work of a built-in engine, and the seed of its random numbers.
#[derive(Debug)]
pub struct SeededWork {
    pub(super) work: Work,
    /// Without a seed, it is random.
    pub(super) seed: Option<u64>,
}

impl SeededWork {
    /// Creates the work. Without a seed, or with a negative one, the seed is random.
    fn new(work: impl Into<Work>, seed: Option<i64>) -> Self {
        Self { work: work.into(), seed: seed.and_then(|seed| u64::try_from(seed).ok()) }
    }
}

impl<W: Into<Work>> From<W> for SeededWork {
    fn from(work: W) -> Self {
        Self::new(work, None)
    }
}

/// Converts a level to the engine's type; validation has checked its bounds.
fn level(number: i64) -> u8 {
    u8::try_from(number.max(0)).unwrap_or(u8::MAX)
}

/// Clears the sign bit of a seed, because engines take no negative seeds.
fn not_negative(seed: i64) -> i64 {
    seed & i64::MAX
}
