//! Families without an engine, through the generated client.
//!
//! A valid request gets the documented 503. Existing tasks are listed and shown.

use asset_api_client::Error;
use asset_api_client::models::responses::ApiError;
use asset_api_client::models::{
    common, image_preview, improve_prompt, lip_sync, motion_control, reference_to_video, sound_effects,
    video, video_upscaler, video_upscaler_precision, voiceover,
};
use asset_service::store::SharedStore;
use asset_service::time::Clock;
use uuid::Uuid;

use super::running::Running;
use crate::store::fixture;

/// A service, and a connection of the test to its store.
struct Unserved {
    running: Running,
    store: SharedStore,
}

impl Unserved {
    async fn start() -> Self {
        Self::start_with("").await
    }

    async fn start_with(settings: &str) -> Self {
        let running = Running::start_with(settings, &["--threads", "0"], &[]);
        let store = running.store().await;
        Self { running, store }
    }

    /// Stores a task for this path, as if an engine had been configured before.
    async fn put(&self, path: &str) -> Uuid {
        let mut new = fixture::listed_at(path, fixture::task(self.running.key_id()));
        (new.task.created_at, new.task.updated_at) = (Clock::System.now(), Clock::System.now());
        fixture::create(&self.store, new).await.id
    }
}

fn is_unserved<T>(created: Result<T, Error<ApiError>>, path: &str) {
    let Err(error) = created else { panic!("{path} has an engine") };
    let Some(ApiError::ServiceUnavailable(response)) = error.api_body() else { panic!("{path}: {error}") };
    assert_eq!(
        (response.body.message.as_str(), response.body.permanent),
        ("no engine configured", Some(true))
    );
    assert_eq!(response.retry_after, None, "{path}: a retry can't succeed");
    assert!(!error.is_retryable(), "{path}: the client must not retry");
}

/// Checks `create => list, get` of a path; the closure gets the task's id.
macro_rules! unserved {
    ($unserved:ident, $path:expr, $($create:expr),+ => $list:expr, |$id:ident| $get:expr) => {{
        $(is_unserved($create.await, $path);)+
        assert!($list.await.unwrap().data.is_empty(), "{}", $path);
        let $id = $unserved.put($path).await;
        let listed = $list.await.unwrap().data;
        assert_eq!(listed.iter().map(|task| task.task_id).collect::<Vec<_>>(), [$id], "{}", $path);
        let task = $get.await.unwrap().data;
        assert_eq!((task.task_id, task.status), ($id, common::TaskStatus::Created), "{}", $path);
    }};
}

const URL: &str = "https://files.example.com/one";
const MODEL: &str = "standard";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn families_of_built_in_engines_that_are_off() {
    use improve_prompt::{ImprovePromptRequest, ListImprovedPromptsInput, PromptType};
    use sound_effects::{ListSoundEffectsInput, SoundEffectRequest};
    use voiceover::{ListVoiceoversInput, VoiceoverRequest};
    let unserved = Unserved::start_with("built-in-engines = false").await;
    let client = unserved.running.client();
    unserved!(unserved, "/v1/ai/sound-effects",
        client.create_sound_effect(SoundEffectRequest::new("rain", 1.0))
        => client.list_sound_effects(ListSoundEffectsInput::default()),
        |id| client.get_sound_effect(id));
    unserved!(unserved, "/v1/ai/voiceover",
        client.create_voiceover(VoiceoverRequest::new("Hello.", "narrator"))
        => client.list_voiceovers(ListVoiceoversInput::default()),
        |id| client.get_voiceover(id));
    unserved!(unserved, "/v1/ai/improve-prompt",
        client.improve_prompt(ImprovePromptRequest::new("a fox", PromptType::Image))
        => client.list_improved_prompts(ListImprovedPromptsInput::default()),
        |id| client.get_improved_prompt(id));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn speaking_portraits_and_previews() {
    use image_preview::{
        CreateImagePreviewInput, GetImagePreviewInput, ImagePreviewRequest, ListImagePreviewsInput,
    };
    use lip_sync::*;
    let unserved = Unserved::start().await;
    let client = unserved.running.client();
    let request = || LipSyncRequest::new(URL, URL);
    unserved!(unserved, "/v1/ai/lip-sync/standard",
        client.create_lip_sync(CreateLipSyncInput::new(MODEL, request()))
        => client.list_lip_syncs(ListLipSyncsInput::new(MODEL)),
        |id| client.get_lip_sync(GetLipSyncInput::new(MODEL, id)));
    unserved!(unserved, "/v1/ai/lip-sync/standard-fast",
        client.create_fast_lip_sync(CreateFastLipSyncInput::new(MODEL, request()))
        => client.list_fast_lip_syncs(ListFastLipSyncsInput::new(MODEL)),
        |id| client.get_fast_lip_sync(GetFastLipSyncInput::new(MODEL, id)));
    unserved!(unserved, "/v1/ai/standard-image-preview",
        client.create_image_preview(CreateImagePreviewInput::new(MODEL, ImagePreviewRequest::new("a fox")))
        => client.list_image_previews(ListImagePreviewsInput::new(MODEL)),
        |id| client.get_image_preview(GetImagePreviewInput::new(MODEL, id)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn videos_from_videos() {
    use video_upscaler::*;
    use video_upscaler_precision::{
        CreatePrecisionVideoUpscaleInput, ListPrecisionVideoUpscalesInput, PrecisionVideoUpscaleRequest,
    };
    let unserved = Unserved::start().await;
    let client = unserved.running.client();
    let request = || VideoUpscaleRequest::new(URL);
    unserved!(unserved, "/v1/ai/video-upscaler",
        client.create_video_upscale(CreateVideoUpscaleInput::new(request())),
        client.create_turbo_video_upscale(CreateTurboVideoUpscaleInput::new(request()))
        => client.list_video_upscales(ListVideoUpscalesInput::default()),
        |id| client.get_video_upscale(id));
    let request = PrecisionVideoUpscaleRequest::new(URL);
    unserved!(unserved, "/v1/ai/video-upscaler-precision",
        client.create_precision_video_upscale(CreatePrecisionVideoUpscaleInput::new(request))
        => client.list_precision_video_upscales(ListPrecisionVideoUpscalesInput::default()),
        |id| client.get_precision_video_upscale(id));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn videos_in_tiers() {
    use reference_to_video::{
        CreateReferenceToVideoInput, GetReferenceToVideoInput, ListReferenceToVideosInput,
        ReferenceToVideoRequest,
    };
    use video::*;
    let unserved = Unserved::start().await;
    let client = unserved.running.client();
    let request = || VideoRequest::new("a fox runs");
    unserved!(unserved, "/v1/ai/video/standard-pro",
        client.create_pro_video(CreateProVideoInput::new(MODEL, request()))
        => client.list_pro_videos(ListProVideosInput::new(MODEL)),
        |id| client.get_pro_video(GetProVideoInput::new(MODEL, id)));
    unserved!(unserved, "/v1/ai/video/standard-std",
        client.create_std_video(CreateStdVideoInput::new(MODEL, request()))
        => client.list_std_videos(ListStdVideosInput::new(MODEL)),
        |id| client.get_std_video(GetStdVideoInput::new(MODEL, id)));
    let mut request = ReferenceToVideoRequest::new("a fox runs");
    request.image_urls = Some(vec![common::ImageReference::new(URL)]);
    unserved!(unserved, "/v1/ai/reference-to-video/standard",
        client.create_reference_to_video(CreateReferenceToVideoInput::new(MODEL, request.clone()))
        => client.list_reference_to_videos(ListReferenceToVideosInput::new(MODEL)),
        |id| client.get_reference_to_video(GetReferenceToVideoInput::new(MODEL, id)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn motion_from_a_video() {
    use motion_control::*;
    let unserved = Unserved::start().await;
    let client = unserved.running.client();
    let request = || MotionControlRequest::new(URL, URL);
    unserved!(unserved, "/v1/ai/video/standard-motion-control-pro",
        client.create_pro_motion_control(CreateProMotionControlInput::new(MODEL, request()))
        => client.list_pro_motion_controls(ListProMotionControlsInput::new(MODEL)),
        |id| client.get_pro_motion_control(GetProMotionControlInput::new(MODEL, id)));
    unserved!(unserved, "/v1/ai/video/standard-motion-control-std",
        client.create_std_motion_control(CreateStdMotionControlInput::new(MODEL, request()))
        => client.list_std_motion_controls(ListStdMotionControlsInput::new(MODEL)),
        |id| client.get_std_motion_control(GetStdMotionControlInput::new(MODEL, id)));
}
