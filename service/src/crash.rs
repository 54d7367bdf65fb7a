//! Points at which tests kill or stop the process.
//!
//! Without the feature `crash-points`, they do nothing.

/// Kills or stops the process if an environment variable names this point.
///
/// `ASSET_SERVICE_CRASH_AT` kills it at once, as a power cut would. `ASSET_SERVICE_STOP_AT` stops it until it
/// is continued by a signal. `point:3` means the third time that the point is reached.
#[cfg(feature = "crash-points")]
pub fn point(name: &str) {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use rustix::process::{Signal, getpid, kill_process};
    static REACHED: AtomicU32 = AtomicU32::new(0);

    for (variable, signal) in
        [("ASSET_SERVICE_CRASH_AT", Signal::KILL), ("ASSET_SERVICE_STOP_AT", Signal::STOP)]
    {
        let Ok(wanted) = std::env::var(variable) else { continue };
        let (point, times) = wanted.split_once(':').unwrap_or((&wanted, "1"));
        if point == name && REACHED.fetch_add(1, Ordering::SeqCst) + 1 == times.parse().unwrap_or(1) {
            let _ = kill_process(getpid(), signal);
            // A signal takes a moment to reach all threads. This thread must not continue in the meantime.
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Does nothing, because the feature `crash-points` is off.
#[cfg(not(feature = "crash-points"))]
#[inline(always)]
pub const fn point(_name: &str) {}
