//! `video-upscaler`: creative upscaling of videos.

use asset_api_server::Context;
use asset_api_server::models::{common, video_upscaler as models};
use asset_api_server::video_upscaler::VideoUpscalerApi;

use super::authenticate::Caller;
use super::{Answer, Api};
use crate::engine::family;
use crate::media::format::Kind;
use crate::tasks::submit::Request;

impl VideoUpscalerApi for Api {
    type Principal = Caller;

    async fn create_video_upscale(
        &self,
        context: Context<Caller>,
        input: models::CreateVideoUpscaleInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::VIDEO_UPSCALER)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .media("video", Kind::Video, Some(&body.video));
        self.create(&context, request).await
    }

    async fn list_video_upscales(
        &self,
        context: Context<Caller>,
        input: models::ListVideoUpscalesInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::VIDEO_UPSCALER, None, &context, input.page, input.limit).await
    }

    async fn create_turbo_video_upscale(
        &self,
        context: Context<Caller>,
        input: models::CreateTurboVideoUpscaleInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::VIDEO_UPSCALER)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .media("video", Kind::Video, Some(&body.video));
        self.create(&context, request).await
    }

    async fn get_video_upscale(
        &self,
        context: Context<Caller>,
        input: models::GetVideoUpscaleInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::VIDEO_UPSCALER, None, &context, input.task_id).await
    }
}
