//! `video-upscaler-precision`: faithful upscaling of videos.

use asset_api_server::Context;
use asset_api_server::models::{common, video_upscaler_precision as models};
use asset_api_server::video_upscaler_precision::VideoUpscalerPrecisionApi;

use super::authenticate::Caller;
use super::{Answer, Api};
use crate::engine::family;
use crate::media::format::Kind;
use crate::tasks::submit::Request;

impl VideoUpscalerPrecisionApi for Api {
    type Principal = Caller;

    async fn create_precision_video_upscale(
        &self,
        context: Context<Caller>,
        input: models::CreatePrecisionVideoUpscaleInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::VIDEO_UPSCALER_PRECISION)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .media("video", Kind::Video, Some(&body.video));
        self.create(&context, request).await
    }

    async fn list_precision_video_upscales(
        &self,
        context: Context<Caller>,
        input: models::ListPrecisionVideoUpscalesInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::VIDEO_UPSCALER_PRECISION, None, &context, input.page, input.limit).await
    }

    async fn get_precision_video_upscale(
        &self,
        context: Context<Caller>,
        input: models::GetPrecisionVideoUpscaleInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::VIDEO_UPSCALER_PRECISION, None, &context, input.task_id).await
    }
}
