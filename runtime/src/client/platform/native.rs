//! The platforms of the standard library and Tokio.

use std::{
    hash::{BuildHasher, Hasher, RandomState},
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
///
/// The seeds of the standard library are those of the operating system.
pub(in crate::client) fn random_bits() -> u128 {
    let half = || u128::from(RandomState::new().build_hasher().finish());
    (half() << 64) | half()
}
