//! Drains the listener before the process stops: no waiting connection is reset.
//!
//! The end of a listener resets the connections that wait to be accepted, although their clients may have sent requests
//! already. So new connections are refused first, and the waiting ones are accepted.

use std::time::Duration;

use tokio::net::TcpListener;
use tokio::time::{Instant, sleep};

use super::table::Table;

/// The time for the handshakes in progress.
const HANDSHAKES: Duration = Duration::from_millis(100);

/// The time for the first requests of the last connections.
const REQUESTS: Duration = Duration::from_secs(1);

/// The interval at which the connections are checked.
const INTERVAL: Duration = Duration::from_millis(10);

/// Ignores new connections, and resolves once those before can be accepted.
///
/// Their clients try again, and then find no listener.
pub(super) async fn refuse_new(listener: &TcpListener, limit: Duration) {
    #[cfg(target_os = "linux")]
    ignore(listener);
    sleep(HANDSHAKES.min(limit)).await;
}

/// Makes the system drop the packets that begin a connection.
#[cfg(target_os = "linux")]
fn ignore(listener: &TcpListener) {
    use socket2::{SockFilter, SockRef};

    const LOAD_BYTE: u16 = 0x30;
    const JUMP_IF_SET: u16 = 0x45;
    const RETURN: u16 = 0x06;
    /// The position of the flags in the head of TCP.
    const FLAGS: u32 = 13;
    const SYN: u32 = 2;
    let filter = [
        SockFilter::new(LOAD_BYTE, 0, 0, FLAGS),
        SockFilter::new(JUMP_IF_SET, 0, 1, SYN),
        SockFilter::new(RETURN, 0, 0, 0),
        SockFilter::new(RETURN, 0, 0, u32::MAX),
    ];
    if let Err(error) = SockRef::from(listener).attach_filter(&filter) {
        tracing::debug!(%error, "the last connections may be reset");
    }
}

/// Waits for the first requests of the last connections, because a shutdown closes connections without one.
pub(super) async fn await_first_requests(table: &Table, limit: Duration) {
    let end = Instant::now() + REQUESTS.min(limit);
    while table.awaits_requests() && Instant::now() < end {
        sleep(INTERVAL).await;
    }
}
