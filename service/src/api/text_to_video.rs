//! `text-to-video`: videos from text.

use asset_api_server::Context;
use asset_api_server::models::{common, text_to_video as models};
use asset_api_server::text_to_video::TextToVideoApi;

use super::authenticate::Caller;
use asset_engines::film::{Animation, Shots};

use super::{Answer, Api, level, shapes};
use crate::engine::family;
use crate::media::format::Kind;
use crate::tasks::submit::Request;

impl TextToVideoApi for Api {
    type Principal = Caller;

    async fn create_text_to_video_v2_6(
        &self,
        context: Context<Caller>,
        input: models::CreateTextToVideoV2_6Input,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::TEXT_TO_VIDEO_V2_6)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .seed(body.seed)
            .work(sized(body));
        self.create(&context, request).await
    }

    async fn list_text_to_videos_v2_6(
        &self,
        context: Context<Caller>,
        input: models::ListTextToVideosV2_6Input,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::TEXT_TO_VIDEO_V2_6, None, &context, input.page, input.limit).await
    }

    async fn get_text_to_video_v2_6(
        &self,
        context: Context<Caller>,
        input: models::GetTextToVideoV2_6Input,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::TEXT_TO_VIDEO_V2_6, None, &context, input.task_id).await
    }

    async fn create_text_to_video(
        &self,
        context: Context<Caller>,
        input: models::CreateTextToVideoInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::TEXT_TO_VIDEO)
            .model(&input.model)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .media_url("audio_url", Kind::Audio, body.audio_url.as_ref())
            .seed(body.seed.map(|seed| seed & i64::MAX))
            .work(shaped(body));
        self.create(&context, request).await
    }

    async fn list_text_to_videos(
        &self,
        context: Context<Caller>,
        input: models::ListTextToVideosInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::TEXT_TO_VIDEO, Some(&input.model), &context, input.page, input.limit).await
    }

    async fn get_text_to_video(
        &self,
        context: Context<Caller>,
        input: models::GetTextToVideoInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::TEXT_TO_VIDEO, Some(&input.model), &context, input.task_id).await
    }
}

/// Returns the engine parameters for a request with sizes.
fn sized(body: &models::TextToVideoV2_6Request) -> Animation {
    let size = body.size.as_ref().map_or("1280*720", models::TextToVideoV2_6Size::as_str);
    let (width, height) = shapes::numbers(size);
    Animation {
        prompt: body.prompt.clone(),
        negative_prompt: body.negative_prompt.clone().unwrap_or_default(),
        expand: body.enable_prompt_expansion_or_default(),
        width,
        height,
        seconds: body.duration_or_default().as_str().parse().unwrap_or(5),
        shots: match body.shot_type_or_default() {
            models::ShotType::Single => Shots::Single,
            models::ShotType::Multi => Shots::Multi,
        },
        audio: false,
    }
}

/// Returns the engine parameters for a request with aspect ratios.
fn shaped(body: &models::TextToVideoRequest) -> Animation {
    let shape = body.aspect_ratio.as_ref().map_or("16:9", models::TextToVideoAspectRatio::as_str);
    let (width, height) = shapes::shortest(shape, shapes::lines(&body.resolution_or_default()));
    let settings = body.additional_settings.as_ref();
    Animation {
        prompt: body.prompt.clone(),
        negative_prompt: body.negative_prompt.clone().unwrap_or_default(),
        expand: settings.is_none_or(common::VideoGenerationSettings::prompt_extend_or_default),
        width,
        height,
        seconds: level(body.duration_or_default()).into(),
        shots: Shots::Single,
        audio: body.audio_url.is_some(),
    }
}
