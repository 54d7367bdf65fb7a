//! A downstream project: the server and the client that `docs/` shows run against each other.

mod blocking;
mod client;
mod lists;
mod recorded;
mod samples;
mod server;
mod tasks;
mod testing;
mod webhooks;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use asset_api_client::{
    models::{common::TaskStatus, icons::GetIconInput, voiceover::ListVoiceoversInput},
    runtime::{RetryPolicy, http_builder, reqwest},
};
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
};

use crate::pages;

/// Serves routes on a free port, until the test ends. Returns the URL.
async fn serve(app: axum::Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(async move { axum::serve(listener, app).await });
    format!("http://{address}")
}

/// Starts the page's server. Returns its URL.
async fn start() -> String {
    serve(server::app().expect("the service can be built")).await
}

#[tokio::test]
async fn client_calls_the_server() {
    let client = client::connect(&start().await, "test-key").expect("a client");
    let task = client::speak(&client, "Welcome to the tour.").await.expect("it is spoken");
    assert_eq!(task.status, TaskStatus::Created);
    assert_eq!(client::status(&client, &task).await.expect("there is a task"), TaskStatus::Created);
}

#[tokio::test]
async fn text_that_is_too_long_is_rejected_by_name() {
    let client = client::connect(&start().await, "test-key").expect("a client");
    let error = client::speak(&client, &"a".repeat(40_001)).await.expect_err("it is too long");
    assert_eq!(error.status().map(|status| status.as_u16()), Some(400));
    assert_eq!(
        client::explain(&error),
        "Parameter 'text' is not valid: must be at most 40000 characters long"
    );
}

#[tokio::test]
async fn invalid_key_is_rejected() {
    let client = client::connect(&start().await, "another-key").expect("a client");
    let error = client::speak(&client, "Welcome to the tour.").await.expect_err("the key is wrong");
    assert_eq!(error.status().map(|status| status.as_u16()), Some(401));
    assert_eq!(client::explain(&error), "Invalid API key");
}

#[tokio::test]
async fn responses_are_those_of_the_page() {
    let url = start().await;
    let http = http_builder().build().expect("an HTTP client");
    let post = |body: &'static str| http.post(format!("{url}/v1/ai/voiceover")).body(body);
    let json = |request: reqwest::RequestBuilder| {
        request.header("content-type", "application/json").header("x-service-api-key", "test-key")
    };

    let page = pages::page("docs/implement-the-server.md");
    let shown = pages::section(&page, "## Error responses");
    let request = pages::only_block(&shown, "json request");
    let expected: Value = serde_json::from_str(&pages::only_block(&shown, "json")).expect("it is JSON");
    let response = json(http.post(format!("{url}/v1/ai/voiceover")).body(request));
    let response = response.send().await.expect("a response");
    assert_eq!(response.headers()["content-type"], "application/problem+json");
    let body: Value = serde_json::from_slice(&response.bytes().await.expect("a body")).expect("it is JSON");
    assert_eq!(body, expected);

    let own = json(post(r#"{"text": "Welcome.", "voice_id": "nobody"}"#)).send().await.expect("a response");
    let own = own.text().await.expect("a body");
    assert!(own.contains("'voice_id' is not valid: must be a voice of this studio"), "{own}");

    let statuses = [("/healthz", 200), ("/v1/ai/voiceover", 501), ("/v1/icons/1", 501), ("/nowhere", 404)];
    for (path, expected) in statuses {
        let response = json(http.get(format!("{url}{path}"))).send().await.expect("a response");
        assert_eq!(response.status().as_u16(), expected, "{path}");
    }
}

/// Starts a server whose tasks end at their second poll: that with an even number is completed. Its list has 3 pages.
async fn start_tasks() -> String {
    use axum::{Json, extract, http::HeaderMap, routing::get};

    let task = |number: u64, status: &str| {
        let id = format!("00000000-0000-0000-0000-{number:012}");
        let error = (status == "FAILED").then(|| json!({"code": "full", "message": "no room"}));
        json!({"task_id": id, "status": status, "generated": ["a.mp3"], "error": error})
    };
    let (created, polls) = (AtomicU64::new(0), AtomicU64::new(0));
    let create = move || {
        let number = created.fetch_add(1, Ordering::Relaxed);
        async move { ([("retry-after", "0")], Json(json!({"data": task(number, "CREATED")}))) }
    };
    let poll = move |extract::Path(id): extract::Path<String>| {
        let number: u64 = id.rsplit('-').next().and_then(|digits| digits.parse().ok()).expect("an id");
        let status = match (polls.fetch_add(1, Ordering::Relaxed) % 2, number % 2) {
            (0, _) => "IN_PROGRESS",
            (_, 0) => "COMPLETED",
            _ => "FAILED",
        };
        async move { ([("retry-after", "0")], Json(json!({"data": task(number, status)}))) }
    };
    let list = move |_: HeaderMap, extract::RawQuery(query): extract::RawQuery| {
        let query = query.unwrap_or_default();
        let page = query.split('&').find_map(|pair| pair.strip_prefix("page=")).unwrap_or("1");
        let page: u64 = page.parse().expect("a number");
        let tasks =
            if page > 3 { Vec::new() } else { vec![task(page * 2, "COMPLETED"), task(page, "FAILED")] };
        async move { Json(json!({"data": tasks})) }
    };
    let (create, poll) = (Arc::new(create), Arc::new(poll));
    let app = axum::Router::new()
        .route("/v1/ai/voiceover", get(list).post(move || create()))
        .route("/v1/ai/voiceover/{id}", get(move |id: extract::Path<String>| poll(id)));
    serve(app).await
}

#[tokio::test]
async fn tasks_are_waited_for() {
    let client = client::connect(&start_tasks().await, "test-key").expect("a client");
    assert_eq!(tasks::speak(&client, "Welcome.").await.expect("it is spoken"), ["a.mp3"]);
    let error = tasks::speak(&client, "Welcome.").await.expect_err("the second task fails").to_string();
    assert!(error.contains("no room"), "{error}");
    let id = "00000000-0000-0000-0000-000000000008";
    assert_eq!(tasks::watch(&client, id).await.expect("it ends"), ["a.mp3"]);
}

const SECRETS: [&str; 3] = [
    "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "whsec_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB",
];
const ID: &str = "00000000-0000-0000-0000-000000000007";

/// Starts a service whose task ends at once. It sends the event of the end twice, and then that of the start.
///
/// Its clock is wrong by some minutes. The events that are too old or too new come first. The channel gets the statuses
/// of the responses.
async fn start_sender() -> (String, UnboundedReceiver<Vec<u16>>) {
    use asset_api_client::receiver::runtime::sign;
    use axum::{
        Json,
        routing::{get, post},
    };

    let (responses, responded) = unbounded_channel();
    let create = move |Json(request): Json<Value>| async move {
        let url = request["webhook_url"].as_str().expect("a URL").to_owned();
        let http = http_builder().build().expect("an HTTP client");
        tokio::spawn(async move {
            let mut statuses = Vec::new();
            for (number, id, status, minutes) in [
                (0, "a", "COMPLETED", -6),
                (0, "a", "COMPLETED", 6),
                (0, "a", "COMPLETED", -4),
                (1, "a", "COMPLETED", 4),
                (1, "b", "IN_PROGRESS", 0),
            ] {
                let body = json!({"task_id": ID, "status": status, "generated": ["a.mp3"]}).to_string();
                let now = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("a time").as_secs();
                let time = i64::try_from(now).expect("seconds") + minutes * 60;
                let secret = SECRETS[number].parse().expect("a secret");
                let headers = sign(&[secret], id, time, body.as_bytes());
                let sent = http.post(&url).headers(headers).body(body).send().await.expect("a response");
                statuses.push(sent.status().as_u16());
            }
            responses.send(statuses).expect("the test waits for it");
        });
        Json(json!({"data": {"task_id": ID, "status": "CREATED", "generated": []}}))
    };
    let task = json!({"data": {"task_id": ID, "status": "COMPLETED", "generated": ["a.mp3"]}});
    let app = axum::Router::new()
        .route("/v1/ai/voiceover", post(create))
        .route("/v1/ai/voiceover/{id}", get(move || async move { Json(task) }));
    (serve(app).await, responded)
}

/// Without the event, the first poll would come after half a minute.
#[tokio::test]
async fn events_end_the_waiting() {
    let (results, mut received) = unbounded_channel();
    let tasks = asset_api_client::runtime::TaskEvents::new();
    let app = webhooks::app(SECRETS[0], Some(SECRETS[1]), results, &tasks).expect("valid secrets");
    let url = format!("{}/hooks/task_status_changed", serve(app).await);
    let (sender, mut responded) = start_sender().await;
    let client = client::connect(&sender, "test-key").expect("a client");
    let waited = tokio::time::timeout(Duration::from_secs(20), webhooks::speak(&client, &tasks, &url));
    assert_eq!(waited.await.expect("an event").expect("it is spoken"), ["a.mp3"]);
    let statuses = tokio::time::timeout(Duration::from_secs(20), responded.recv()).await;
    assert_eq!(statuses.expect("responses"), Some(vec![401, 401, 204, 204, 204]));
    assert_eq!(received.recv().await.as_deref(), Some("a.mp3"));
    assert!(received.try_recv().is_err(), "the event is handled once");
}

#[tokio::test]
async fn webhooks_are_verified_without_a_service() {
    let body = json!({"task_id": ID, "status": "COMPLETED", "generated": []}).to_string();
    let secret = SECRETS[0].parse().expect("a secret");
    let request = asset_api_client::receiver::runtime::signed_request(&secret, "/", "a", body.clone());
    let headers = request.expect("a request").headers().clone();
    let verified = |secret, body: &str| webhooks::verified(secret, &headers, body.as_bytes());
    assert_eq!(verified(SECRETS[0], &body).expect("it is signed").task_id.to_string(), ID);
    for (secret, body, expected) in [
        (SECRETS[2], &*body, "the signature does not match"),
        (SECRETS[0], &body[1..], "the signature does not match"),
        ("whsec_", &*body, "a webhook secret must be 24 to 64 bytes in base64, which `whsec_` can precede"),
    ] {
        assert_eq!(verified(secret, body).expect_err("it is not trusted").to_string(), expected);
    }
}

#[tokio::test]
async fn many_tasks_are_waited_for() {
    let client = client::connect(&start_tasks().await, "test-key").expect("a client");
    assert!(tasks::speak_all(&client, &["one"]).await == 1);
}

#[tokio::test]
async fn lists_are_read_to_their_end() {
    let client = client::connect(&start_tasks().await, "test-key").expect("a client");
    assert_eq!(lists::failures(&client).await.expect("a list").len(), 3);
    lists::copy(&client, None).await.unwrap();
    lists::copy(&client, Some("3".to_owned())).await.unwrap();
}

#[tokio::test]
async fn errors_are_those_of_the_page() {
    let tasks = r#"{"data": [{"task_id": "7f3c2f0e-5b1d-4a51-9c55-2a6f1f0d9b7e", "status": "CREATED", "generated": []}, {"status": 17}]}"#;
    let reply = |status: u16, body| {
        move || async move {
            let status = axum::http::StatusCode::from_u16(status).expect("a status");
            (status, [("content-type", "application/json")], body)
        }
    };
    let app = axum::Router::new()
        .route("/v1/icons/1", axum::routing::get(reply(404, r#"{"message": "Icon not found"}"#)))
        .route("/v1/ai/voiceover", axum::routing::get(reply(200, tasks)))
        .route("/slow/v1/ai/voiceover", axum::routing::get(std::future::pending::<()>));
    let url = serve(app).await;

    let client = client::connect(&url, "test-key").expect("a client");
    let unknown = client.get_icon(GetIconInput::new(1)).await.expect_err("there is no icon").to_string();
    let list = ListVoiceoversInput::default;
    let malformed = client.list_voiceovers(list()).await.expect_err("the list is malformed").to_string();
    let client = client::connect(&format!("{url}/slow"), "test-key").expect("a client");
    let call = client.list_voiceovers(list()).timeout(Duration::from_millis(10));
    let call = call.retry(RetryPolicy::default().base_delay(Duration::from_millis(1)));
    let late = call.await.expect_err("there is no response").to_string().replace("10ms", "10s");

    let page = pages::page("docs/use-the-client.md");
    let shown = pages::only_block(&pages::section(&page, "## Errors"), "text");
    assert_eq!(shown.lines().collect::<Vec<_>>(), [unknown, malformed, late]);
}
