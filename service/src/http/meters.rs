//! Metrics of requests.

use std::collections::HashMap;
use std::time::Duration;

use axum::http::StatusCode;
use metrics::{Counter, Histogram};
use parking_lot::RwLock;

/// Caches the metrics of each operation and status.
///
/// A lookup in the metrics registry takes longer than the count itself.
#[derive(Default)]
pub(super) struct Meters {
    of: RwLock<HashMap<(&'static str, StatusCode), Meter>>,
}

struct Meter {
    seconds: Histogram,
    responses: Counter,
}

impl Meter {
    fn new(operation: &'static str, status: StatusCode) -> Self {
        let text = status.as_str().to_owned();
        Self {
            seconds: metrics::histogram!("http_request_seconds", "operation" => operation),
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
    pub(super) fn record(&self, operation: &'static str, status: StatusCode, took: Duration) {
        let known = self.of.read();
        if let Some(meter) = known.get(&(operation, status)) {
            return meter.record(took);
        }
        drop(known);
        let mut known = self.of.write();
        known.entry((operation, status)).or_insert_with(|| Meter::new(operation, status)).record(took);
    }
}
