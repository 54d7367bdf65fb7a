//! The HTTP layer around the API: other routes, limits, request ids, metrics.

mod address;
mod address_limits;
mod authenticate;
mod bodies;
pub mod connections;
mod cors;
mod docs;
mod exchange;
mod files;
mod front;
mod health;
mod hosts;
mod meters;
mod notifications;
mod pages;
mod ranges;
mod request_id;
mod sending;
pub mod settings;

use std::time::Duration;

use asset_api_server::Service;
use axum::Router;
use axum::http::{StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use metrics_exporter_prometheus::PrometheusHandle;

pub use address::Addresses;
pub use authenticate::Callers;
pub(crate) use bodies::Pace;
pub use docs::Description;
pub use exchange::Exchange;
pub use front::Front;
pub use health::Readiness;

use crate::api::RETRY_AFTER;
use crate::engine::notifications::{Notifications, PATH};
use crate::files::{Area, Files};
use crate::store::SharedStore;
use address_limits::AddressLimits;
use cors::Cors;
use front::Served;
use hosts::Hosts;
use settings::Http;

/// The state of the routes outside the API.
#[derive(Clone)]
pub struct RoutesState {
    /// Forwards notifications of providers to other processes.
    pub store: SharedStore,
    /// Checks the database for `/readyz`.
    pub readiness: Readiness,
    /// The files that `/files` and `/catalogue` serve.
    pub files: Files,
    /// Renders `/metrics`.
    pub metrics: PrometheusHandle,
    /// The OpenAPI document that `/docs` and `/openapi.*` serve.
    pub description: Description,
    /// The notifications of providers.
    pub notifications: Notifications,
}

/// Returns a response with a message, in the form of the API's errors.
fn message(status: StatusCode, text: &str) -> Response {
    let json = [(header::CONTENT_TYPE, "application/json")];
    (status, json, format!(r#"{{"message":"{text}"}}"#)).into_response()
}

/// Returns the 503 while the service, its database or its bucket does not respond.
fn unavailable() -> Response {
    let mut response = message(StatusCode::SERVICE_UNAVAILABLE, "Service unavailable");
    response.headers_mut().insert(header::RETRY_AFTER, RETRY_AFTER.as_secs().into());
    response
}

/// Returns the entry point of the operators' own address: the administration with its page, and health, readiness and metrics
/// without limits.
///
/// It serves requests for IP addresses, `localhost` and these names.
pub fn admin(administration: Service, state: RoutesState, settings: &Http, names: &[String]) -> Front {
    let (address_limits, readiness) = (AddressLimits::new(&settings.open), state.readiness.clone());
    let others = Router::new()
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(health::metrics))
        .merge(docs::operators())
        .with_state(state)
        .fallback_service(administration.clone());
    let (cors, hosts) = (Cors::new(&[]), Hosts::inner(names));
    let deadline = Duration::from_secs(settings.request_seconds);
    Served { api: administration, others, address_limits, readiness, cors, hosts, deadline }.into()
}

/// Combines the API and all other routes.
///
/// All routes outside the API except `/healthz` have a rate limit per address. `/metrics` is among them if
/// operators have no address of their own.
pub fn front(api: Service, state: RoutesState, settings: &Http, has_admin: bool) -> Front {
    let (address_limits, readiness) = (AddressLimits::new(&settings.open), state.readiness.clone());
    let downloads = Router::new()
        .route("/files/{folder}/{name}", files::route(Area::Results))
        .route("/catalogue/{folder}/{name}", files::route(Area::Catalogue))
        .route_layer(from_fn_with_state(address_limits.clone(), address_limits::limit_downloads));
    let metrics =
        if has_admin { Router::new() } else { Router::new().route("/metrics", get(health::metrics)) };
    let others = metrics
        .route("/readyz", get(health::ready))
        .route("/licenses/{name}", get(pages::license))
        .route("/products/{name}", get(pages::product))
        .route(&format!("{PATH}{{key}}"), post(notifications::arrived))
        .merge(downloads)
        .merge(state.description.routes())
        .route_layer(from_fn_with_state(address_limits.clone(), address_limits::limit))
        .route("/healthz", get(health::alive))
        .with_state(state)
        .fallback_service(api.clone());
    let (cors, hosts) = (Cors::new(&settings.cors_origins), Hosts::Any);
    let deadline = Duration::from_secs(settings.request_seconds);
    Served { api, others, address_limits, readiness, cors, hosts, deadline }.into()
}
