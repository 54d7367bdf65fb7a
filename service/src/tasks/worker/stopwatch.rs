//! Measures the time that the engines of an attempt work.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// The time of the engines that have ended, and when the one that works now has begun.
#[derive(Debug, Default)]
pub(super) struct Stopwatch(Mutex<(Duration, Option<Instant>)>);

impl Stopwatch {
    /// Waits for an engine's work. The time counts as well if the work is dropped.
    pub(super) async fn time<T>(&self, work: impl Future<Output = T>) -> T {
        self.0.lock().1 = Some(Instant::now());
        let done = work.await;
        let elapsed = self.elapsed();
        *self.0.lock() = (elapsed, None);
        done
    }

    /// Returns how long engines have worked so far, including one that has not ended yet.
    pub(super) fn elapsed(&self) -> Duration {
        let (ended, since) = *self.0.lock();
        ended + since.map(|since| since.elapsed()).unwrap_or_default()
    }
}
