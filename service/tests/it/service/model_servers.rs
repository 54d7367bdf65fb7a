//! Engines that are servers with OpenAI's API.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use asset_api_client::models::common::{Task, TaskStatus};
use asset_api_client::models::improve_prompt::{ImprovePromptRequest, PromptType};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use uuid::Uuid;

use super::running::Running;
use super::waiting::{self, eventually};
use crate::service::outside::serve;

/// A server of chat completions, whose responses a test chooses.
#[derive(Clone, Default)]
pub struct Model(Arc<Mutex<Seen>>);

#[derive(Default)]
struct Seen {
    requests: Vec<Value>,
    keys: Vec<String>,
    /// The status of the next responses, before those of success.
    failures: Vec<u16>,
    hangs: bool,
    /// How long a response takes.
    pause: Duration,
}

impl Model {
    pub async fn start(&self) -> String {
        let app = axum::Router::new()
            .route(
                "/v1/models",
                get(async || json!({"object": "list", "data": [{"id": "tiny"}]}).to_string()),
            )
            .route("/v1/chat/completions", post(reply))
            .with_state(self.clone());
        format!("http://{}/v1", serve(app).await)
    }

    fn requests(&self) -> usize {
        self.0.lock().unwrap().requests.len()
    }

    fn then(&self, failures: &[u16], hangs: bool) {
        let mut seen = self.0.lock().unwrap();
        *seen = Seen { failures: failures.iter().rev().copied().collect(), hangs, ..Seen::default() };
    }
}

async fn reply(State(model): State<Model>, headers: HeaderMap, request: Bytes) -> Response {
    let request = serde_json::from_slice(&request).unwrap();
    let (failure, hangs, pause) = {
        let mut seen = model.0.lock().unwrap();
        seen.keys.extend(headers.get("authorization").map(|key| key.to_str().unwrap().to_owned()));
        seen.requests.push(request);
        (seen.failures.pop(), seen.hangs, seen.pause)
    };
    tokio::time::sleep(pause).await;
    if hangs {
        std::future::pending::<()>().await;
    }
    match failure {
        // A server that quotes the key.
        Some(status) => (
            StatusCode::from_u16(status).unwrap(),
            [("retry-after", "0")],
            json!({"error": {"message": "no, sk-hush", "code": status}}).to_string(),
        )
            .into_response(),
        None => {
            json!({"choices": [{"message": {"content": " A red fox at dawn. "}}]}).to_string().into_response()
        }
    }
}

fn settings(url: &str, more: &str) -> String {
    format!(
        r#"
        [engines.local]
        kind = "openai"
        base-url = "{url}"
        key = {{ env = "KEY_OF_THE_MODEL" }}
        {more}
        [families.improve-prompt]
        engine = "local"
        model = "tiny"
        extra = {{ seed = "{{{{ seed }}}}", max_tokens = 99 }}
        [worker]
        backoff-seconds = 0
        lease-seconds = 1
        "#
    )
}

const KEY: &[(&str, &str)] = &[("KEY_OF_THE_MODEL", "sk-hush")];

async fn improve(running: &Running) -> Uuid {
    let request = ImprovePromptRequest::new("a fox", PromptType::Image);
    running.client().improve_prompt(request).await.unwrap().data.task_id
}

async fn ended(running: &Running, id: Uuid) -> Task {
    waiting::ended(async || running.client().get_improved_prompt(id).await.unwrap().data).await
}

/// Runs a task of a built-in engine.
async fn click(running: &Running) -> TaskStatus {
    running.sound(running.click(None).await).await.status
}

fn code(task: &Task) -> Option<&str> {
    Some(task.error.as_ref()?.code.as_str())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_serves_a_family() {
    let model = Model::default();
    let running = Running::start_with(&settings(&model.start().await, ""), &[], KEY);
    let task = ended(&running, improve(&running).await).await;
    assert_eq!(task.generated, ["A red fox at dawn."], "{task:?}");
    assert_eq!(task.engine.as_deref(), Some("local/tiny"));
    {
        let seen = model.0.lock().unwrap();
        let request = &seen.requests[0];
        assert_eq!((&request["model"], &request["max_tokens"]), (&json!("tiny"), &json!(99)));
        assert_eq!(request["messages"][1]["content"], "a fox");
        assert!(request["seed"].is_u64());
        assert_eq!(seen.keys, ["Bearer sk-hush"]);
    }

    // An error before any output costs no attempt and fails no task, and the key is never shown.
    model.then(&[429, 401, 429, 404], false);
    let task = ended(&running, improve(&running).await).await;
    assert_eq!(task.status, TaskStatus::Completed, "{task:?}");
    assert_eq!(model.requests(), 5);
    assert!(!running.log().contains("sk-hush") && !running.metrics().await.contains("sk-hush"));

    model.then(&[422], false);
    let task = ended(&running, improve(&running).await).await;
    assert_eq!((code(&task), model.requests()), (Some("unsupported_parameters"), 1));
    assert!(!format!("{task:?}").contains("sk-hush"), "{task:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_attempt_that_learns_from_the_store_that_its_task_has_ended_counts_as_cancelled() {
    let model = Model::default();
    let settings = settings(&model.start().await, "").replace("lease-seconds = 1", "lease-seconds = 60");
    let running = Running::start_with(&settings, &[], KEY);
    model.then(&[422], false);
    // The server refuses the request after the task was cancelled, and before the next heartbeat.
    model.0.lock().unwrap().pause = Duration::from_millis(1500);
    let id = improve(&running).await;
    eventually("no request", async || (model.requests() == 1).then_some(())).await;
    assert!(running.command(&["tasks", "cancel", &id.to_string()]).status.success());
    let outcome = eventually("the attempt does not end", async || {
        let metrics = running.metrics().await;
        let mut lines = metrics.lines().filter(|line| line.starts_with("task_attempt_seconds_count{"));
        lines.find_map(|line| Some(line.split_once("outcome=\"")?.1.split('"').next()?.to_owned()))
    });
    assert_eq!(outcome.await, "cancelled");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_uncertain_call_is_repeated_only_if_the_settings_say_so() {
    let model = Model::default();
    let url = model.start().await;
    let running = Running::start_with(&settings(&url, ""), &[], KEY);
    model.then(&[502], false);
    let task = ended(&running, improve(&running).await).await;
    assert_eq!((code(&task), model.requests()), (Some("outcome_unknown"), 1));

    let other = Running::start_with(&settings(&url, "on-uncertain = 'retry'"), &[], KEY);
    model.then(&[502], false);
    let task = ended(&other, improve(&other).await).await;
    assert_eq!((task.status, model.requests()), (TaskStatus::Completed, 2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_during_a_call_pays_once() {
    let model = Model::default();
    let mut running = Running::start_with(&settings(&model.start().await, ""), &[], KEY);
    model.then(&[], true);
    let id = improve(&running).await;
    eventually("no request", async || (model.requests() > 0).then_some(())).await;
    model.0.lock().unwrap().hangs = false;
    let environment = KEY;
    assert!(running.kill_and_restart_with(&[], environment));
    let task = ended(&running, id).await;
    assert_eq!((code(&task), model.requests()), (Some("outcome_unknown"), 1), "{task:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_wait_for_a_server_that_is_down() {
    // A socket that does not listen refuses connections, and keeps its port for the server.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let address = socket.local_addr().unwrap();
    let running = Running::start_with(&settings(&format!("http://{address}/v1"), ""), &[], KEY);
    let ids = [improve(&running).await, improve(&running).await, improve(&running).await];
    let failures = |metrics: &str| {
        let count = metrics.split("engine_failures_total{engine=\"local\"} ").nth(1)?;
        count.lines().next()?.parse::<u64>().ok()
    };
    let fails = async || failures(&running.metrics().await).filter(|count| *count >= 3);
    eventually("fewer than three failures", fails).await;
    let open = Instant::now();
    // The breaker is open: the tasks wait, and other families continue. Requests in progress may end first.
    tokio::time::sleep(Duration::from_millis(500)).await;
    let before = failures(&running.metrics().await).unwrap();
    assert_eq!(click(&running).await, TaskStatus::Completed);
    tokio::time::sleep(Duration::from_secs(2)).await;
    let after = failures(&running.metrics().await).unwrap();
    // It lets one request through after five seconds. On a slow machine, this time has passed already.
    let probes = open.elapsed().as_secs() / 4;
    assert!((before..=before + probes).contains(&after), "{before} and {after}: who asks while it is open?");
    let model = Model::default();
    let app = axum::Router::new().route("/v1/chat/completions", post(reply)).with_state(model.clone());
    let listener = socket.listen(64).unwrap();
    tokio::spawn(axum::serve(listener, app).into_future());
    for id in ids {
        assert_eq!(ended(&running, id).await.status, TaskStatus::Completed);
    }
    assert_eq!(model.requests(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_gets_as_many_requests_as_its_concurrency_and_holds_no_thread() {
    let model = Model::default();
    let settings = settings(&model.start().await, "concurrency = 2");
    let running = Running::start_with(&settings, &["--threads", "1"], KEY);
    model.then(&[], true);
    for _ in 0..3 {
        improve(&running).await;
    }
    eventually("fewer than two requests", async || (model.requests() >= 2).then_some(())).await;
    assert_eq!(click(&running).await, TaskStatus::Completed, "the only thread is free");
    assert_eq!(model.requests(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_names_the_models() {
    let model = Model::default();
    let running = Running::start_with(&settings(&model.start().await, ""), &[], KEY);
    // The key is in the environment of `serve` alone.
    let checked = running.command(&["engines", "check"]);
    assert!(String::from_utf8(checked.stderr).unwrap().contains("variable `KEY_OF_THE_MODEL` is not set"));
    std::fs::write(running.data().join("key"), "sk-hush\n").unwrap();
    let file = running.data().join("asset-service.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("{ env = \"KEY_OF_THE_MODEL\" }", "{ file = \"key\" }")).unwrap();
    let checked = String::from_utf8(running.command(&["engines", "check"]).stdout).unwrap();
    assert!(checked.contains("has the model `tiny`"), "{checked}");
    let other = std::fs::read_to_string(&file).unwrap().replace("model = \"tiny\"", "model = \"other\"");
    std::fs::write(running.data().join("other.toml"), other).unwrap();
    let config = running.data().join("other.toml");
    let checked = running.command(&["engines", "check", "--config", config.to_str().unwrap()]);
    assert_eq!(checked.status.code(), Some(0), "a warning is not a failure");
    let checked = String::from_utf8(checked.stdout).unwrap();
    assert!(
        checked.contains("warning") && checked.contains("set `model` to one of its 1: `tiny`"),
        "{checked}"
    );
    assert_eq!(model.requests(), 0, "nothing that costs money is called");
    let checked = String::from_utf8(running.command(&["engines", "check", "--paid"]).stdout).unwrap();
    assert!(checked.contains("a text of 18 characters") && model.requests() == 1, "{checked}");
}
