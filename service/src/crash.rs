//! Points at which tests kill or stop the process.
//!
//! A release build ignores them.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use rustix::process::{Signal, getpid, kill_process};

/// Blocks the thread forever if `ASSET_SERVICE_HANG_AT` names this point.
pub fn hang(name: &str) {
    if cfg!(debug_assertions) && std::env::var("ASSET_SERVICE_HANG_AT").is_ok_and(|point| point == name) {
        loop {
            std::thread::park();
        }
    }
}

/// Kills or stops the process if an environment variable names this point.
///
/// `ASSET_SERVICE_CRASH_AT` kills it at once, as a power cut would. `ASSET_SERVICE_STOP_AT` stops it until it
/// is continued by a signal. `point:3` means the third time that the point is reached.
pub fn point(name: &str) {
    static REACHED: AtomicU32 = AtomicU32::new(0);

    if !cfg!(debug_assertions) {
        return;
    }
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
