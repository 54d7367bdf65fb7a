//! `text-to-video`: videos from text.

use asset_api_server::Context;
use asset_api_server::models::{common, text_to_video as models};
use asset_api_server::text_to_video::TextToVideoApi;

use super::authenticate::Caller;
use super::{Answer, Api};
use crate::media::format::Kind;
use crate::tasks::family;
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
            .idempotent(input.idempotency_key, body);
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
            .idempotent(input.idempotency_key, body)
            .media_url("audio_url", Kind::Audio, body.audio_url.as_ref());
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
