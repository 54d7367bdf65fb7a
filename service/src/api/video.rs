//! `video`: video generation in two quality tiers.

use asset_api_server::Context;
use asset_api_server::models::{common, video as models};
use asset_api_server::video::VideoApi;

use super::authenticate::Caller;
use super::{Answer, Api};
use crate::engine::family;
use crate::media::format::Kind;
use crate::tasks::submit::Request;

impl VideoApi for Api {
    type Principal = Caller;

    async fn create_pro_video(
        &self,
        context: Context<Caller>,
        input: models::CreateProVideoInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let mut request = Request::new(&family::VIDEO_PRO)
            .model(&input.model)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body);
        for (index, reference) in body.image_urls.iter().flatten().enumerate() {
            request =
                request.media_url(format!("image_urls[{index}].url"), Kind::Image, Some(&reference.url));
        }
        self.create(&context, request).await
    }

    async fn list_pro_videos(
        &self,
        context: Context<Caller>,
        input: models::ListProVideosInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::VIDEO_PRO, Some(&input.model), &context, input.page, input.limit).await
    }

    async fn get_pro_video(
        &self,
        context: Context<Caller>,
        input: models::GetProVideoInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::VIDEO_PRO, Some(&input.model), &context, input.task_id).await
    }

    async fn create_std_video(
        &self,
        context: Context<Caller>,
        input: models::CreateStdVideoInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let mut request = Request::new(&family::VIDEO_STD)
            .model(&input.model)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body);
        for (index, reference) in body.image_urls.iter().flatten().enumerate() {
            request =
                request.media_url(format!("image_urls[{index}].url"), Kind::Image, Some(&reference.url));
        }
        self.create(&context, request).await
    }

    async fn list_std_videos(
        &self,
        context: Context<Caller>,
        input: models::ListStdVideosInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::VIDEO_STD, Some(&input.model), &context, input.page, input.limit).await
    }

    async fn get_std_video(
        &self,
        context: Context<Caller>,
        input: models::GetStdVideoInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::VIDEO_STD, Some(&input.model), &context, input.task_id).await
    }
}
