//! CORS: which pages of other origins may read responses in a browser.
//!
//! Files and the OpenAPI document need no key, so any page may read them. API responses need one, so only the pages that the
//! settings list may.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::time::Duration;

use asset_api_validation::OPERATIONS;
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{Method, Request};
use axum::response::Response;
use tower::{Layer as _, Service as _, service_fn};
use tower_http::cors::{AllowHeaders, AllowMethods, Any, CorsLayer, Vary};

use super::request_id::REQUEST_ID;

/// How long a browser may reuse the response to a preflight. Browsers have limits of their own.
const MAX_AGE: Duration = Duration::from_secs(60 * 60);

const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Who may read the responses of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Audience {
    /// Pages of any origin.
    Everyone,
    /// Pages of the origins in the settings.
    Listed,
    /// Only pages of the service itself.
    Nobody,
}

/// The CORS policies of the service.
pub(super) struct Cors {
    public: CorsLayer,
    /// The policy of the API, if the settings list an origin.
    api: Option<CorsLayer>,
}

impl Cors {
    /// Creates the policies. `origins` may read API responses.
    pub(super) fn new(origins: &[String]) -> Self {
        let origins: Vec<HeaderValue> =
            origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok()).collect();
        Self { public: public(), api: (!origins.is_empty()).then(|| api(origins)) }
    }

    /// Responds by `respond`, or to a preflight, with the headers for an audience.
    pub(super) async fn respond<B, F: Future<Output = Response>>(
        &self,
        audience: Audience,
        request: Request<B>,
        respond: impl Fn(Request<B>) -> F,
    ) -> Response {
        let layer = match audience {
            Audience::Everyone => Some(&self.public),
            Audience::Listed => self.api.as_ref(),
            Audience::Nobody => None,
        };
        // The layer would respond to any OPTIONS.
        let layer = layer.filter(|_| request.method() != Method::OPTIONS || is_preflight(&request));
        let Some(layer) = layer else { return respond(request).await };
        let inner = service_fn(|request| {
            let response = respond(request);
            async { Ok::<_, Infallible>(response.await) }
        });
        // Boxed, so that the futures of other requests stay small.
        let Ok(mut response) = Box::pin(layer.layer(inner).call(request)).await;
        if audience == Audience::Everyone {
            response.headers_mut().insert(RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
        }
        response
    }
}

/// Returns whether a browser asks whether a page may send another request.
pub(super) fn is_preflight<B>(request: &Request<B>) -> bool {
    request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ORIGIN)
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

fn public() -> CorsLayer {
    let exposed = [
        header::ACCEPT_RANGES,
        header::CONTENT_LENGTH,
        header::CONTENT_RANGE,
        header::ETAG,
        header::RETRY_AFTER,
        REQUEST_ID,
    ];
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([Method::GET, Method::HEAD])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(exposed)
        .max_age(MAX_AGE)
        .vary(Vary::list([]))
}

fn api(origins: Vec<HeaderValue>) -> CorsLayer {
    CorsLayer::new()
        .allow_origin(origins)
        .allow_methods(AllowMethods::mirror_request())
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(exposed_by_api())
        .max_age(MAX_AGE)
        .vary([header::ORIGIN])
}

/// Returns the headers that the document describes, and the headers of all responses.
fn exposed_by_api() -> Vec<HeaderName> {
    let operations = OPERATIONS.iter().flat_map(|group| group.iter());
    let documented = operations.flat_map(|operation| {
        operation.responses.iter().chain(operation.errors.rows.iter().copied()).flat_map(|row| row.headers)
    });
    let names: BTreeSet<&str> = documented.map(|header| header.name).collect();
    let names = names.into_iter().filter_map(|name| HeaderName::from_bytes(name.as_bytes()).ok());
    names.chain([header::CONTENT_LANGUAGE, REQUEST_ID]).collect()
}
