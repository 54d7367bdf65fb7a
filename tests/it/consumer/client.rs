//! The client that docs/use-the-client.md shows.

// BEGIN docs/use-the-client.md
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

/// The error of a call. `ApiError` holds the error responses that the document describes.
type CallError = runtime::Error<ApiError>;

/// Builds a client. Clones share its connections.
pub fn connect(url: &str, key: &str) -> Result<Client, BuildError> {
    Client::builder()
        .base_url(url)
        .api_key(key)
        .timeout(Duration::from_secs(10)) // per attempt
        .retry(RetryPolicy::default().attempts(5)) // only calls that are safe to repeat
        .build()
}

/// Starts a voiceover task.
pub async fn speak(client: &Client, text: &str) -> Result<TaskCreated, CallError> {
    // The required properties, and an optional one.
    let request = VoiceoverRequest::new(text, "narrator").with_speed(1.1);
    let response = client.create_voiceover(request).await?;
    Ok(response.data)
}

/// Returns the status of a task, and prints a value that only the headers hold.
pub async fn status(client: &Client, task: &TaskCreated) -> Result<TaskStatus, CallError> {
    let call = client.get_voiceover(task.task_id).timeout(Duration::from_secs(2)); // overrides the client's
    let response = call.send_with_response().await?; // or `send_raw()` for the bytes of the body
    if let Some(remaining) = response.headers.get("x-ratelimit-remaining") {
        println!("{} in {} attempts, {remaining:?} calls left", response.status, response.attempts);
    }
    Ok(response.value.data.status)
}

/// Describes an error to a person.
pub fn explain(error: &CallError) -> String {
    let Some(failure) = error.as_api() else {
        return error.to_string(); // no connection, a timeout, an undocumented response …
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
// END docs/use-the-client.md

// A program of its own calls `main`.
const _: fn() -> Result<(), Box<dyn Error>> = main;
