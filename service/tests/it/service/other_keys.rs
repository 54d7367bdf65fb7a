//! Every operation of the spec that names a task: only the owner finds the task.

use asset_api_validation::OPERATIONS;
use asset_service::domain::TaskStatus;
use serde_json::{Value, json};
use uuid::Uuid;

use super::running::Running;
use crate::service::http_client;
use crate::store::fixture;

const SETTINGS: &str = "[tiers.default]\nburst = 100000\nper-second = 100000.0\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_belong_to_one_key() {
    let running = Running::start_with(SETTINGS, &["--threads", "0"], &[]);
    let other = running.new_key(&["--enterprise"]);
    let spec: Value =
        http_client::get(format!("{}/openapi.json", running.url)).await.unwrap().json().await.unwrap();
    let store = running.store().await;
    let mut checked = 0;
    for (path, item) in spec["paths"].as_object().unwrap() {
        let Some((list, _)) = path.split_once("/{task-id}").or_else(|| path.split_once("/{run-id}")) else {
            continue;
        };
        let path_of_list = list.replace("{model}", "standard");
        let new = fixture::listed_at(&path_of_list, fixture::task(running.key_id()));
        let id = fixture::create(&store, new).await.id;
        for method in ["get", "post"].into_iter().filter(|method| item[method].is_object()) {
            let call = |key: &str, id| call(&running, method, path, key.to_owned(), id);
            let (status, reply) = call(&running.key, id).await;
            assert_eq!(status, 200, "{method} {path}: {reply}");
            let refused = call(&other, id).await;
            assert_eq!(
                refused,
                call(&other, Uuid::now_v7()).await,
                "{method} {path}: the response must be the one for an unknown task"
            );
            assert_eq!(refused.0, 404, "{method} {path}");
            checked += 1;
        }
        if spec["paths"][list]["get"].is_object() {
            let (_, mine) = send(&running, "get", &path_of_list, &running.key).await;
            let (_, theirs) = send(&running, "get", &path_of_list, &other).await;
            assert!(mine["data"].as_array().is_some_and(|tasks| !tasks.is_empty()), "{path_of_list}");
            assert_eq!(theirs, json!({"data": []}), "{path_of_list}");
        }
        assert_eq!(store.any_task(id).await.unwrap().unwrap().status, TaskStatus::Created, "{path}");
    }
    let operations = OPERATIONS.iter().flat_map(|tag| *tag);
    let names_a_task = |path: &str| path.contains("/{task-id}") || path.contains("/{run-id}");
    assert_eq!(checked, operations.filter(|operation| names_a_task(operation.path)).count());
}

/// Calls the operation on this task; returns the status and the response.
async fn call(running: &Running, method: &str, path: &str, key: String, id: Uuid) -> (u16, Value) {
    let path = path
        .replace("{model}", "standard")
        .replace("{task-id}", &id.to_string())
        .replace("{run-id}", &format!("run_{}", id.simple()))
        .replace("{format}", "svg");
    send(running, method, &path, &key).await
}

async fn send(running: &Running, method: &str, path: &str, key: &str) -> (u16, Value) {
    let url = format!("{}{path}", running.url);
    let client = http_client::new();
    let request = if method == "get" { client.get(url) } else { client.post(url) };
    let response = request.header("x-service-api-key", key).send().await.unwrap();
    (response.status().as_u16(), response.json().await.unwrap())
}
