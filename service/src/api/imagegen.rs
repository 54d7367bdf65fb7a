//! `imagegen`: image generation with LoRA styles in 1K, 2K and 4K.

use asset_api_server::Context;
use asset_api_server::imagegen::ImagegenApi;
use asset_api_server::models::{common, imagegen as models};

use super::authenticate::Caller;
use super::{Answer, Api};
use crate::media::format::Kind;
use crate::tasks::family;
use crate::tasks::submit::Request;

impl ImagegenApi for Api {
    type Principal = Caller;

    async fn create_imagegen(
        &self,
        context: Context<Caller>,
        input: models::CreateImagegenInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::IMAGEGEN)
            .webhook(body.webhook_url.as_ref())
            .idempotent(input.idempotency_key, body)
            .media("structure_reference", Kind::Image, body.structure_reference.as_ref())
            .media("style_reference", Kind::Image, body.style_reference.as_ref());
        self.create(&context, request).await
    }

    async fn list_imagegens(
        &self,
        context: Context<Caller>,
        input: models::ListImagegensInput,
    ) -> Answer<models::ImagegenTaskListResponse> {
        let listed = self.list(&family::IMAGEGEN, None, &context, input.page, input.limit).await?;
        Ok(models::ImagegenTaskListResponse::new(listed.data.into_iter().map(imagegen).collect()))
    }

    async fn get_imagegen(
        &self,
        context: Context<Caller>,
        input: models::GetImagegenInput,
    ) -> Answer<models::ImagegenTaskResponse> {
        let got = self.get(&family::IMAGEGEN, None, &context, input.task_id).await?;
        Ok(models::ImagegenTaskResponse::new(imagegen(got.data)))
    }
}

/// The task in the form of this family. No filter looks for what is not safe for work, so nothing is said of it.
fn imagegen(task: common::Task) -> models::ImagegenTask {
    let mut made = models::ImagegenTask::new(task.task_id, task.status, task.generated);
    made.error = task.error;
    made.created_at = task.created_at;
    made.updated_at = task.updated_at;
    made.engine = task.engine;
    made
}
