//! The calls of all operations, and what they show of engines.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use asset_service::engine::family::Family;
use asset_service::media::format::Kind;
use serde_json::{Value, json};
use uuid::Uuid;

use super::instance::Instance;
use super::report::{Row, Source};
use crate::service::http_client;
use crate::service::waiting::TIMEOUT;

/// The icon `lucide:house`.
const ICON: &str = "135458005671585";

/// A workflow app whose steps attached engines serve.
const APP: &str = "nArr8d";

/// The host of the media in the document's examples.
const EXAMPLES: &str = "https://assets.example.com/";

/// An operation of the instance's capabilities that creates a task.
struct Create {
    operation: String,
    /// The path that lists the tasks of the family.
    tasks: String,
    family: &'static Family,
    kind: String,
    task: String,
}

/// A completed task's engine, and who provides it.
#[derive(Clone)]
struct Served {
    family: &'static str,
    engine: String,
    kind: String,
}

impl Instance {
    /// Calls all operations of the document, and returns what served each, in the document's order.
    pub async fn call_all(&self) -> Vec<Row> {
        let document = self.page("/openapi.json").await;
        let creates = self.create_all(&document).await;
        let mut served = BTreeMap::new();
        for create in &creates {
            let engine = self.completed(create).await;
            let (family, kind) = (create.family.name, create.kind.clone());
            served.insert(create.operation.clone(), Served { family, engine, kind });
        }
        let run = self.run_app().await;
        let mut rows = Vec::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let Some(id) = operation["operationId"].as_str() else { continue };
                let documented = &operation["responses"];
                let is_of = |create: &&Create| {
                    let below = path.strip_prefix(&create.tasks);
                    below.is_some_and(|rest| rest.is_empty() || rest.starts_with("/{task-id}"))
                };
                let itself = creates.iter().find(|create| create.operation == id);
                let create = itself.or_else(|| creates.iter().find(is_of));
                let served = match create {
                    Some(create) => {
                        if create.operation != id {
                            let url = path.replace("{task-id}", &create.task).replace("{format}", "png");
                            let found = self.call(method, &standard(&url), documented).await.to_string();
                            let of_family = creates.iter().filter(|other| other.tasks == create.tasks);
                            let mut shown = of_family.filter(|other| found.contains(&other.task));
                            assert!(shown.next().is_some(), "{id}: {found}");
                        }
                        Some(served.get(id).unwrap_or(&served[&create.operation]).clone())
                    }
                    None => self.other(id, path, documented, &run).await,
                };
                rows.push(self.row(id, served));
            }
        }
        rows
    }

    fn row(&self, operation: &str, served: Option<Served>) -> Row {
        let operation = operation.to_owned();
        let Some(Served { family, engine, kind }) = served else {
            return Row {
                operation,
                family: "",
                engine: String::new(),
                kind: String::new(),
                source: Source::None,
            };
        };
        let sources: BTreeSet<Source> =
            engine.split(" + ").map(|engine| self.source(engine, &kind)).collect();
        let source = if sources.len() == 1 { sources.into_iter().next().unwrap() } else { Source::Mixed };
        Row { operation, family, engine, kind, source }
    }

    /// Returns who an engine is.
    fn source(&self, engine: &str, kind: &str) -> Source {
        match engine.split('/').next() {
            Some(name) if self.real.contains(name) => Source::Real,
            _ if kind == "built-in" => Source::BuiltIn,
            _ => Source::Simulated,
        }
    }

    /// Creates a task by each operation that does, with the document's example and media of the test.
    async fn create_all(&self, document: &Value) -> Vec<Create> {
        let capabilities = self.page("/docs/capabilities.json").await;
        let mut creates = Vec::new();
        for (id, capability) in capabilities["operations"].as_object().unwrap() {
            let text = |field: &str| capability[field].as_str().unwrap().to_owned();
            let path = text("path");
            let post = &document["paths"][&path]["post"];
            let body = post["requestBody"]["content"]["application/json"]["example"].to_string();
            let mut body: Value = serde_json::from_str(&body).unwrap();
            self.replace_media(&mut body);
            body["webhook_url"] = self.outside.hook().into();
            let created = self.send("post", &standard(&path), &body, &post["responses"]).await;
            creates.push(Create {
                operation: id.clone(),
                tasks: text("tasks"),
                family: Family::named(&text("family")).unwrap(),
                kind: capability["engine"]["kind"]
                    .as_str()
                    .unwrap_or_else(|| panic!("{id} has no engine"))
                    .to_owned(),
                task: created["data"]["task_id"].as_str().unwrap().to_owned(),
            });
        }
        creates
    }

    /// Replaces the media of an example by those of the test.
    fn replace_media(&self, value: &mut Value) {
        match value {
            Value::String(text) if text.starts_with(EXAMPLES) => {
                *value = self.outside.file(text.rsplit('/').next().unwrap()).into();
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.replace_media(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.replace_media(field)),
            _ => {}
        }
    }

    /// Waits for a task, checks its results and its webhook, and returns its engine.
    async fn completed(&self, create: &Create) -> String {
        let path = format!("{}/{}", standard(&create.tasks), create.task);
        let task = self.ended(&path, &["COMPLETED", "FAILED"]).await;
        assert_eq!(task["status"], "COMPLETED", "{}: {task} {}", create.operation, self.running.log());
        let results = task["generated"].as_array().unwrap();
        assert!(!results.is_empty(), "{}: {task}", create.operation);
        for result in results {
            check(result.as_str().unwrap(), create.family.makes).await;
        }
        let begun = Instant::now();
        while self.outside.webhooks(Uuid::parse_str(&create.task).unwrap(), "COMPLETED").is_empty() {
            assert!(begun.elapsed() < TIMEOUT, "{}: no webhook", create.operation);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        task["engine"].as_str().unwrap().to_owned()
    }

    /// Runs an app, and returns the run's id once it has completed.
    async fn run_app(&self) -> String {
        let path = format!("/v1/ai/apps/{APP}/run");
        let started =
            self.send("post", &path, &json!({"inputs": {"in_1": "Welcome."}}), &json!({"202": {}})).await;
        let id = started["workflow_run_identifier"].as_str().unwrap().to_owned();
        let run = self.ended(&format!("/v1/ai/apps/runs/{id}"), &["completed", "failed"]).await;
        assert_eq!(run["status"], "completed", "{run} {}", self.running.log());
        assert_eq!(run["result"]["audios"].as_array().map(Vec::len), Some(2), "{run}");
        id
    }

    /// Calls an operation that belongs to no family with tasks.
    ///
    /// Returns the engine that serves it, if it needs one.
    async fn other(&self, id: &str, path: &str, documented: &Value, run: &str) -> Option<Served> {
        let found = match id {
            "run_app" => None,
            "get_icon" => Some(path.replace("{id}", ICON)),
            "get_app" => Some(path.replace("{app-id}", APP)),
            "get_app_run" => Some(path.replace("{run-id}", run)),
            "download_music" | "download_sfx" => {
                let list =
                    self.call("get", path.strip_suffix("/download").unwrap(), &json!({"200": {}})).await;
                Some(format!("{path}?id={}", list["results"][0]["id"]))
            }
            "list_resources" | "search_music" | "search_sfx" | "list_loras" | "list_apps"
            | "list_own_apps" => Some(path.to_owned()),
            _ => panic!("the test has no call of {id}, {path}"),
        };
        if let Some(path) = found {
            self.call("get", &path, documented).await;
        }
        if !matches!(id, "run_app" | "get_app_run") {
            return None;
        }
        let task = Uuid::parse_str(run.strip_prefix("run_").unwrap()).unwrap();
        let engine = self.running.store().await.any_task(task).await.unwrap().unwrap().engine;
        Some(Served { family: "app-runs", engine, kind: "steps".to_owned() })
    }

    /// Polls a path until the task or run there has one of these statuses.
    async fn ended(&self, path: &str, statuses: &[&str]) -> Value {
        let begun = Instant::now();
        loop {
            let task = self.call("get", path, &json!({"200": {}})).await["data"].take();
            if statuses.contains(&task["status"].as_str().unwrap()) {
                return task;
            }
            assert!(begun.elapsed() < TIMEOUT, "{path}: {task} {}", self.running.log());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    async fn call(&self, method: &str, path: &str, documented: &Value) -> Value {
        self.send(method, path, &Value::Null, documented).await
    }

    /// Sends a request, and returns the body of the response; its status must be a documented success.
    async fn send(&self, method: &str, path: &str, body: &Value, documented: &Value) -> Value {
        let (client, url) = (http_client::new(), format!("{}{path}", self.running.url));
        let request = if method == "get" { client.get(url) } else { client.post(url) };
        let request = if body.is_null() { request } else { request.json(body) };
        let response = request.header("x-service-api-key", &self.running.key).send().await.unwrap();
        let status = response.status();
        let text = response.text().await.unwrap();
        let is_documented = !documented[status.as_str()].is_null();
        assert!(status.is_success() && is_documented, "{method} {path}: {status} {text}");
        serde_json::from_str(&text).unwrap()
    }

    async fn page(&self, path: &str) -> Value {
        http_client::get(format!("{}{path}", self.running.url)).await.unwrap().json().await.unwrap()
    }
}

/// Returns a path with the default model.
fn standard(path: &str) -> String {
    path.replace("{model}", "standard")
}

/// Checks that a result is a text, or a complete file of this kind.
async fn check(result: &str, makes: Option<Kind>) {
    let Some(kind) = makes else {
        assert!(!result.trim().is_empty() && !result.starts_with("http"), "{result}");
        return;
    };
    let response = http_client::get(result).await.unwrap();
    assert_eq!(response.status(), 200, "{result}");
    let media_type = response.headers()["content-type"].to_str().unwrap().to_owned();
    assert!(media_type.starts_with(kind.name()), "{result}: {media_type}");
    let bytes = response.bytes().await.unwrap();
    match media_type.as_str() {
        "image/png" | "image/jpeg" | "image/webp" => drop(image::load_from_memory(&bytes).unwrap()),
        "audio/wav" => {
            assert_eq!(u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize + 8, bytes.len())
        }
        "video/mp4" => assert!(bytes.windows(4).any(|part| part == b"moov"), "{result}"),
        _ => panic!("{result}: {media_type}"),
    }
}
