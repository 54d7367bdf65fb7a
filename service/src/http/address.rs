//! The address that a request comes from, as far as it can be known.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::ConnectInfo;
use axum::http::{Extensions, HeaderMap};
use ipnet::IpNet;

use crate::keys::client_address::{client_address, is_trusted};

/// Tells addresses of clients. Clones share what they have warned of.
#[derive(Debug, Clone)]
pub struct Addresses {
    trusted_proxies: Arc<[IpNet]>,
    warned: Arc<AtomicBool>,
}

impl Addresses {
    /// Behind these proxies.
    #[must_use]
    pub fn new(trusted_proxies: &[IpNet]) -> Self {
        Self { trusted_proxies: trusted_proxies.into(), warned: Arc::default() }
    }

    /// Where a request comes from; `None` where there is no connection, in tests.
    #[must_use]
    pub fn of(&self, extensions: &Extensions, headers: &HeaderMap) -> Option<IpAddr> {
        let ConnectInfo(peer) = extensions.get::<ConnectInfo<SocketAddr>>()?;
        let forwarded = headers.get_all("x-forwarded-for");
        if forwarded.iter().next().is_some() && !is_trusted(peer.ip(), &self.trusted_proxies) {
            self.warn(peer.ip());
        }
        let forwarded = forwarded.iter().filter_map(|value| value.to_str().ok());
        Some(client_address(peer.ip(), forwarded, &self.trusted_proxies))
    }

    /// Once: any client can write the header, and the log is not theirs to fill.
    fn warn(&self, peer: IpAddr) {
        if !self.warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                %peer,
                "X-Forwarded-For is not believed, as it came from no trusted proxy; if this address is a proxy of yours, \
                 name it in `trusted-proxies`: until then all of its clients share the limits of one address"
            );
        }
    }
}
