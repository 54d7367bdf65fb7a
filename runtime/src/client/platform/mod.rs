//! Time, tasks and random numbers of the platform.
//!
//! On `wasm32-unknown-unknown`, they come from JavaScript, because the standard library and Tokio have none there.

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
mod native;
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod wasm;

use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::{Mutex, MutexGuard, PoisonError},
    task::Poll,
};

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
pub(super) use self::native::{
    Instant, Sleep, Task, random, random_bits, sleep_until, spawn, timeout, timeout_at, wall_clock,
};
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub(super) use self::wasm::{
    Instant, Sleep, Task, random, random_bits, sleep_until, spawn, timeout, timeout_at, wall_clock,
};

/// Locks a mutex. Its content is valid even if a thread panicked while it held the lock.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` until `stop` ends. Returns `None` if `stop` ends first.
pub(super) async fn race<F: Future>(stop: impl Future, work: F) -> Option<F::Output> {
    let (mut stop, mut work) = (pin!(stop), pin!(work));
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => stop.as_mut().poll(context).map(|_| None),
    })
    .await
}
