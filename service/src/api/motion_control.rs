//! `motion-control`: transfer of motion from a reference video, in two quality tiers.

use asset_api_server::Context;
use asset_api_server::models::{common, motion_control as models};
use asset_api_server::motion_control::MotionControlApi;

use super::authenticate::Caller;
use super::{Answer, Api};
use crate::engine::family;
use crate::media::format::Kind;
use crate::tasks::submit::Request;

impl MotionControlApi for Api {
    type Principal = Caller;

    async fn create_pro_motion_control(
        &self,
        context: Context<Caller>,
        input: models::CreateProMotionControlInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::MOTION_CONTROL_PRO)
            .model(&input.model)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .media_url("image_url", Kind::Image, Some(&body.image_url))
            .media_url("video_url", Kind::Video, Some(&body.video_url));
        self.create(&context, request).await
    }

    async fn list_pro_motion_controls(
        &self,
        context: Context<Caller>,
        input: models::ListProMotionControlsInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::MOTION_CONTROL_PRO, Some(&input.model), &context, input.page, input.limit).await
    }

    async fn get_pro_motion_control(
        &self,
        context: Context<Caller>,
        input: models::GetProMotionControlInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::MOTION_CONTROL_PRO, Some(&input.model), &context, input.task_id).await
    }

    async fn create_std_motion_control(
        &self,
        context: Context<Caller>,
        input: models::CreateStdMotionControlInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::MOTION_CONTROL_STD)
            .model(&input.model)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .media_url("image_url", Kind::Image, Some(&body.image_url))
            .media_url("video_url", Kind::Video, Some(&body.video_url));
        self.create(&context, request).await
    }

    async fn list_std_motion_controls(
        &self,
        context: Context<Caller>,
        input: models::ListStdMotionControlsInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::MOTION_CONTROL_STD, Some(&input.model), &context, input.page, input.limit).await
    }

    async fn get_std_motion_control(
        &self,
        context: Context<Caller>,
        input: models::GetStdMotionControlInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::MOTION_CONTROL_STD, Some(&input.model), &context, input.task_id).await
    }
}
