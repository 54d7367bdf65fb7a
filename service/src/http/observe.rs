//! What each request gets, whatever it is for: an id, a span, time for its body, a line in the log, measurements. Headers
//! and bodies, which may hold secrets, are not looked at.
//!
//! One layer does it all, because each layer of a router costs what boxes and clones cost.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use asset_api_server::Service;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use metrics::{Counter, Histogram};
use tracing::Instrument;

use super::bodies::{self, Pace};
use super::request_id::{self, REQUEST_ID};

/// What the layer needs.
#[derive(Clone)]
pub(super) struct Observer {
    api: Service,
    pace: Pace,
    meters: Arc<Meters>,
}

impl Observer {
    pub(super) fn new(api: Service) -> Self {
        Self { api, pace: Pace::default(), meters: Arc::default() }
    }
}

/// Measures a request, within a span that names its operation.
pub(super) async fn observe(State(observer): State<Observer>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let operation = operation(&observer.api, &request);
    let id = request_id::of(&request);
    let span = tracing::info_span!("request", operation, id = id.to_str().unwrap_or_default());
    let mut response = async {
        let response = bodies::on_time(State(observer.pace), request, next).await;
        let (status, took) = (response.status(), begun.elapsed());
        tracing::info!(status = status.as_u16(), milliseconds = took.as_secs_f64() * 1000.0, "answered");
        observer.meters.record(operation, status, took);
        response
    }
    .instrument(span)
    .await;
    let headers = response.headers_mut();
    headers.entry(header::X_CONTENT_TYPE_OPTIONS).or_insert(HeaderValue::from_static("nosniff"));
    headers.insert(REQUEST_ID, id);
    response
}

/// The measurements of each operation and status, kept: to ask the registry for them takes longer than to count.
#[derive(Default)]
struct Meters {
    of: RwLock<HashMap<(&'static str, StatusCode), Meter>>,
}

#[derive(Clone)]
struct Meter {
    seconds: Histogram,
    answers: Counter,
}

impl Meters {
    fn record(&self, operation: &'static str, status: StatusCode, took: Duration) {
        let Meter { seconds, answers } = self.meter(operation, status);
        seconds.record(took.as_secs_f64());
        answers.increment(1);
    }

    fn meter(&self, operation: &'static str, status: StatusCode) -> Meter {
        let known = self.of.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(meter) = known.get(&(operation, status)) {
            return meter.clone();
        }
        drop(known);
        let text = status.as_str().to_owned();
        let meter = Meter {
            seconds: metrics::histogram!("http_request_seconds", "operation" => operation),
            answers: metrics::counter!("http_requests_total", "operation" => operation, "status" => text),
        };
        let mut known = self.of.write().unwrap_or_else(PoisonError::into_inner);
        known.insert((operation, status), meter.clone());
        meter
    }
}

/// What a request is for: an operation of the API, or a route beside it; never a path as a client wrote it.
fn operation(api: &Service, request: &Request) -> &'static str {
    let path = request.uri().path();
    if let Some(operation) = api.operation(request.method(), path) {
        return operation.id;
    }
    match path.split('/').nth(1) {
        Some("files") => "files",
        Some("catalogue") => "catalogue",
        Some("healthz") => "healthz",
        Some("readyz") => "readyz",
        Some("metrics") => "metrics",
        Some("docs") => "docs",
        Some("licenses" | "products") => "pages",
        Some("openapi.yaml" | "openapi.json") => "openapi",
        _ => "none",
    }
}
