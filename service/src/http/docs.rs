//! The OpenAPI document, and a page that renders it without internet access.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::{Map, Value, json};

use super::Beside;
use crate::engine::family;
use crate::engine::registry::Registry;
use crate::engine::schema::SPEC;

/// The server line of the document; it is replaced with the public URL.
const SERVER: &str = "  - url: http://127.0.0.1:8080\n";

/// The OpenAPI document with this service's public URL. Clones share it.
#[derive(Debug, Clone)]
pub struct Description {
    yaml: Arc<str>,
    json: Option<Arc<str>>,
    engines: Arc<str>,
}

impl Description {
    /// Creates the document for this public URL and the engines of this registry.
    #[must_use]
    pub fn new(base_url: &str, registry: &Registry) -> Self {
        // JSON strings are valid YAML.
        let server = format!("  - url: {}\n", Value::from(base_url));
        let yaml = SPEC.replacen(SERVER, &server, 1);
        let spec: Option<Value> = serde_yaml::from_str(&yaml).ok();
        let json = spec.map(|spec| spec.to_string().into());
        Self { yaml: yaml.into(), json, engines: engines(registry).to_string().into() }
    }
}

/// Returns the engine per path (`null`: none) and the inputs that it restricts.
///
/// `only` holds the values that a request needs for the engine to accept it. App runs are left out: their
/// steps name the engines.
fn engines(registry: &Registry) -> Value {
    let families = family::ALL.iter().filter(|one| one.path != family::APP_RUNS.path);
    let told = families.map(|one| {
        let engine = registry.engine_name(one);
        let only = match engine {
            Some("patch-inpainter") => json!({"prompt": ""}),
            _ => json!({}),
        };
        (one.path.to_owned(), json!({"engine": engine, "only": only}))
    });
    Value::Object(told.collect::<Map<_, _>>())
}

/// The pages may load only what the service itself serves.
///
/// No other page may frame them, because `/docs` holds an API key. `default-src` does not cover the last three.
pub(super) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                                 img-src 'self' data:; media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// `GET /docs`: returns the page.
pub(super) async fn page() -> Response {
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, POLICY)];
    (headers, include_str!("../../assets/docs/index.html")).into_response()
}

/// `GET /docs/page.js`: returns the page's script.
pub(super) async fn script() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], include_str!("../../assets/docs/page.js"))
}

/// `GET /docs/page.css`: returns the page's stylesheet.
pub(super) async fn style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], include_str!("../../assets/docs/page.css"))
}

/// `GET /`: redirects to the page.
pub(super) async fn home() -> Redirect {
    Redirect::temporary("/docs")
}

/// `GET /docs/engines.json`: returns the engine per path.
pub(super) async fn engines_of(State(beside): State<Beside>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], beside.description.engines.to_string()).into_response()
}

/// `GET /openapi.yaml`: returns the OpenAPI document as YAML.
pub(super) async fn yaml(State(beside): State<Beside>) -> Response {
    ([(header::CONTENT_TYPE, "application/yaml")], beside.description.yaml.to_string()).into_response()
}

/// `GET /openapi.json`: returns the OpenAPI document as JSON.
pub(super) async fn json_of(State(beside): State<Beside>) -> Response {
    match &beside.description.json {
        Some(json) => ([(header::CONTENT_TYPE, "application/json")], json.to_string()).into_response(),
        None => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::engine::settings::Environment;

    #[test]
    fn the_description_names_this_service_in_both_forms() {
        assert_eq!(SPEC.matches(SERVER).count(), 1);
        let registry = Registry::default();
        let url = "https://assets.example.com/a#b: c";
        let Description { yaml, json, .. } = Description::new(url, &registry);
        let json: Value = serde_json::from_str(&json.unwrap()).unwrap();
        let again: Value = serde_yaml::from_str(&yaml).unwrap();
        assert_eq!(json, again);
        assert_eq!(json["servers"][0]["url"], url);
        assert!(json["paths"]["/v1/icons/{id}"].is_object());
    }

    #[test]
    fn families_without_an_engine_are_told() {
        let families = toml::from_str("[voiceover]\nengine = 'none'").unwrap();
        let told = engines(
            &Registry::new(&BTreeMap::new(), &families, &BTreeMap::new(), &Environment::on_this_machine())
                .unwrap(),
        );
        assert_eq!(told["/v1/ai/voiceover"]["engine"], Value::Null);
        assert_eq!(told["/v1/ai/lip-sync/{model}"]["engine"], Value::Null);
        assert_eq!(
            told["/v1/ai/{model}-image-edit"],
            json!({"engine": "patch-inpainter", "only": {"prompt": ""}})
        );
        assert!(told.get("/v1/ai/apps/runs").is_none());
    }
}
