//! The waiting for tasks that docs/use-the-client.md shows.

// BEGIN docs/use-the-client.md
use std::time::Duration;

use asset_api_client::{
    Client,
    models::voiceover::{GetVoiceoverInput, VoiceoverRequest},
    runtime::{BoxError, PollLimit, WaitError},
};
use tokio::task::JoinSet;

/// Creates a task, waits for its end and returns its results.
pub async fn speak(client: &Client, text: &str) -> Result<Vec<String>, BoxError> {
    let request = VoiceoverRequest::new(text, "narrator");
    match client.create_voiceover(request).wait().deadline(Duration::from_secs(600)).await {
        Ok(task) => Ok(task.data.generated),
        Err(WaitError::Failed { id, message, .. }) => Err(format!("{id}: {message:?}").into()),
        Err(error) => Err(error.into()),
    }
}

/// Waits again for a task whose id the program has stored, and prints its progress.
pub async fn watch(client: &Client, id: &str) -> Result<Vec<String>, BoxError> {
    let mut task = client.get_voiceover(GetVoiceoverInput::new(id.parse()?)).wait().start().await?;
    while let Some(change) = task.next().await {
        let change = change?;
        println!("{} {}: {:?} %", task.id(), change.status, change.progress);
        if change.is_done {
            return Ok(change.task.data.generated);
        }
    }
    Err("the task has no end".into())
}

/// Waits for many tasks, with at most four requests at a time.
pub async fn speak_all(client: &Client, texts: &[&str]) -> usize {
    let limit = PollLimit::new(4);
    let mut tasks = JoinSet::new();
    for text in texts {
        let request = VoiceoverRequest::new(*text, "narrator");
        tasks.spawn(client.create_voiceover(request).wait().poll_limit(&limit).into_future());
    }
    tasks.join_all().await.iter().filter(|result| result.is_ok()).count()
}
// END docs/use-the-client.md
