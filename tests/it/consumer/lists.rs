//! The reading of lists that docs/use-the-client.md shows.

// BEGIN docs/use-the-client.md
use asset_api_client::{
    Client,
    models::{common::Task, voiceover::ListVoiceoversInput},
    runtime::BoxError,
};

/// Returns the tasks that have failed.
pub async fn failures(client: &Client) -> Result<Vec<Task>, BoxError> {
    let mut tasks = client.list_voiceovers(ListVoiceoversInput::default().with_limit(100)).items();
    let mut failed = Vec::new();
    while let Some(task) = tasks.next().await {
        failed.extend(Some(task?).filter(|task| task.error.is_some()));
    }
    Ok(failed)
}

/// Copies all tasks page by page. An error comes with the position at which to continue.
pub async fn copy(client: &Client, from: Option<String>) -> Result<(), (BoxError, Option<String>)> {
    let mut pages = client.list_voiceovers(ListVoiceoversInput::default()).pages().prefetch(2);
    if let Some(position) = from {
        pages = pages.resume_at(position);
    }
    while let Some(page) = pages.next().await {
        match page {
            Ok(page) => println!("{} tasks", page.data.len()),
            Err(error) => return Err((error.into(), pages.position().map(str::to_owned))),
        }
    }
    Ok(())
}
// END docs/use-the-client.md
