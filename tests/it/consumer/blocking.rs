//! The blocking calls that docs/use-the-client.md shows.

// BEGIN docs/use-the-client.md
use std::time::Duration;

use asset_api_client::{
    Client,
    models::voiceover::{ListVoiceoversInput, VoiceoverRequest},
    runtime::{Blocking, BoxError},
};

/// Creates a task, waits for its end and returns its results.
pub fn speak(client: &Client, text: &str) -> Result<Vec<String>, BoxError> {
    let call = client.create_voiceover(VoiceoverRequest::new(text, "narrator"));
    let task = call.wait().interval(Duration::from_millis(100), Duration::from_secs(5)).block()?;
    Ok(task.data.generated)
}

/// Returns the number of tasks that have failed.
pub fn failures(client: &Client) -> Result<usize, BoxError> {
    let mut failed = 0;
    for task in client.list_voiceovers(ListVoiceoversInput::default()).items().block_each() {
        failed += usize::from(task?.error.is_some());
    }
    Ok(failed)
}
// END docs/use-the-client.md
