//! Where tests let the process die or stand still: nothing without the feature `crash-points`.

/// Ends the process at once, as a power cut would, if `ASSET_SERVICE_CRASH_AT` names this point; stops it until it is told
/// to go on, if `ASSET_SERVICE_STOP_AT` does. With `point:3` the third time that it is reached.
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
            // A signal to all threads takes a moment, in which this one must not go on.
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Nothing.
#[cfg(not(feature = "crash-points"))]
#[inline(always)]
pub const fn point(_name: &str) {}
