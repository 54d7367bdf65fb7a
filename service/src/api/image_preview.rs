//! `image-preview`: generation and editing with preview image models.

use asset_api_server::Context;
use asset_api_server::image_preview::ImagePreviewApi;
use asset_api_server::models::{common, image_preview as models};

use super::authenticate::Caller;
use super::{Answer, Api};
use crate::engine::family;
use crate::media::format::Kind;
use crate::tasks::submit::Request;

impl ImagePreviewApi for Api {
    type Principal = Caller;

    async fn create_image_preview(
        &self,
        context: Context<Caller>,
        input: models::CreateImagePreviewInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let mut request = Request::new(&family::IMAGE_PREVIEW)
            .model(&input.model)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body);
        for (index, reference) in body.reference_images.iter().flatten().enumerate() {
            request = request.media(
                format!("reference_images[{index}].image"),
                Kind::Image,
                Some(&reference.image),
            );
        }
        self.create(&context, request).await
    }

    async fn list_image_previews(
        &self,
        context: Context<Caller>,
        input: models::ListImagePreviewsInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::IMAGE_PREVIEW, Some(&input.model), &context, input.page, input.limit).await
    }

    async fn get_image_preview(
        &self,
        context: Context<Caller>,
        input: models::GetImagePreviewInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::IMAGE_PREVIEW, Some(&input.model), &context, input.task_id).await
    }
}
