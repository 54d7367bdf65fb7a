//! The entry point of all requests: id, trace, body deadline, log line and metrics.
//!
//! It logs no paths, no headers and no bodies, because they hold user text and may hold secrets.
//!
//! Requests go from the connection straight to the API, which routes them itself. An axum router with layers
//! would box and clone for each request.

use std::sync::Arc;
use std::time::{Duration, Instant};

use asset_api_server::Service;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use axum::response::Response;
use axum::{BoxError, Router};
use tower_service::Service as _;
use tracing::Instrument;

use super::address_limits::AddressLimits;
use super::authenticate::described;
use super::bodies::{self, Cut, Pace, Paced};
use super::cors::{self, Audience, Cors};
use super::exchange::Exchange;
use super::health::Readiness;
use super::hosts::Hosts;
use super::meters::{Meters, Route};
use super::request_id::{self, REQUEST_ID};
use super::unavailable;
use crate::api::language::ResponseLanguages;
use crate::telemetry::Limit;
use crate::telemetry::keys::{self, Use};
use crate::trace::{self, Kind, Span};

/// Serves all routes. Clones share the state.
#[derive(Clone)]
pub struct Front(Arc<(Served, Meters)>);

/// What is served, and to whom.
pub(super) struct Served {
    pub(super) api: Service,
    /// The routes outside the API, with the API's own 404 as the fallback.
    pub(super) others: Router,
    pub(super) address_limits: AddressLimits,
    pub(super) readiness: Readiness,
    pub(super) cors: Cors,
    pub(super) hosts: Hosts,
    /// How long a request may take from its last byte to its response.
    pub(super) deadline: Duration,
}

impl From<Served> for Front {
    fn from(served: Served) -> Self {
        Self(Arc::new((served, Meters::default())))
    }
}

impl Front {
    /// Serves a request in its trace, or in a new one.
    pub async fn respond<B>(self, exchange: Exchange, mut request: Request<B>) -> Response
    where
        B: HttpBody<Data = Bytes> + Send + Unpin + 'static,
        B::Error: Into<BoxError>,
    {
        let begun = Instant::now();
        let (served, meters) = &*self.0;
        let of_api = served.api.operation(request.method(), request.uri().path());
        let (other, audience) = other_route(request.uri().path());
        let route = of_api.map_or(other, |api| Route { operation: api.id, path: api.path, ..other });
        let route = route.with(request.method());
        let id = request_id::of(request.headers());
        let mut span = traced(&route, request.headers());
        let logged = tracing::info_span!(
            "request",
            operation = route.operation,
            id = id.to_str().unwrap_or_default(),
            trace_id = span.context().trace_id(),
        );
        let address = exchange.address();
        request.extensions_mut().insert(exchange.clone());
        let is_in_languages = of_api.is_some_and(|operation| {
            operation
                .parameters
                .iter()
                .any(|parameter| parameter.name.eq_ignore_ascii_case("accept-language"))
        });
        let spoken = is_in_languages.then(|| ResponseLanguages::of(request.extensions_mut()));
        let responding = async {
            let (request, cut) = bodies::paced(Pace::DEFAULT, request);
            let (in_exchange, progress) = (&exchange, &cut);
            let respond = |request| async move {
                let response = match of_api {
                    Some(_) => served.of_api(request, in_exchange, progress).await,
                    None => served.serve_other(request).await,
                };
                progress.or(response)
            };
            // No route counts a preflight.
            let exceeded = || cors::is_preflight(&request).then(|| served.address_limits.exceeded(address));
            let refused = served.hosts.refused(request.uri(), request.headers());
            let mut response = match refused.or_else(|| exceeded().flatten()) {
                Some(response) => {
                    drop(request);
                    response
                }
                None => served.cors.respond(audience, request, respond).await,
            };
            let (status, took) = (response.status(), begun.elapsed());
            let milliseconds = took.as_micros() as f64 / 1000.0;
            let key = exchange.key_id();
            tracing::info!(status = status.as_u16(), milliseconds, key, %address, "responded");
            meters.record(route, status, took);
            if let Some(key) = key {
                keys::count(key, Use::Request);
            }
            if !cut.discard().await {
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
                exchange.leaves_body();
            }
            response
        }
        .instrument(logged);
        let mut response = span.scope(responding).await;
        end(&mut span, response.status(), exchange.key_id());
        drop(span);
        if !exchange.is_counted() {
            served.address_limits.refused(&exchange);
        }
        let headers = response.headers_mut();
        if let Some(spoken) = spoken {
            spoken.add_to(headers);
        }
        if served.readiness.is_stopping() {
            // Proxies then choose another process before this one refuses connections.
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        headers.entry(header::X_CONTENT_TYPE_OPTIONS).or_insert(HeaderValue::from_static("nosniff"));
        headers.insert(REQUEST_ID, id);
        response
    }
}

/// Starts the span of a request. Probes are not worth one.
fn traced(route: &Route, headers: &HeaderMap) -> Span {
    if matches!(route.operation, "healthz" | "readyz" | "metrics") {
        return Span::unrecorded();
    }
    let between = if route.path.is_empty() { "" } else { " " };
    let parent = trace::of_headers(headers);
    let mut span = Span::start(Kind::Server, format_args!("{}{between}{}", route.method, route.path), parent);
    span.set("http.request.method", route.method);
    span.set("http.route", route.path);
    span.set("operation", route.operation);
    span
}

/// Sets what is known at the end of a request.
fn end(span: &mut Span, status: StatusCode, key_id: Option<&str>) {
    span.set_number("http.response.status_code", status.as_u16());
    if let Some(key_id) = key_id {
        span.set("key.id", key_id);
    }
    if status.is_server_error() {
        span.fail("server_error");
    }
}

impl Served {
    /// Serves a request, or responds 503 after the deadline: a database may take forever.
    async fn of_api<B>(&self, request: Request<Paced<B>>, exchange: &Exchange, cut: &Cut<B>) -> Response
    where
        B: HttpBody<Data = Bytes> + Send + Unpin + 'static,
        B::Error: Into<BoxError>,
    {
        tokio::select! {
            biased;
            Ok(response) = self.api.handle(request) => response.map(Body::new),
            () = cut.is_silent_for(self.deadline) => {
                tracing::error!("gave up a request after its deadline");
                Limit::Time.count();
                let mut response = unavailable();
                let of_limit = exchange.verdict().map(|verdict| described(&verdict));
                response.headers_mut().extend(of_limit.unwrap_or_default());
                response
            }
        }
    }

    async fn serve_other<B>(&self, request: Request<B>) -> Response
    where
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        // Boxed, so that the futures of API requests stay small. A router is always ready.
        let Ok(response) = Box::pin(self.others.clone().call(request)).await;
        response
    }
}

/// Returns a route outside the API, and who may read its responses.
///
/// A path that a client wrote must not become a metric label. All other paths are the API's, also unknown ones.
fn other_route(path: &str) -> (Route, Audience) {
    let (operation, path, audience) = match path.split('/').nth(1) {
        Some("files") => ("files", "/files/{folder}/{name}", Audience::Everyone),
        Some("catalogue") => ("catalogue", "/catalogue/{folder}/{name}", Audience::Everyone),
        Some("openapi.yaml") => ("openapi", "/openapi.yaml", Audience::Everyone),
        Some("openapi.json") => ("openapi", "/openapi.json", Audience::Everyone),
        Some("openapi-plain-filters.json") => ("openapi", "/openapi-plain-filters.json", Audience::Everyone),
        Some("healthz") => ("healthz", "/healthz", Audience::Nobody),
        Some("readyz") => ("readyz", "/readyz", Audience::Nobody),
        Some("metrics") => ("metrics", "/metrics", Audience::Nobody),
        Some("" | "docs" | "operators") => ("docs", "/docs", Audience::Nobody),
        Some("licenses") => ("pages", "/licenses/{name}", Audience::Nobody),
        Some("products") => ("pages", "/products/{name}", Audience::Nobody),
        Some("notifications") => ("notifications", "/notifications/{key}", Audience::Nobody),
        _ => ("none", "", Audience::Listed),
    };
    (Route { operation, path, method: "" }, audience)
}
