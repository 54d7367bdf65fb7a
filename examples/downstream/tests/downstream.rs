//! The program against a double of the asset API: the generated server with a trait implemented for the test.

// Clippy's rules for test code apply to all of this.
#![cfg(test)]

use std::{path::Path, process::Command, sync::Arc};

use asset_api_client::{receiver::runtime::signed_request, runtime::http_builder};
use asset_api_server::{
    Attempt, Authenticate, Context, Denied, Failure, Server,
    models::{
        common::{
            Task, TaskCreated, TaskCreatedResponse, TaskError, TaskListResponse, TaskResponse, TaskStatus,
        },
        responses::ApiError,
        types::{Uuid, With},
        voiceover::{CreateVoiceoverInput, GetVoiceoverInput, ListVoiceoversInput},
    },
    voiceover::VoiceoverApi,
};
use axum::{Router, routing::get};
use downstream_example::narrate;
use tokio::net::TcpListener;

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// A double whose one task is completed with this result, or fails for this reason.
struct Studio(Result<String, String>);

impl Studio {
    fn task(&self) -> Task {
        match &self.0 {
            Ok(url) => Task::new(Uuid::nil(), TaskStatus::Completed, vec![url.clone()]),
            Err(reason) => Task::new(Uuid::nil(), TaskStatus::Failed, Vec::new())
                .with(|task| task.error = Some(TaskError::new("failed", reason.as_str()))),
        }
    }
}

impl VoiceoverApi for Studio {
    type Principal = ();

    async fn create_voiceover(
        &self,
        _: Context<()>,
        input: CreateVoiceoverInput,
    ) -> Result<TaskCreatedResponse, Failure<ApiError>> {
        let hook = input.body.webhook_url.expect("the program receives events");
        let event = format!(r#"{{"task_id": "{}", "status": "COMPLETED", "generated": []}}"#, Uuid::nil());
        let secret = SECRET.parse().expect("a secret");
        let signed = signed_request(&secret, &hook, "msg_1", event.clone()).expect("a request");
        let http = http_builder().build().expect("an HTTP client");
        tokio::spawn(http.post(hook).headers(signed.headers().clone()).body(event).send());
        Ok(TaskCreatedResponse::new(TaskCreated::new(Uuid::nil(), TaskStatus::Created)))
    }

    async fn get_voiceover(
        &self,
        _: Context<()>,
        _: GetVoiceoverInput,
    ) -> Result<TaskResponse, Failure<ApiError>> {
        Ok(TaskResponse::new(self.task()))
    }

    async fn list_voiceovers(
        &self,
        _: Context<()>,
        input: ListVoiceoversInput,
    ) -> Result<TaskListResponse, Failure<ApiError>> {
        let is_first = input.page.is_none_or(|page| page == 1);
        Ok(TaskListResponse::new(is_first.then(|| self.task()).into_iter().collect()))
    }
}

struct AnyKey;

impl Authenticate for AnyKey {
    type Principal = ();

    async fn authenticate(&self, _: Attempt<'_>) -> Result<(), Denied> {
        Ok(())
    }
}

/// Serves a double on a free port, with the result at `/tour.wav`. Returns its URL.
async fn serve(failure: Option<&str>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let url = format!("http://{}", listener.local_addr().expect("the listener is bound"));
    let outcome = failure.map_or_else(|| Ok(format!("{url}/tour.wav")), |reason| Err(reason.to_owned()));
    let service =
        Server::builder(AnyKey).voiceover(Arc::new(Studio(outcome))).build().expect("the API can be routed");
    let app = Router::new().route("/tour.wav", get(async || "a sound")).fallback_service(service);
    tokio::spawn(axum::serve(listener, app).into_future());
    url
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_program_saves_the_sound() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut program = Command::new(env!("CARGO_BIN_EXE_downstream-example"));
    program.env("ASSET_API_URL", serve(None).await).env("ASSET_API_KEY", "any");
    let output = program.env("ASSET_API_SECRET", SECRET).current_dir(folder).output();
    let output = output.expect("the program can be run");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let expected = format!("event: {0} is COMPLETED\n{0}\n", Uuid::nil());
    assert_eq!(text(&output.stdout), expected, "{}", text(&output.stderr));
    assert_eq!(std::fs::read_to_string(folder.join("tour.wav")).expect("there is a file"), "a sound");
}

#[tokio::test]
async fn says_why_the_task_failed() {
    let url = serve(Some("no such voice")).await;
    let error = narrate(&url, "any", SECRET, Path::new("none.wav")).await.expect_err("the task fails");
    assert!(error.to_string().ends_with("ended as FAILED: no such voice"), "{error}");
}
