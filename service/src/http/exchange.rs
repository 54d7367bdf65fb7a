//! A request from its head until the last byte of its response is sent.
//!
//! Everything that limits requests in progress lasts as long as this. A client that does not read its responses thus reaches
//! its limits, and its responses can't pile up.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use super::connections::Pending;
use crate::keys::concurrency::Turn;
use crate::keys::limits::Verdict;

/// A request and its response. Clones share it. It ends with the last clone, which a response holds until it is sent.
#[derive(Debug, Clone)]
pub struct Exchange(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// The address of the client.
    address: IpAddr,
    key: OnceLock<(Arc<str>, Verdict)>,
    of_key: OnceLock<Turn<Arc<str>>>,
    of_address: OnceLock<Turn<IpAddr>>,
    download: OnceLock<Turn<IpAddr>>,
    connection: Pending,
}

impl Exchange {
    pub(super) fn new(connection: Pending, address: IpAddr) -> Self {
        Self(Arc::new(Inner {
            address,
            key: OnceLock::new(),
            of_key: OnceLock::new(),
            of_address: OnceLock::new(),
            download: OnceLock::new(),
            connection,
        }))
    }

    /// Returns the address of the client.
    pub(super) fn address(&self) -> IpAddr {
        self.0.address
    }

    /// Stores the id of the caller's key and the decision of its rate limit.
    pub(crate) fn decide(&self, key_id: Arc<str>, verdict: Verdict) {
        let _ = self.0.key.set((key_id, verdict));
    }

    /// Returns the id of the caller's key; `None` without a valid one.
    pub(super) fn key_id(&self) -> Option<&str> {
        self.0.key.get().map(|(id, _)| &**id)
    }

    /// Returns the decision of the key's rate limit, or `None` before the decision.
    pub(super) fn verdict(&self) -> Option<Verdict> {
        self.0.key.get().map(|(_, verdict)| *verdict)
    }

    /// Holds the key's share of concurrent requests.
    pub(crate) fn is_of_key(&self, turn: Turn<Arc<str>>) {
        let _ = self.0.of_key.set(turn);
    }

    /// Holds the share of the address in requests without a key.
    pub(super) fn is_of_address(&self, turn: Turn<IpAddr>) {
        let _ = self.0.of_address.set(turn);
    }

    /// Returns whether the request counts for a key or an address.
    pub(super) fn is_counted(&self) -> bool {
        self.0.of_key.get().is_some() || self.0.of_address.get().is_some()
    }

    /// Holds the share of the address in downloads.
    pub(super) fn downloads(&self, turn: Turn<IpAddr>) {
        let _ = self.0.download.set(turn);
    }

    /// Counts the bytes of the response, which begins now. Shared bytes take no memory.
    pub(super) fn responds(&self, bytes: u64) {
        self.0.connection.responds(bytes);
        if let Some(turn) = self.0.of_key.get() {
            turn.sends(bytes);
        }
        if let Some(turn) = self.0.of_address.get() {
            turn.sends(bytes);
        }
    }

    /// Notes that the client has taken a part of the response.
    pub(super) fn progresses(&self) {
        self.0.connection.progresses();
    }

    /// Notes that a part of the request's body will not be read.
    pub(super) fn leaves_body(&self) {
        self.0.connection.leaves_body();
    }

    /// Closes the connection without a further byte.
    pub(super) fn close(&self) {
        self.0.connection.close();
    }
}
