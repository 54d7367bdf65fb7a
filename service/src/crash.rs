//! Where tests let the process die: nothing without the feature `crash-points`.

/// Ends the process at once, as a power cut would, if `ASSET_SERVICE_CRASH_AT` names this point. With `point:3` the third
/// time that it is reached.
#[cfg(feature = "crash-points")]
pub fn point(name: &str) {
    use std::sync::atomic::{AtomicU32, Ordering};
    static REACHED: AtomicU32 = AtomicU32::new(0);

    let Ok(wanted) = std::env::var("ASSET_SERVICE_CRASH_AT") else { return };
    let (point, times) = wanted.split_once(':').unwrap_or((&wanted, "1"));
    if point == name && REACHED.fetch_add(1, Ordering::SeqCst) + 1 >= times.parse().unwrap_or(1) {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}

/// Nothing.
#[cfg(not(feature = "crash-points"))]
#[inline(always)]
pub const fn point(_name: &str) {}
