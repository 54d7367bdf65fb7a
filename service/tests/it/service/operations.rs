//! Every operation of the spec responds as documented.
//!
//! No operation responds 501. Families without an engine respond 503.

use asset_api_validation::OPERATIONS;
use asset_service::engine::family;
use serde_json::Value;

use super::running::Running;
use crate::service::http_client;

/// Returns whether no built-in engine serves an operation, by the table of families.
pub fn needs_an_engine(operation: &Value) -> bool {
    let unserved = family::ALL.iter().filter(|family| family.engine.is_none());
    unserved.flat_map(|family| family.creates).any(|id| operation["operationId"] == *id)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_is_implemented() {
    let settings = "[tiers.default]\nburst = 1000\n";
    let running = Running::start_with(settings, &["--threads", "0"], &[]);
    let spec: Value =
        http_client::get(format!("{}/openapi.json", running.url)).await.unwrap().json().await.unwrap();
    let mut called = 0;
    for (path, item) in spec["paths"].as_object().unwrap() {
        for method in ["get", "post"] {
            let operation = &item[method];
            if operation.is_null() {
                continue;
            }
            let (status, body) = call(&running, path, method, operation).await;
            let expected = expected(path, method, operation);
            assert!(expected.contains(&status), "{method} {path}: {status} {body}");
            if status == 503 {
                assert_eq!(body["message"], "no engine configured", "{path}");
                assert_eq!(body["permanent"], true, "{path}");
            }
            called += 1;
        }
    }
    assert_eq!(called, OPERATIONS.iter().flat_map(|tag| *tag).count());
}

/// Returns the valid statuses of an empty service for the spec's example.
fn expected(path: &str, method: &str, operation: &Value) -> &'static [u16] {
    let by_id = path.ends_with("-id}") || path.contains("/{format}") || path == "/v1/icons/{id}";
    match method {
        "get" if by_id || path.ends_with("/download") => &[404],
        "get" => &[200],
        _ if path.contains("{app-id}") || by_id => &[404],
        _ if needs_an_engine(operation) => &[503],
        _ => &[200],
    }
}

async fn call(running: &Running, path: &str, method: &str, operation: &Value) -> (u16, Value) {
    let path = path
        .replace("{model}", "standard")
        .replace("{task-id}", "0193b7a2-6b1e-7c3a-9b1f-2f6f0f3d9c11")
        .replace("{format}", "svg")
        .replace("{id}", "1")
        .replace("{app-id}", "none")
        .replace("{run-id}", "run_none");
    let query = if path.ends_with("/download") { "?id=1" } else { "" };
    let url = format!("{}{path}{query}", running.url);
    let client = http_client::new();
    let request = if method == "get" { client.get(url) } else { client.post(url) };
    let request = request.header("x-service-api-key", &running.key);
    let body = &operation["requestBody"]["content"]["application/json"]["example"];
    let request = if body.is_null() { request } else { request.json(body) };
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    (status, response.json().await.unwrap_or_default())
}
