//! Other people's tasks are not there.

use asset_api_client::models::sound_effects::{ListSoundEffectsInput, SoundEffectRequest};

use super::running::Running;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_of_other_keys_are_not_there() {
    let running = Running::start(&["--threads", "0"]);
    let id = running
        .client()
        .create_sound_effect(SoundEffectRequest::new("wind", 1.0))
        .await
        .unwrap()
        .data
        .task_id;
    let other = running.client_of(&running.new_key(&[]));
    assert_eq!(
        other.get_sound_effect(id).await.unwrap_err().status().map(|status| status.as_u16()),
        Some(404)
    );
    assert!(other.list_sound_effects(ListSoundEffectsInput::default()).await.unwrap().data.is_empty());
    // Nor are they in another family.
    let mine = running.client().get_voiceover(id).await.unwrap_err();
    assert_eq!(mine.status().map(|status| status.as_u16()), Some(404));
}
