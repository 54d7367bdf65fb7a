//! The recordings that docs/test-your-client.md shows.

// BEGIN docs/test-your-client.md
use std::path::Path;

use asset_api_client::{
    Client,
    models::{common::TaskStatus, voiceover::VoiceoverRequest},
    runtime::{
        BoxError, Http, Transport,
        mock::{Recorder, Replay},
    },
};

/// Calls the service: the program to test.
async fn speak(transport: impl Transport, url: &str, key: &str) -> Result<TaskStatus, BoxError> {
    let client = Client::builder().base_url(url).api_key(key).transport(transport).build()?;
    let created = client.create_voiceover(VoiceoverRequest::new("Welcome.", "narrator")).await?;
    Ok(client.get_voiceover(created.data.task_id).await?.data.status)
}

/// Records a server. Run it once, and again when the server changes.
pub async fn record(url: &str, key: &str, file: &Path) -> Result<(), BoxError> {
    let recorder = Recorder::new(Http::new()?);
    speak(recorder.clone(), url, key).await?;
    Ok(recorder.save(file)?)
}

/// Tests the program with the recorded responses. No request leaves the program.
pub async fn test(file: &Path) -> Result<(), BoxError> {
    let replay = Replay::open(file)?;
    assert_eq!(speak(replay.clone(), "http://recorded", "any").await?, TaskStatus::Created);
    assert!(replay.unused().is_empty());
    Ok(())
}
// END docs/test-your-client.md
