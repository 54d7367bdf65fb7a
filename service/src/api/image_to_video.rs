//! `image-to-video`: videos from first and last frames, and extension of videos.

use asset_api_server::Context;
use asset_api_server::image_to_video::ImageToVideoApi;
use asset_api_server::models::{common, image_to_video as models};

use super::authenticate::Caller;
use asset_engines::film::CameraMove;

use super::{Answer, Api, level, shapes};
use crate::engine::family;
use crate::media::format::Kind;
use crate::tasks::submit::Request;

impl ImageToVideoApi for Api {
    type Principal = Caller;

    async fn create_image_to_video(
        &self,
        context: Context<Caller>,
        input: models::CreateImageToVideoInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::IMAGE_TO_VIDEO)
            .model(&input.model)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .media_url("start_image_url", Kind::Image, body.start_image_url.as_ref())
            .media_url("end_image_url", Kind::Image, body.end_image_url.as_ref())
            .media_url("video_url", Kind::Video, body.video_url.as_ref())
            .media_url("audio_url", Kind::Audio, body.audio_url.as_ref())
            .seed(body.seed.map(|seed| seed & i64::MAX))
            .work(CameraMove {
                prompt: body.prompt.clone().unwrap_or_default(),
                negative_prompt: body.negative_prompt.clone().unwrap_or_default(),
                shorter_side: shapes::lines(&body.resolution_or_default()),
                seconds: level(body.duration_or_default()).into(),
                first: body.start_image_url.is_some(),
                last: body.end_image_url.is_some(),
                video: body.video_url.is_some(),
                audio: body.audio_url.is_some(),
            });
        self.create(&context, request).await
    }

    async fn list_image_to_videos(
        &self,
        context: Context<Caller>,
        input: models::ListImageToVideosInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::IMAGE_TO_VIDEO, Some(&input.model), &context, input.page, input.limit).await
    }

    async fn get_image_to_video(
        &self,
        context: Context<Caller>,
        input: models::GetImageToVideoInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::IMAGE_TO_VIDEO, Some(&input.model), &context, input.task_id).await
    }
}
