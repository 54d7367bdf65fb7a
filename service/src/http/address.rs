//! Client addresses: the connection's peer, or the client behind trusted proxies.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::{HeaderMap, HeaderValue};
use ipnet::IpNet;

use crate::keys::client_address::{client_address, is_trusted};

/// Finds the client address of requests. Clones share the flag of the warning.
#[derive(Debug, Clone)]
pub struct Addresses {
    trusted_proxies: Arc<[IpNet]>,
    warned: Arc<AtomicBool>,
}

impl Addresses {
    /// Trusts `X-Forwarded-For` from these proxies only.
    #[must_use]
    pub fn new(trusted_proxies: &[IpNet]) -> Self {
        Self { trusted_proxies: trusted_proxies.into(), warned: Arc::default() }
    }

    /// Returns the client address of a request from this peer.
    #[must_use]
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let forwarded = headers.get_all("x-forwarded-for");
        if forwarded.iter().next().is_some() && !self.is_proxy(peer) {
            self.warn(peer);
        }
        client_address(peer, forwarded.iter().map(HeaderValue::as_bytes), &self.trusted_proxies)
    }

    /// Returns whether this peer is a trusted proxy.
    #[must_use]
    pub fn is_proxy(&self, peer: IpAddr) -> bool {
        is_trusted(peer, &self.trusted_proxies)
    }

    /// Warns only once: any client can send the header and must not fill the log.
    fn warn(&self, peer: IpAddr) {
        if !self.warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                %peer,
                "ignored X-Forwarded-For: this peer is not a trusted proxy; if it is yours, add it to `trusted-proxies`: \
                 until then all of its clients share one address's rate limits"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_does_not_hide_its_address_behind_bytes_that_are_not_text() {
        let addresses = Addresses::new(&["10.0.0.0/8".parse().unwrap()]);
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", HeaderValue::from_bytes(b"\xff, 192.0.2.7").unwrap());
        assert_eq!(addresses.client(IpAddr::from([10, 0, 0, 1]), &headers), IpAddr::from([192, 0, 2, 7]));
    }
}
