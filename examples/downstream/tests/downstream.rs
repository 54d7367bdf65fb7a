//! The program against a double of the asset API: the generated server with a trait implemented for the test.

// Clippy's rules for test code apply to all of this.
#![cfg(test)]

use std::{
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use asset_api_client::Client;
use asset_api_server::{
    Attempt, Authenticate, Context, Denied, Failure, Server,
    models::{
        common::{Task, TaskCreated, TaskCreatedResponse, TaskError, TaskResponse, TaskStatus},
        responses::ApiError,
        types::{Uuid, With},
        voiceover::{CreateVoiceoverInput, GetVoiceoverInput},
    },
    voiceover::VoiceoverApi,
};
use downstream_example::narrate;
use tokio::net::TcpListener;

/// A double that completes, or fails, its one task when it is asked for the third time.
struct Studio {
    outcome: Result<String, String>,
    asked: AtomicUsize,
}

impl VoiceoverApi for Studio {
    type Principal = ();

    async fn create_voiceover(
        &self,
        _: Context<()>,
        _: CreateVoiceoverInput,
    ) -> Result<TaskCreatedResponse, Failure<ApiError>> {
        Ok(TaskCreatedResponse::new(TaskCreated::new(Uuid::nil(), TaskStatus::Created)))
    }

    async fn get_voiceover(
        &self,
        _: Context<()>,
        input: GetVoiceoverInput,
    ) -> Result<TaskResponse, Failure<ApiError>> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        let task = match &self.outcome {
            _ if asked < 2 => Task::new(input.task_id, TaskStatus::InProgress, Vec::new()),
            Ok(url) => Task::new(input.task_id, TaskStatus::Completed, vec![url.clone()]),
            Err(reason) => Task::new(input.task_id, TaskStatus::Failed, Vec::new())
                .with(|task| task.error = Some(TaskError::new("failed", reason.as_str()))),
        };
        Ok(TaskResponse::new(task))
    }
}

struct AnyKey;

impl Authenticate for AnyKey {
    type Principal = ();

    async fn authenticate(&self, _: Attempt<'_>) -> Result<(), Denied> {
        Ok(())
    }
}

/// Serves a double on a free port and returns it with its URL.
async fn serve(outcome: Result<&str, &str>) -> (Arc<Studio>, String) {
    let outcome = outcome.map(str::to_owned).map_err(str::to_owned);
    let studio = Arc::new(Studio { outcome, asked: AtomicUsize::new(0) });
    let service = Server::builder(AnyKey).voiceover(studio.clone()).build().expect("the API can be routed");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let url = format!("http://{}", listener.local_addr().expect("the listener is bound"));
    tokio::spawn(async move { axum::serve(listener, axum::Router::new().fallback_service(service)).await });
    (studio, url)
}

/// Serves a double and returns it with a client of it.
async fn studio(outcome: Result<&str, &str>) -> (Arc<Studio>, Client) {
    let (studio, url) = serve(outcome).await;
    let client = Client::builder().base_url(url).api_key("any").build().expect("the URL is valid");
    (studio, client)
}

#[tokio::test]
async fn waits_for_the_sound() {
    let (studio, client) = studio(Ok("http://files.test/tour.mp3")).await;
    let url = narrate(&client, "Welcome to the tour.", Duration::from_millis(1)).await;
    assert_eq!(url.expect("the text is spoken"), "http://files.test/tour.mp3");
    assert_eq!(studio.asked.load(Ordering::Relaxed), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_program_prints_the_url() {
    let (_, url) = serve(Ok("http://files.test/tour.mp3")).await;
    let mut program = Command::new(env!("CARGO_BIN_EXE_downstream-example"));
    program.arg("Welcome.").env("ASSET_API_URL", url).env("ASSET_API_KEY", "any");
    let output = program.output().expect("the program can be run");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(text(&output.stdout), "http://files.test/tour.mp3\n", "{}", text(&output.stderr));
}

#[tokio::test]
async fn says_why_the_task_failed() {
    let (_, client) = studio(Err("no such voice")).await;
    let error = narrate(&client, "Welcome to the tour.", Duration::from_millis(1)).await;
    assert_eq!(error.expect_err("the task fails").to_string(), "the task failed: no such voice");
}

// The double checks requests like the real service, because the generated server does it.
#[tokio::test]
async fn says_which_constraint_the_text_violates() {
    let (studio, client) = studio(Ok("http://files.test/tour.mp3")).await;
    let error =
        narrate(&client, "", Duration::from_millis(1)).await.expect_err("the text is empty").to_string();
    assert!(error.contains("'text'"), "{error}");
    assert_eq!(studio.asked.load(Ordering::Relaxed), 0);
}
