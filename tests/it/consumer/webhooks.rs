//! The receiver that docs/webhooks.md shows.

// BEGIN docs/webhooks.md
use std::sync::Arc;

use asset_api_client::{
    Client,
    models::{
        common::{Task, TaskStatus},
        voiceover::VoiceoverRequest,
    },
    receiver::{Delivery, Handled, Verifier, Webhooks, receiver},
    runtime::{BoxError, TaskEvents},
};
use axum::{Router, http::HeaderMap};
use tokio::sync::mpsc::UnboundedSender;

/// Passes on the results of tasks.
struct Results(UnboundedSender<String>);

impl Webhooks for Results {
    /// The callback `task_status_changed` of all operations that create tasks.
    async fn task_status_changed(&self, delivery: Delivery, task: Task) -> Handled {
        println!("{:?}: task {} is {}", delivery.id, task.task_id, task.status);
        // Events can arrive in any order: after an old one, the task is still completed.
        if task.status == TaskStatus::Completed {
            task.generated.into_iter().for_each(|url| _ = self.0.send(url));
        }
        Ok(())
    }
}

/// Returns the routes of this program. While the secret is replaced, `old` is the one before.
pub fn app(
    secret: &str,
    old: Option<&str>,
    results: UnboundedSender<String>,
    tasks: &TaskEvents,
) -> Result<Router, BoxError> {
    let mut verifier = Verifier::new(secret.parse()?);
    if let Some(old) = old {
        verifier = verifier.or(old.parse()?);
    }
    let receiver = receiver(Arc::new(Results(results)), verifier)?.wakes(tasks);
    Ok(Router::new().nest_service("/hooks", receiver)) // the event is at `/hooks/task_status_changed`
}

/// Creates a task and waits for its end, of which an event informs the program. Polls are the fallback.
pub async fn speak(client: &Client, tasks: &TaskEvents, webhook_url: &str) -> Result<Vec<String>, BoxError> {
    let request = VoiceoverRequest::new("Welcome to the tour.", "narrator").with_webhook_url(webhook_url);
    let task = client.create_voiceover(request).wait().events(tasks).await?;
    Ok(task.data.generated)
}

/// Verifies a webhook without the service, for other HTTP frameworks.
pub fn verified(secret: &str, headers: &HeaderMap, body: &[u8]) -> Result<Task, BoxError> {
    Verifier::new(secret.parse()?).verify(headers, body)?;
    Ok(serde_json::from_slice(body)?)
}
// END docs/webhooks.md
