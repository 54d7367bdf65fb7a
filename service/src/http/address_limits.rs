//! The limits per address on routes that need no key.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;

use super::exchange::Exchange;
use super::message;
use super::settings::Open;
use crate::keys::concurrency::InProgress;
use crate::keys::limits::{Buckets, Rate, site};
use crate::telemetry::Limit;

/// The maximum number of addresses that are tracked at the same time.
const BUCKETS: usize = 100_000;

/// The maximum number of requests without a key that an address has in progress, until their responses are sent.
///
/// Refusals count, too. With twice as many in progress, connections are closed without a response.
const IN_PROGRESS: u32 = 1024;

/// The rate, the requests in progress and the downloads of each address.
#[derive(Clone)]
pub(super) struct AddressLimits {
    buckets: Arc<Buckets<IpAddr>>,
    rate: Rate,
    in_progress: InProgress<IpAddr>,
    downloads: InProgress<IpAddr>,
    most_downloads: u32,
}

impl AddressLimits {
    pub(super) fn new(open: &Open) -> Self {
        let rate = Rate { depth: open.burst, per_second: open.per_second };
        let (in_progress, downloads) = (InProgress::default(), InProgress::default());
        let (buckets, most_downloads) = (Arc::new(Buckets::new(BUCKETS)), open.downloads);
        Self { buckets, rate, in_progress, downloads, most_downloads }
    }

    /// Counts a request by the rate of its address; returns the response if that exceeds it.
    pub(super) fn exceeded(&self, address: IpAddr) -> Option<Response> {
        let wait = self.buckets.take(site(address), self.rate).retry_after?;
        Some(too_many(Limit::Address, wait))
    }

    /// Counts a request without a key for its address; returns `false` if the address has too many in progress.
    fn begin(&self, exchange: &Exchange) -> bool {
        let turn = self.in_progress.begin(&site(exchange.address()), 1, IN_PROGRESS);
        turn.map(|turn| exchange.is_of_address(turn)).is_some()
    }

    /// Counts a request that was refused before it counted for a key or an address.
    ///
    /// Closes the connection if the address reads too few of its responses.
    pub(super) fn refused(&self, exchange: &Exchange) {
        match self.in_progress.begin(&site(exchange.address()), 1, 2 * IN_PROGRESS) {
            Some(turn) => exchange.is_of_address(turn),
            None => exchange.close(),
        }
    }
}

/// Responds 429 to addresses that exceed their rate.
pub(super) async fn limit(State(limits): State<AddressLimits>, request: Request, next: Next) -> Response {
    let Some(exchange) = request.extensions().get::<Exchange>() else { return next.run(request).await };
    if let Some(response) = limits.exceeded(exchange.address()) {
        return response;
    }
    if !limits.begin(exchange) {
        return too_many(Limit::Address, Duration::ZERO);
    }
    next.run(request).await
}

/// Responds 429 to addresses that download too many files at the same time.
///
/// A download lasts until its last byte is sent, so a client that reads slowly holds few connections.
pub(super) async fn limit_downloads(
    State(limits): State<AddressLimits>,
    request: Request,
    next: Next,
) -> Response {
    let Some(exchange) = request.extensions().get::<Exchange>() else { return next.run(request).await };
    let Some(turn) = limits.downloads.begin(&site(exchange.address()), 1, limits.most_downloads) else {
        return too_many(Limit::Downloads, Duration::ZERO);
    };
    exchange.downloads(turn);
    next.run(request).await
}

fn too_many(limit: Limit, wait: Duration) -> Response {
    limit.count();
    let mut response = message(StatusCode::TOO_MANY_REQUESTS, "Too many requests");
    response.headers_mut().insert(header::RETRY_AFTER, (wait.as_secs() + 1).into());
    response
}
