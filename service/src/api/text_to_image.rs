//! `text-to-image`: images from text, with optional reference images.

use asset_api_server::Context;
use asset_api_server::models::{common, text_to_image as models};
use asset_api_server::text_to_image::TextToImageApi;

use super::authenticate::Caller;
use super::{Answer, Api};
use crate::media::format::Kind;
use crate::tasks::family;
use crate::tasks::submit::Request;

impl TextToImageApi for Api {
    type Principal = Caller;

    async fn create_kontext_pro_image(
        &self,
        context: Context<Caller>,
        input: models::CreateKontextProImageInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::KONTEXT_PRO)
            .webhook(body.webhook_url.as_ref())
            .idempotent(input.idempotency_key, body)
            .media_url("input_image", Kind::Image, body.input_image.as_ref());
        self.create(&context, request).await
    }

    async fn list_kontext_pro_images(
        &self,
        context: Context<Caller>,
        input: models::ListKontextProImagesInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::KONTEXT_PRO, None, &context, input.page, input.limit).await
    }

    async fn get_kontext_pro_image(
        &self,
        context: Context<Caller>,
        input: models::GetKontextProImageInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::KONTEXT_PRO, None, &context, input.task_id).await
    }

    async fn create_fast_image(
        &self,
        context: Context<Caller>,
        input: models::CreateFastImageInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::FAST_IMAGE)
            .webhook(body.webhook_url.as_ref())
            .idempotent(input.idempotency_key, body);
        self.create(&context, request).await
    }

    async fn list_fast_images(
        &self,
        context: Context<Caller>,
        input: models::ListFastImagesInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::FAST_IMAGE, None, &context, input.page, input.limit).await
    }

    async fn get_fast_image(
        &self,
        context: Context<Caller>,
        input: models::GetFastImageInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::FAST_IMAGE, None, &context, input.task_id).await
    }

    async fn create_ultra_image(
        &self,
        context: Context<Caller>,
        input: models::CreateUltraImageInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::ULTRA_IMAGE)
            .webhook(body.webhook_url.as_ref())
            .idempotent(input.idempotency_key, body);
        self.create(&context, request).await
    }

    async fn list_ultra_images(
        &self,
        context: Context<Caller>,
        input: models::ListUltraImagesInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::ULTRA_IMAGE, None, &context, input.page, input.limit).await
    }

    async fn get_ultra_image(
        &self,
        context: Context<Caller>,
        input: models::GetUltraImageInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::ULTRA_IMAGE, None, &context, input.task_id).await
    }

    async fn create_text_to_image(
        &self,
        context: Context<Caller>,
        input: models::CreateTextToImageInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let mut request = Request::new(&family::TEXT_TO_IMAGE)
            .model(&input.model)
            .webhook(body.webhook_url.as_ref())
            .idempotent(input.idempotency_key, body);
        for (index, reference) in body.reference_images.iter().flatten().enumerate() {
            request = request.media(
                format!("reference_images[{index}].image"),
                Kind::Image,
                Some(&reference.image),
            );
        }
        self.create(&context, request).await
    }

    async fn list_text_to_images(
        &self,
        context: Context<Caller>,
        input: models::ListTextToImagesInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::TEXT_TO_IMAGE, Some(&input.model), &context, input.page, input.limit).await
    }

    async fn get_text_to_image(
        &self,
        context: Context<Caller>,
        input: models::GetTextToImageInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::TEXT_TO_IMAGE, Some(&input.model), &context, input.task_id).await
    }
}
