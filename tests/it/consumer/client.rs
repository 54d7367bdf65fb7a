//! The README's client: it shows what stands between the two marks, word for word.

// README:begin
use std::{error::Error, time::Duration};

use asset_api_client::{
    Client,
    models::{
        common::{TaskCreated, TaskStatus},
        responses::{ApiError, BadRequestContent},
        voiceover::VoiceoverRequest,
    },
    runtime::{self, BuildError, RetryPolicy},
};

/// What a call can fail with; `ApiError` is what the spec documents.
type CallError = runtime::Error<ApiError>;

/// A client; cloning it is cheap.
pub fn connect(url: &str, key: &str) -> Result<Client, BuildError> {
    Client::builder()
        .base_url(url)
        .api_key(key)
        .timeout(Duration::from_secs(10)) // of one attempt
        .retry(RetryPolicy::default().attempts(5)) // of what can safely be tried again
        .build()
}

/// Has a text spoken.
pub async fn speak(client: &Client, text: &str) -> Result<TaskCreated, CallError> {
    let mut request = VoiceoverRequest::new(text, "narrator"); // the required fields
    request.speed = Some(1.1); // and any other
    let answer = client.create_voiceover(request).await?;
    Ok(answer.data)
}

/// How far a task is, with something that only the headers tell.
pub async fn status(client: &Client, task: &TaskCreated) -> Result<TaskStatus, CallError> {
    let call = client.get_voiceover(task.task_id).timeout(Duration::from_secs(2)); // options of one call
    let response = call.send_with_response().await?; // `send_raw` gives the body's bytes instead
    if let Some(remaining) = response.headers.get("x-ratelimit-remaining") {
        println!("{} in {} attempts, {remaining:?} calls left", response.status, response.attempts);
    }
    Ok(response.value.data.status)
}

/// An error for people.
pub fn explain(error: &CallError) -> String {
    let Some(failure) = error.as_api() else {
        return error.to_string(); // no connection, a timeout, an answer that isn't documented …
    };
    match &failure.body {
        ApiError::BadRequest(BadRequestContent::ProblemJson(problem)) => {
            let reasons: Vec<&str> = problem.invalid_params.iter().map(|one| one.reason.as_str()).collect();
            reasons.join("\n")
        }
        _ => error.message().unwrap_or_else(|| error.to_string()),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = connect("http://127.0.0.1:8080", "test-key")?;
    match speak(&client, "Welcome to the tour.").await {
        Ok(task) => println!("{}: {}", task.task_id, status(&client, &task).await?),
        Err(error) => eprintln!("{}", explain(&error)),
    }
    Ok(())
}
// README:end

// In a program of its own `main` is called.
const _: fn() -> Result<(), Box<dyn Error>> = main;
