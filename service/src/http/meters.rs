//! Metrics of requests.

use std::collections::HashMap;
use std::time::Duration;

use axum::http::{Method, StatusCode};
use metrics::{Counter, Histogram};
use parking_lot::RwLock;

/// The methods that have a label of their own; clients may send any others.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// A route, by names that no client chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Route {
    /// The id of the operation, or the name of a route outside the API.
    pub(super) operation: &'static str,
    /// The path with its parameters in braces; empty if there is no such route.
    pub(super) path: &'static str,
    /// The method; `_OTHER` for unknown ones.
    pub(super) method: &'static str,
}

impl Route {
    /// Returns the route with the method of a request.
    pub(super) fn with(self, method: &Method) -> Self {
        let known = METHODS.into_iter().find(|known| *known == method.as_str());
        Self { method: known.unwrap_or("_OTHER"), ..self }
    }
}

/// Caches the metrics of each route and status.
///
/// A lookup in the metrics registry takes longer than the count itself.
#[derive(Default)]
pub(super) struct Meters {
    of: RwLock<HashMap<(Route, StatusCode), Meter>>,
}

struct Meter {
    seconds: Histogram,
    responses: Counter,
}

impl Meter {
    fn new(Route { operation, path, method }: Route, status: StatusCode) -> Self {
        let text = status.as_str().to_owned();
        Self {
            seconds: metrics::histogram!(
                "http_server_request_duration_seconds",
                "http_request_method" => method,
                "http_response_status_code" => text.clone(),
                "http_route" => path,
            ),
            responses: metrics::counter!("http_requests_total", "operation" => operation, "status" => text),
        }
    }

    fn record(&self, took: Duration) {
        self.seconds.record(took.as_secs_f64());
        self.responses.increment(1);
    }
}

impl Meters {
    /// Counts a response and records its duration.
    pub(super) fn record(&self, route: Route, status: StatusCode, took: Duration) {
        let known = self.of.read();
        if let Some(meter) = known.get(&(route, status)) {
            return meter.record(took);
        }
        drop(known);
        let mut known = self.of.write();
        known.entry((route, status)).or_insert_with(|| Meter::new(route, status)).record(took);
    }
}
