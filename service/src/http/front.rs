//! The entry point of all requests: id, span, body deadline, log line and metrics.
//!
//! It logs no paths, no headers and no bodies, because they hold texts of users and may hold secrets.
//!
//! Requests go from the connection straight to the API, which routes them itself. An axum router with layers
//! would box and clone for each request.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use asset_api_server::Service;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, HeaderValue, Request, header};
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
use super::meters::Meters;
use super::request_id::{self, REQUEST_ID};
use crate::api::language::ResponseLanguages;
use crate::telemetry::Limit;

/// Serves all routes. Clones share the state.
#[derive(Clone)]
pub struct Front(Arc<Served>);

struct Served {
    api: Service,
    /// The routes outside the API, with the API's own 404 as the fallback.
    others: Router,
    address_limits: AddressLimits,
    readiness: Readiness,
    cors: Cors,
    pace: Pace,
    /// How long a request may take from its last byte to its response.
    deadline: Duration,
    meters: Meters,
}

impl Front {
    pub(super) fn new(
        api: Service,
        others: Router,
        address_limits: AddressLimits,
        readiness: Readiness,
        cors: Cors,
        deadline: Duration,
    ) -> Self {
        let (pace, meters) = (Pace::DEFAULT, Meters::default());
        Self(Arc::new(Served { api, others, address_limits, readiness, cors, pace, deadline, meters }))
    }

    /// Serves a request from this peer within a span that names the operation.
    pub async fn respond<B>(self, peer: SocketAddr, exchange: Exchange, mut request: Request<B>) -> Response
    where
        B: HttpBody<Data = Bytes> + Send + Unpin + 'static,
        B::Error: Into<BoxError>,
    {
        let begun = Instant::now();
        let served = &*self.0;
        let of_api = served.api.operation(request.method(), request.uri().path());
        let (route, audience) = other_route(request.uri().path());
        let operation = of_api.map_or(route, |operation| operation.id);
        let id = request_id::of(request.headers());
        let span = tracing::info_span!("request", operation, id = id.to_str().unwrap_or_default());
        let address = served.address_limits.client(peer.ip(), request.headers());
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(exchange.clone());
        let is_in_languages = of_api.is_some_and(|operation| {
            operation
                .parameters
                .iter()
                .any(|parameter| parameter.name.eq_ignore_ascii_case("accept-language"))
        });
        let spoken = is_in_languages.then(|| ResponseLanguages::of(request.extensions_mut()));
        let mut response = async {
            let (request, cut) = bodies::paced(served.pace, request);
            let (in_exchange, progress) = (&exchange, &cut);
            let respond = |request| async move {
                let response = match of_api {
                    Some(_) => served.of_api(request, in_exchange, progress).await,
                    None => served.serve_other(request).await,
                };
                progress.or(response)
            };
            // No route counts a preflight.
            let exceeded =
                cors::is_preflight(&request).then(|| served.address_limits.exceeded(address)).flatten();
            let mut response = match exceeded {
                Some(response) => response,
                None => served.cors.respond(audience, request, respond).await,
            };
            let (status, took) = (response.status(), begun.elapsed());
            let milliseconds = took.as_micros() as f64 / 1000.0;
            let key = exchange.key_id();
            tracing::info!(status = status.as_u16(), milliseconds, key, %address, "responded");
            served.meters.record(operation, status, took);
            if !cut.discard().await {
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
                exchange.leaves_body();
            }
            response
        }
        .instrument(span)
        .await;
        if !exchange.is_counted() {
            served.address_limits.refused(address, &exchange);
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
                bodies::unavailable(&exchange.verdict().map_or_else(HeaderMap::new, |verdict| described(&verdict)))
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

/// Returns a fixed label for a route outside the API, and who may read its responses.
///
/// A path that a client wrote must not become a metric label. All other paths are the API's, also unknown ones.
fn other_route(path: &str) -> (&'static str, Audience) {
    match path.split('/').nth(1) {
        Some("files") => ("files", Audience::Everyone),
        Some("catalogue") => ("catalogue", Audience::Everyone),
        Some("openapi.yaml" | "openapi.json" | "openapi-plain-filters.json") => {
            ("openapi", Audience::Everyone)
        }
        Some("healthz") => ("healthz", Audience::Nobody),
        Some("readyz") => ("readyz", Audience::Nobody),
        Some("metrics") => ("metrics", Audience::Nobody),
        Some("" | "docs") => ("docs", Audience::Nobody),
        Some("licenses" | "products") => ("pages", Audience::Nobody),
        Some("notifications") => ("notifications", Audience::Nobody),
        _ => ("none", Audience::Listed),
    }
}
