//! The OpenAPI document, and a page that renders it without internet access.

mod plain;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::Value;

use super::Beside;
use super::sending::Shared;
use crate::capabilities::Capabilities;
use crate::document;
use crate::engine::registry::Registry;

/// The server line of the document; it is replaced with the public URL.
const SERVER: &str = "  - url: http://127.0.0.1:8080\n";

/// The OpenAPI document with this service's public URL. Clones share it.
#[derive(Debug, Clone)]
pub struct Description {
    yaml: Bytes,
    json: Option<Bytes>,
    plain_filters: Option<Bytes>,
    capabilities: Bytes,
    overlay: Bytes,
}

impl Description {
    /// Creates the document for this public URL and the engines of this registry.
    #[must_use]
    pub fn new(base_url: &str, registry: &Registry) -> Self {
        // JSON strings are valid YAML.
        let server = format!("  - url: {}\n", Value::from(base_url));
        let yaml = document::YAML.replacen(SERVER, &server, 1);
        // This type keeps the order of the fields.
        let spec: Option<serde_yaml::Value> = serde_yaml::from_str(&yaml).ok();
        let json = spec.as_ref().and_then(|spec| serde_json::to_string(spec).ok()).map(Bytes::from);
        let plain_filters = spec.and_then(|spec| serde_json::to_value(spec).ok()).map(|mut spec| {
            plain::unfold(&mut spec);
            spec.to_string().into()
        });
        let capabilities = Capabilities::of(registry);
        let overlay = capabilities.overlay().to_string().into();
        // Texts and numbers always serialize.
        let capabilities = serde_json::to_string(&capabilities).unwrap_or_default().into();
        Self { yaml: yaml.into(), json, plain_filters, capabilities, overlay }
    }
}

/// The pages may load only what the service itself serves.
///
/// No other page may frame them, because `/docs` holds an API key. `default-src` does not cover the last three.
pub(super) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                                 img-src 'self' data:; media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Returns a response with a document that all responses share.
///
/// Browsers ask again for each use, because another release has other documents.
fn document(content_type: &'static str, document: impl Into<Bytes>) -> Response {
    let headers = [(header::CONTENT_TYPE, content_type), (header::CACHE_CONTROL, "no-cache")];
    let mut response = (headers, document.into()).into_response();
    response.extensions_mut().insert(Shared);
    response
}

/// `GET /docs`: returns the page.
pub(super) async fn page() -> Response {
    let mut page = document("text/html; charset=utf-8", include_str!("../../../assets/docs/index.html"));
    page.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    page
}

/// `GET /docs/page.js`: returns the page's script.
pub(super) async fn script() -> Response {
    document("text/javascript; charset=utf-8", include_str!("../../../assets/docs/page.js"))
}

/// `GET /docs/page.css`: returns the page's stylesheet.
pub(super) async fn style() -> Response {
    document("text/css; charset=utf-8", include_str!("../../../assets/docs/page.css"))
}

/// `GET /`: redirects to the page.
pub(super) async fn home() -> Redirect {
    Redirect::temporary("/docs")
}

/// `GET /docs/capabilities.json`: returns what this instance can do.
pub(super) async fn capabilities(State(beside): State<Beside>) -> Response {
    document("application/json", beside.description.capabilities)
}

/// `GET /docs/overlay.json`: returns what this instance can do as an OpenAPI overlay.
pub(super) async fn overlay(State(beside): State<Beside>) -> Response {
    document("application/json", beside.description.overlay)
}

/// `GET /openapi.yaml`: returns the OpenAPI document as YAML.
pub(super) async fn yaml(State(beside): State<Beside>) -> Response {
    document("application/yaml", beside.description.yaml)
}

/// `GET /openapi.json`: returns the OpenAPI document as JSON.
pub(super) async fn json_of(State(beside): State<Beside>) -> Response {
    json_document(beside.description.json)
}

/// `GET /openapi-plain-filters.json`: returns the document without objects in query parameters.
pub(super) async fn plain_filters(State(beside): State<Beside>) -> Response {
    json_document(beside.description.plain_filters)
}

fn json_document(json: Option<Bytes>) -> Response {
    match json {
        Some(json) => document("application/json", json),
        None => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_names_this_service_in_both_forms() {
        assert_eq!(document::YAML.matches(SERVER).count(), 1);
        let registry = Registry::default();
        let url = "https://assets.example.com/a#b: c";
        let Description { yaml, json, plain_filters, .. } = Description::new(url, &registry);
        let json = json.unwrap();
        let order = [
            br#"{"openapi":"3.0.3","info":{"title":"#.as_slice(),
            br#""servers":"#,
            br#""paths":{"/v1/icons/{id}":{"#,
        ];
        let positions = order.map(|part| json.windows(part.len()).position(|bytes| bytes == part));
        assert!(
            positions[0] == Some(0) && positions.is_sorted() && positions.iter().all(Option::is_some),
            "{positions:?}"
        );
        let json: Value = serde_json::from_slice(&json).unwrap();
        let plain: Value = serde_json::from_slice(&plain_filters.unwrap()).unwrap();
        assert_eq!(plain["servers"], json["servers"]);
        let again: Value = serde_yaml::from_slice(&yaml).unwrap();
        assert_eq!(json, again);
        assert_eq!(json["servers"][0]["url"], url);
        assert!(json["paths"]["/v1/icons/{id}"].is_object());
    }
}
