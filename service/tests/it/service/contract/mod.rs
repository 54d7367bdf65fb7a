//! The contract to the letter: compares the running service's responses with the spec.

mod engines;
mod responses;
mod runs;

use std::sync::LazyLock;

use reqwest::{Method, Response};
use serde_json::Value;

use super::requests::response;
use super::running::Running;
use crate::service::http_client;

/// The spec.
static SPEC: LazyLock<Value> = LazyLock::new(|| {
    serde_yaml::from_str(include_str!("../../../../../spec/openapi.yaml")).expect("the spec is YAML")
});

/// Limits that no test reaches.
const UNLIMITED: &str = "[tiers.default]\nburst = 100000\nper-second = 100000.0\n";

/// Sends a request with this key, and a JSON body if there is one.
async fn send(running: &Running, key: &str, method: Method, path: &str, body: Option<&Value>) -> Response {
    let request = http_client::new().request(method, format!("{}{path}", running.url));
    let request = request.header("x-service-api-key", key);
    let request = match body {
        Some(body) => request.json(body),
        None => request,
    };
    request.send().await.unwrap()
}

/// Posts a body with the service's own key. Returns the status and the body of the response.
async fn post(running: &Running, path: &str, body: &Value) -> (u16, Value) {
    response(running.post(path, body)).await
}

/// Sends a GET with the service's own key. Returns the status and the body of the response.
async fn get(running: &Running, path: &str) -> (u16, Value) {
    response(running.get(path)).await
}

/// Asserts that a request was rejected for this field only, and returns the reason.
fn refused(path: &str, name: &str, (status, body): (u16, Value)) -> String {
    assert_eq!(status, 400, "{path} {name}: {body}");
    let params = body["invalid_params"].as_array().unwrap();
    let names: Vec<_> = params.iter().map(|param| param["name"].as_str().unwrap()).collect();
    assert_eq!(names, [name], "{path}: {body}");
    assert_eq!(body["message"], params[0]["reason"], "{path}: {body}");
    params[0]["reason"].as_str().unwrap().to_owned()
}

/// Returns the target of a reference in the spec.
pub fn resolve(node: &Value) -> &Value {
    match node["$ref"].as_str() {
        Some(reference) => resolve(SPEC.pointer(reference.trim_start_matches('#')).unwrap()),
        None => node,
    }
}
