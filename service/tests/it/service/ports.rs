//! Ports for programs that get theirs as an argument.

use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU16, Ordering};

/// Ports that no system gives to a socket by itself.
///
/// A port of that range which was free a moment ago can be the local one of another test's connection now.
const PORTS: std::ops::Range<u16> = 15_000..32_000;

/// Returns a free address of this machine.
pub fn free_address() -> SocketAddr {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Processes with tests that run at the same time begin at different ports.
    let first = std::process::id().wrapping_mul(101);
    for _ in PORTS {
        let offset = first.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed).into()) % PORTS.len() as u32;
        let address = SocketAddr::from(([127, 0, 0, 1], PORTS.start + u16::try_from(offset).unwrap()));
        if TcpListener::bind(address).is_ok() {
            return address;
        }
    }
    panic!("no port from {PORTS:?} is free");
}
