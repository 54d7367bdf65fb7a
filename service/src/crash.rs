//! Fault injection for tests: crash points and a substitute name server.
//!
//! A release build ignores them.

use std::{
    net::SocketAddr,
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

/// Returns the name server of a test, from `ASSET_SERVICE_NAME_SERVER`: `127.0.0.1:5300`.
pub fn name_server() -> Option<SocketAddr> {
    let server = std::env::var("ASSET_SERVICE_NAME_SERVER").ok().filter(|_| cfg!(debug_assertions))?;
    server.parse().ok()
}

/// Kills or stops the process, or panics, if an environment variable names this point.
///
/// `ASSET_SERVICE_CRASH_AT` kills it at once, as a power cut would. `ASSET_SERVICE_STOP_AT` stops it until it
/// is continued by a signal. `ASSET_SERVICE_PANIC_AT` panics. `point:3` means the third time that the point is
/// reached.
///
/// # Panics
/// Panics if a test wants it.
pub fn point(name: &str) {
    if !cfg!(debug_assertions) {
        return;
    }
    for (variable, signal) in
        [("ASSET_SERVICE_CRASH_AT", Signal::KILL), ("ASSET_SERVICE_STOP_AT", Signal::STOP)]
    {
        if is_wanted(variable, name) {
            let _ = kill_process(getpid(), signal);
            // A signal takes a moment to reach all threads. This thread must not continue in the meantime.
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    assert!(!is_wanted("ASSET_SERVICE_PANIC_AT", name), "a test wants a panic here");
}

/// Aborts the process a moment later if `ASSET_SERVICE_ABORT_ON` occurs in the work of a task.
pub async fn on(work: &str) {
    if cfg!(debug_assertions)
        && std::env::var("ASSET_SERVICE_ABORT_ON").is_ok_and(|text| work.contains(&text))
    {
        tokio::time::sleep(Duration::from_millis(200)).await;
        std::process::abort();
    }
}

fn is_wanted(variable: &str, name: &str) -> bool {
    static REACHED: AtomicU32 = AtomicU32::new(0);

    let Ok(wanted) = std::env::var(variable) else { return false };
    let (point, times) = wanted.split_once(':').unwrap_or((&wanted, "1"));
    point == name && REACHED.fetch_add(1, Ordering::SeqCst) + 1 == times.parse().unwrap_or(1)
}
