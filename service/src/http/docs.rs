//! The API's description, and a page that shows it without the internet.

use std::sync::LazyLock;

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// The description as it is written.
const SPEC: &str = include_str!("../../../spec/openapi.yaml");

/// The description as JSON, made once.
static JSON: LazyLock<Option<String>> = LazyLock::new(|| {
    let spec: serde_json::Value = serde_yaml::from_str(SPEC).ok()?;
    serde_json::to_string(&spec).ok()
});

/// What the page may load: what the service itself serves.
pub(super) const POLICY: &str =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:";

/// `GET /docs`: the page.
pub(super) async fn page() -> Response {
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, POLICY)];
    (headers, include_str!("../../assets/docs/index.html")).into_response()
}

/// `GET /docs/page.js`.
pub(super) async fn script() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], include_str!("../../assets/docs/page.js"))
}

/// `GET /docs/page.css`.
pub(super) async fn style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], include_str!("../../assets/docs/page.css"))
}

/// `GET /openapi.yaml`.
pub(super) async fn yaml() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/yaml")], SPEC)
}

/// `GET /openapi.json`.
pub(super) async fn json() -> Response {
    match JSON.as_deref() {
        Some(json) => ([(header::CONTENT_TYPE, "application/json")], json).into_response(),
        None => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_description_is_json_too() {
        assert!(super::JSON.as_deref().is_some_and(|json| json.contains("\"/v1/icons/{id}\"")));
    }
}
