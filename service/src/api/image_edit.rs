//! `image-edit`: inpainting with a mask and a prompt.

use asset_api_server::Context;
use asset_api_server::image_edit::ImageEditApi;
use asset_api_server::models::{common, image_edit as models};

use super::authenticate::Caller;
use asset_engines::remove::{MagicPrompt, Remove, RenderingSpeed};

use super::{Answer, Api};
use crate::engine::family;
use crate::media::format::Kind;
use crate::tasks::submit::Request;

impl ImageEditApi for Api {
    type Principal = Caller;

    async fn create_image_edit(
        &self,
        context: Context<Caller>,
        input: models::CreateImageEditInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::IMAGE_EDIT)
            .model(&input.model)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .media("image", Kind::Image, Some(&body.image))
            .media("mask", Kind::Image, Some(&body.mask))
            .seed(body.seed)
            .work(Remove {
                prompt: body.prompt.clone(),
                rendering_speed: match body.rendering_speed {
                    Some(models::RenderingSpeed::Turbo) => RenderingSpeed::Turbo,
                    Some(models::RenderingSpeed::Quality) => RenderingSpeed::Quality,
                    _ => RenderingSpeed::Default,
                },
                magic_prompt: match body.magic_prompt {
                    Some(models::MagicPrompt::On) => MagicPrompt::On,
                    Some(models::MagicPrompt::Off) => MagicPrompt::Off,
                    _ => MagicPrompt::Auto,
                },
            });
        self.create(&context, request).await
    }

    async fn list_image_edits(
        &self,
        context: Context<Caller>,
        input: models::ListImageEditsInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::IMAGE_EDIT, Some(&input.model), &context, input.page, input.limit).await
    }

    async fn get_image_edit(
        &self,
        context: Context<Caller>,
        input: models::GetImageEditInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::IMAGE_EDIT, Some(&input.model), &context, input.task_id).await
    }
}
