//! `image-to-prompt`: prompts from images.

use asset_api_server::Context;
use asset_api_server::image_to_prompt::ImageToPromptApi;
use asset_api_server::models::{common, image_to_prompt as models};

use super::authenticate::Caller;
use asset_engines::describe::Describe;

use super::{Answer, Api};
use crate::engine::family;
use crate::media::format::Kind;
use crate::tasks::submit::Request;

impl ImageToPromptApi for Api {
    type Principal = Caller;

    async fn create_image_to_prompt(
        &self,
        context: Context<Caller>,
        input: models::CreateImageToPromptInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::IMAGE_TO_PROMPT)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .media("image", Kind::Image, Some(&body.image))
            .work(Describe {});
        self.create(&context, request).await
    }

    async fn list_image_to_prompts(
        &self,
        context: Context<Caller>,
        input: models::ListImageToPromptsInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::IMAGE_TO_PROMPT, None, &context, input.page, input.limit).await
    }

    async fn get_image_to_prompt(
        &self,
        context: Context<Caller>,
        input: models::GetImageToPromptInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::IMAGE_TO_PROMPT, None, &context, input.task_id).await
    }
}
