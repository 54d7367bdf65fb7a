//! Everything around the API: routes beside it, and what each request gets.

mod address;
mod bodies;
pub mod connections;
mod docs;
mod files;
mod health;
mod observe;
mod open;
mod pages;
mod ranges;
mod request_id;

use asset_api_server::Service;
use axum::Router;
use axum::http::{HeaderValue, header};
use axum::middleware::{from_fn, from_fn_with_state, map_request};
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;
use tower_http::request_id::{PropagateRequestIdLayer, SetRequestIdLayer};
use tower_http::set_header::SetResponseHeaderLayer;

pub use address::Addresses;
pub use health::Readiness;

use crate::api::language;
use crate::config::Open;
use crate::files::Files;
use open::Visits;
use request_id::{NewRequestId, REQUEST_ID};

/// What the routes beside the API need.
#[derive(Clone)]
pub struct Beside {
    /// What is asked whether the database is there.
    pub readiness: Readiness,
    /// What is served.
    pub files: Files,
    /// What is measured.
    pub metrics: PrometheusHandle,
}

/// The whole of what is served.
pub fn router(api: Service, beside: Beside, open: &Open, addresses: Addresses) -> Router {
    let visits = Visits::new(open, addresses);
    Router::new()
        .route("/readyz", get(health::ready))
        .route("/metrics", get(health::metrics))
        .route("/docs", get(docs::page))
        .route("/docs/page.js", get(docs::script))
        .route("/docs/page.css", get(docs::style))
        .route("/openapi.yaml", get(docs::yaml))
        .route("/openapi.json", get(docs::json))
        .route("/licenses/{name}", get(pages::license))
        .route("/products/{name}", get(pages::product))
        .route("/files/{folder}/{name}", get(files::result))
        .route("/catalogue/{folder}/{name}", get(files::catalogue))
        .route_layer(from_fn_with_state(visits, open::limit))
        .route("/healthz", get(health::alive))
        .with_state(beside)
        .fallback_service(api.clone())
        .layer(from_fn(language::tell))
        .layer(from_fn_with_state(bodies::Pace::default(), bodies::on_time))
        .layer(from_fn_with_state(api, observe::observe))
        .layer(SetResponseHeaderLayer::if_not_present(
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ))
        .layer(PropagateRequestIdLayer::new(REQUEST_ID))
        .layer(SetRequestIdLayer::new(REQUEST_ID, NewRequestId))
        .layer(map_request(async |request| request_id::strike(request)))
}
