//! The work of the built-in engines for the requests of each family.

mod pictures;
mod shapes;
mod texts;
mod videos;

pub(super) use pictures::*;
pub(super) use texts::*;
pub(super) use videos::*;

/// Converts a level to the engine's type; validation has checked its bounds.
fn level(number: i64) -> u8 {
    u8::try_from(number.max(0)).unwrap_or(u8::MAX)
}

/// Makes any seed one that an engine takes.
fn not_negative(seed: i64) -> i64 {
    seed & i64::MAX
}
