//! A downstream project: the server and the client that `docs/` shows run against each other.

mod client;
mod samples;
mod server;

use std::time::Duration;

use asset_api_client::{
    models::{common::TaskStatus, icons::GetIconInput, voiceover::ListVoiceoversInput},
    runtime::{RetryPolicy, http_builder, reqwest},
};
use serde_json::Value;
use tokio::net::TcpListener;

use crate::pages;

/// Starts the page's server on a free port, until the test ends. Returns its URL.
async fn start() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
    let address = listener.local_addr().expect("it is bound");
    let app = server::app().expect("the service can be built");
    tokio::spawn(async move { axum::serve(listener, app).await });
    format!("http://{address}")
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

#[tokio::test]
async fn errors_are_those_of_the_page() {
    let tasks = r#"{"data": [{"task_id": "7f3c2f0e-5b1d-4a51-9c55-2a6f1f0d9b7e", "status": "CREATED"}, {"status": 17}]}"#;
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
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
    let url = format!("http://{}", listener.local_addr().expect("it is bound"));
    tokio::spawn(async move { axum::serve(listener, app).await });

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
