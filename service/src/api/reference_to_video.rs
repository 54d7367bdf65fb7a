//! `reference-to-video`: videos from reference images and videos.

use asset_api_server::Context;
use asset_api_server::models::{common, reference_to_video as models};
use asset_api_server::reference_to_video::ReferenceToVideoApi;

use super::authenticate::Caller;
use super::{Answer, Api};
use crate::engine::family;
use crate::media::format::Kind;
use crate::tasks::submit::Request;

impl ReferenceToVideoApi for Api {
    type Principal = Caller;

    async fn create_reference_to_video(
        &self,
        context: Context<Caller>,
        input: models::CreateReferenceToVideoInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let mut request = Request::new(&family::REFERENCE_TO_VIDEO)
            .model(&input.model)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .media_url("audio_url", Kind::Audio, body.audio_url.as_ref());
        for (index, reference) in body.image_urls.iter().flatten().enumerate() {
            request =
                request.media_url(format!("image_urls[{index}].url"), Kind::Image, Some(&reference.url));
        }
        for (index, reference) in body.video_urls.iter().flatten().enumerate() {
            request =
                request.media_url(format!("video_urls[{index}].url"), Kind::Video, Some(&reference.url));
        }
        self.create(&context, request).await
    }

    async fn list_reference_to_videos(
        &self,
        context: Context<Caller>,
        input: models::ListReferenceToVideosInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::REFERENCE_TO_VIDEO, Some(&input.model), &context, input.page, input.limit).await
    }

    async fn get_reference_to_video(
        &self,
        context: Context<Caller>,
        input: models::GetReferenceToVideoInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::REFERENCE_TO_VIDEO, Some(&input.model), &context, input.task_id).await
    }
}
