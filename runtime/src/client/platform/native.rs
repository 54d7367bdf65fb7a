//! The platforms of the standard library and Tokio.

use std::{
    hash::{BuildHasher, RandomState},
    time::SystemTime,
};

pub(in crate::client) use fastrand::f64 as random;
pub(in crate::client) use tokio::{
    spawn,
    task::JoinHandle as Task,
    time::{Instant, Sleep, sleep_until, timeout, timeout_at},
};

/// Returns the time of the system's clock.
pub(in crate::client) fn wall_clock() -> SystemTime {
    SystemTime::now()
}

/// Returns random bits. Two processes never get the same.
pub(in crate::client) fn random_bits() -> u128 {
    mixed(&RandomState::new(), std::process::id(), wall_clock())
}

/// Returns bits that no other process gets.
///
/// The seed is random, of the operating system. A forked process and a copied machine have the same one, but not the
/// same process id or time.
fn mixed(seed: &RandomState, process: u32, now: SystemTime) -> u128 {
    let now = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let half = |index: u8| u128::from(seed.hash_one((index, process, now)));
    (half(0) << 64) | half(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forked_process_gets_other_bits() {
        let (seed, now) = (RandomState::new(), SystemTime::UNIX_EPOCH);
        let bits = mixed(&seed, 1, now);
        assert_eq!(bits, mixed(&seed, 1, now));
        assert_ne!(bits, mixed(&seed, 2, now));
        assert_ne!(bits, mixed(&seed, 1, now + std::time::Duration::from_nanos(1)));
    }
}
