//! Turns a text into speech with the asset API and waits for the result.

use std::time::Duration;

use asset_api_client::{
    Client, Error,
    models::{
        common::TaskStatus,
        responses::ApiError,
        voiceover::{GetVoiceoverInput, VoiceoverRequest},
    },
};

/// The id of the voice.
const VOICE: &str = "narrator";

/// The reason why there is no speech.
#[derive(Debug, thiserror::Error)]
pub enum NarrateError {
    /// A call failed.
    #[error("{}", .0.message().unwrap_or_else(|| .0.to_string()))]
    Call(#[from] Error<ApiError>),
    /// The task ended without a sound.
    #[error("the task failed: {0}")]
    Failed(String),
}

/// Returns the URL of the speech. Polls the task once per `interval` until it has ended.
///
/// # Errors
/// Returns an error if a call or the task fails.
pub async fn narrate(client: &Client, text: &str, interval: Duration) -> Result<String, NarrateError> {
    let created = client.create_voiceover(VoiceoverRequest::new(text, VOICE)).await?.data;
    loop {
        let task = client.get_voiceover(GetVoiceoverInput::new(created.task_id)).await?.data;
        match task.status {
            TaskStatus::Completed => {
                let url = task.generated.into_iter().next();
                return url.ok_or_else(|| NarrateError::Failed("the task has no result".to_owned()));
            }
            TaskStatus::Failed => {
                let reason = task.error.map(|error| error.message);
                return Err(NarrateError::Failed(reason.unwrap_or_else(|| "no reason given".to_owned())));
            }
            _ => tokio::time::sleep(interval).await,
        }
    }
}
