//! The OpenAPI document, a page that renders it without internet access, and a page for operators.

mod plain;

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use serde_json::Value;

use super::sending::Shared;
use crate::capabilities::Capabilities;
use crate::document;
use crate::engine::registry::Registry;

/// The server line of the document; it is replaced with the public URL.
const SERVER: &str = "  - url: http://127.0.0.1:8080\n";

/// The same URL in the document as JSON.
const SERVER_IN_JSON: &str = "\"http://127.0.0.1:8080\"";

/// The documents of this service with its public URL: path, media type, content. Clones share them.
#[derive(Debug, Clone)]
pub struct Description(Arc<[(&'static str, &'static str, Bytes)]>);

impl Description {
    /// Creates the documents for this public URL and the engines of this registry.
    #[must_use]
    pub fn new(base_url: &str, registry: &Registry) -> Self {
        // JSON strings are valid YAML.
        let server = format!("  - url: {}\n", Value::from(base_url));
        let yaml = document::YAML.replacen(SERVER, &server, 1);
        let json = document::JSON.replacen(SERVER_IN_JSON, &Value::from(base_url).to_string(), 1);
        let mut plain_filters = document::VALUE.clone();
        if let Some(url) = plain_filters.pointer_mut("/servers/0/url") {
            *url = base_url.into();
        }
        plain::unfold(&mut plain_filters);
        let capabilities = Capabilities::of(registry);
        // Texts and numbers always serialize.
        let text = serde_json::to_string(&capabilities).unwrap_or_default();
        let script = include_str!("../../../assets/docs/page.js");
        let style = include_str!("../../../assets/docs/page.css");
        let documents = [
            ("/docs/page.js", SCRIPT, script.into()),
            ("/docs/page.css", STYLE, style.into()),
            ("/docs/capabilities.json", JSON, text.into()),
            ("/docs/overlay.json", JSON, capabilities.overlay().to_string().into()),
            ("/openapi.yaml", "application/yaml", yaml.into()),
            ("/openapi.json", JSON, json.into()),
            ("/openapi-plain-filters.json", JSON, plain_filters.to_string().into()),
        ];
        Self(documents.into())
    }

    /// Returns the routes of the documents and of the page.
    pub(super) fn routes<S: Clone + Send + Sync + 'static>(&self) -> Router<S> {
        let routes = Router::new()
            .route("/docs", get(async || page(include_str!("../../../assets/docs/index.html"))))
            .route("/", get(async || Redirect::temporary("/docs")));
        self.0.iter().cloned().fold(routes, |routes, (path, kind, content)| {
            routes.route(path, get(async move || document(kind, content)))
        })
    }
}

/// Returns the routes of the page for operators, which calls their API.
pub(super) fn operators<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let script = include_str!("../../../assets/operators/page.js");
    let style = concat!(
        include_str!("../../../assets/docs/page.css"),
        include_str!("../../../assets/operators/page.css")
    );
    Router::new()
        .route("/", get(async || page(include_str!("../../../assets/operators/index.html"))))
        .route("/operators/page.js", get(async move || document(SCRIPT, script)))
        .route("/operators/page.css", get(async move || document(STYLE, style)))
}

const JSON: &str = "application/json";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// The pages may load only what the service itself serves.
///
/// No other page may frame them, because two hold a key. `default-src` does not cover the last four. The last one makes browsers
/// refuse texts as markup.
pub(super) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                                 img-src 'self' data:; media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                                 require-trusted-types-for 'script'";

/// Returns a response with a document that all responses share.
///
/// Browsers ask again for each use, because another release has other documents.
fn document(content_type: &'static str, document: impl Into<Bytes>) -> Response {
    let headers = [(header::CONTENT_TYPE, content_type), (header::CACHE_CONTROL, "no-cache")];
    let mut response = (headers, document.into()).into_response();
    response.extensions_mut().insert(Shared);
    response
}

/// Returns a page.
fn page(html: &'static str) -> Response {
    let mut page = document("text/html; charset=utf-8", html);
    page.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_names_this_service_in_both_forms() {
        assert_eq!(document::YAML.matches(SERVER).count(), 1);
        let registry = Registry::default();
        let url = "https://assets.example.com/a#b: c";
        let description = Description::new(url, &registry);
        let of = |path: &str| description.0.iter().find(|(known, ..)| *known == path).unwrap().2.clone();
        let json = of("/openapi.json");
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
        let plain: Value = serde_json::from_slice(&of("/openapi-plain-filters.json")).unwrap();
        assert_eq!(plain["servers"], json["servers"]);
        let again: Value = serde_yaml::from_slice(&of("/openapi.yaml")).unwrap();
        assert_eq!(json, again);
        assert_eq!(json["servers"][0]["url"], url);
        assert!(json["paths"]["/v1/icons/{id}"].is_object());
    }
}
