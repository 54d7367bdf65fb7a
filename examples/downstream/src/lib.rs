//! Turns a text into speech with the asset API: creates a task, receives its webhook, downloads its result.

// BEGIN docs/use-the-client.md
use std::{path::Path, sync::Arc};

use asset_api_client::{
    Client,
    models::{
        common::Task,
        voiceover::{ListVoiceoversInput, VoiceoverRequest},
    },
    receiver::{Delivery, Handled, Verifier, Webhooks, receiver},
    runtime::{BoxError, TaskEvents},
};
use axum::Router;
use tokio::net::TcpListener;

struct Events;

impl Webhooks for Events {
    async fn task_status_changed(&self, _: Delivery, task: Task) -> Handled {
        println!("event: {} is {}", task.task_id, task.status);
        Ok(())
    }
}

/// Turns a text into speech, saves the sound, and lists all tasks.
pub async fn narrate(url: &str, key: &str, secret: &str, target: &Path) -> Result<(), BoxError> {
    // Verifies the events of the service, and passes them on to the task that is waited for.
    let tasks = TaskEvents::new();
    let receiver = receiver(Arc::new(Events), Verifier::new(secret.parse()?))?.wakes(&tasks);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let hook = format!("http://{}/task_status_changed", listener.local_addr()?);
    tokio::spawn(axum::serve(listener, Router::new().fallback_service(receiver)).into_future());

    let client = Client::builder().base_url(url).api_key(key).build()?;
    let request = VoiceoverRequest::new("Welcome to the tour.", "narrator").with_webhook_url(hook);
    let task = client.create_voiceover(request).wait().events(&tasks).await?.data;

    let sound = task.generated.first().ok_or("the task has no result")?;
    client.runtime().fetch(sound).download(target).await?;

    let mut all = client.list_voiceovers(ListVoiceoversInput::default()).items();
    while let Some(task) = all.next().await {
        println!("{}", task?.task_id);
    }
    Ok(())
}
// END docs/use-the-client.md
