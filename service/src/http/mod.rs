//! Everything around the API: routes beside it, and what each request gets.

mod docs;
mod files;
mod health;
mod observe;
mod ranges;

use asset_api_server::Service;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;
use tower_http::request_id::{MakeRequestId, PropagateRequestIdLayer, RequestId, SetRequestIdLayer};
use tower_http::set_header::SetResponseHeaderLayer;

use crate::files::Files;
use crate::store::SharedStore;

/// What the routes beside the API need.
#[derive(Clone)]
pub struct Beside {
    /// What is asked whether it is there.
    pub store: SharedStore,
    /// What is served.
    pub files: Files,
    /// What is measured.
    pub metrics: PrometheusHandle,
}

/// The header that tells a request from all others.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The whole of what is served.
pub fn router(api: Service, beside: Beside) -> Router {
    Router::new()
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(health::metrics))
        .route("/docs", get(docs::page))
        .route("/docs/page.js", get(docs::script))
        .route("/docs/page.css", get(docs::style))
        .route("/openapi.yaml", get(docs::yaml))
        .route("/openapi.json", get(docs::json))
        .route("/files/{folder}/{name}", get(files::result))
        .route("/catalogue/{folder}/{name}", get(files::catalogue))
        .with_state(beside)
        .layer(DefaultBodyLimit::disable())
        .fallback_service(api.clone())
        .layer(from_fn_with_state(api, observe::observe))
        .layer(SetResponseHeaderLayer::if_not_present(
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ))
        .layer(PropagateRequestIdLayer::new(REQUEST_ID))
        .layer(SetRequestIdLayer::new(REQUEST_ID, NewRequestId))
}

/// Request ids: those of the client, else new ones.
#[derive(Debug, Clone, Copy)]
struct NewRequestId;

impl MakeRequestId for NewRequestId {
    fn make_request_id<B>(&mut self, _request: &axum::http::Request<B>) -> Option<RequestId> {
        let id = uuid::Uuid::now_v7().to_string();
        HeaderValue::from_str(&id).ok().map(RequestId::new)
    }
}
