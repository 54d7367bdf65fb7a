//! The rate limit per address on routes that need no key.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Addresses;
use crate::config::Open;
use crate::keys::limits::{Buckets, Rate, site};

/// The maximum number of addresses that are tracked at the same time.
const BUCKETS: usize = 100_000;

/// The request rate of each address.
#[derive(Clone)]
pub(super) struct Visits {
    buckets: Arc<Buckets<IpAddr>>,
    rate: Rate,
    addresses: Addresses,
}

impl Visits {
    pub(super) fn new(open: &Open, addresses: Addresses) -> Self {
        let rate = Rate { depth: open.burst, per_second: open.per_second };
        Self { buckets: Arc::new(Buckets::new(BUCKETS)), rate, addresses }
    }
}

/// Responds 429 to addresses that exceed their rate.
pub(super) async fn limit(State(visits): State<Visits>, request: Request, next: Next) -> Response {
    let address = visits.addresses.of(request.extensions(), request.headers());
    let wait = address.and_then(|address| visits.buckets.take(site(address), visits.rate).retry_after);
    let Some(wait) = wait else { return next.run(request).await };
    metrics::counter!("requests_limited_total", "limit" => "address").increment(1);
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (header::RETRY_AFTER, HeaderValue::from(wait.as_secs() + 1)),
    ];
    (StatusCode::TOO_MANY_REQUESTS, headers, r#"{"message":"Too many requests"}"#).into_response()
}
