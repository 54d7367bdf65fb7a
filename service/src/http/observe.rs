//! What is seen of each request: a span, a line in the log, and its measurements. Headers and bodies, which may hold
//! secrets, are not looked at.

use std::time::Instant;

use asset_api_server::Service;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use tower_http::request_id::RequestId;
use tracing::Instrument;

/// Measures a request, within a span that names its operation.
pub(super) async fn observe(State(api): State<Service>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let operation = operation(&api, &request);
    let id =
        request.extensions().get::<RequestId>().and_then(|id| id.header_value().to_str().ok()).unwrap_or("");
    let span = tracing::info_span!("request", operation, id);
    async {
        let response = next.run(request).await;
        let (status, took) = (response.status().as_u16(), begun.elapsed());
        tracing::info!(status, milliseconds = took.as_secs_f64() * 1000.0, "answered");
        metrics::histogram!("http_request_seconds", "operation" => operation).record(took.as_secs_f64());
        metrics::counter!("http_requests_total", "operation" => operation, "status" => status.to_string())
            .increment(1);
        response
    }
    .instrument(span)
    .await
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
