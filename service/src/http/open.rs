//! The limits per address on routes that need no key.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Addresses;
use super::held::Held;
use crate::config::Open;
use crate::keys::concurrency::InProgress;
use crate::keys::limits::{Buckets, Rate, site};
use crate::measure::Limit;

/// The maximum number of addresses that are tracked at the same time.
const BUCKETS: usize = 100_000;

/// The request rate of each address.
#[derive(Clone)]
pub(super) struct Visits {
    buckets: Arc<Buckets<IpAddr>>,
    rate: Rate,
    downloads: InProgress<IpAddr>,
    most_downloads: u32,
    addresses: Addresses,
}

impl Visits {
    pub(super) fn new(open: &Open, addresses: Addresses) -> Self {
        let rate = Rate { depth: open.burst, per_second: open.per_second };
        let (buckets, downloads) = (Arc::new(Buckets::new(BUCKETS)), InProgress::default());
        Self { buckets, rate, downloads, most_downloads: open.downloads, addresses }
    }
}

/// Responds 429 to addresses that exceed their rate.
pub(super) async fn limit(State(visits): State<Visits>, request: Request, next: Next) -> Response {
    let address = visits.addresses.of(request.extensions(), request.headers());
    let wait = address.and_then(|address| visits.buckets.take(site(address), visits.rate).retry_after);
    let Some(wait) = wait else { return next.run(request).await };
    too_many(Limit::Address, wait)
}

/// Responds 429 to addresses that download too many files at the same time.
///
/// A download lasts until its last byte is sent, so a client that reads slowly holds few connections.
pub(super) async fn limit_downloads(State(visits): State<Visits>, request: Request, next: Next) -> Response {
    let address = visits.addresses.of(request.extensions(), request.headers());
    let Some(address) = address else { return next.run(request).await };
    match visits.downloads.begin(&site(address), 1, visits.most_downloads) {
        Some(turn) => next.run(request).await.map(|body| Body::new(Held { body, _held: turn })),
        None => too_many(Limit::Downloads, Duration::ZERO),
    }
}

fn too_many(limit: Limit, wait: Duration) -> Response {
    limit.count();
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (header::RETRY_AFTER, HeaderValue::from(wait.as_secs() + 1)),
    ];
    (StatusCode::TOO_MANY_REQUESTS, headers, r#"{"message":"Too many requests"}"#).into_response()
}
