//! `image-expand`: outpainting beyond the edges of an image.

use asset_api_server::Context;
use asset_api_server::image_expand::ImageExpandApi;
use asset_api_server::models::{common, image_expand as models};

use super::authenticate::Caller;
use asset_engines::expand::Expand;

use super::{Answer, Api};
use crate::engine::family;
use crate::media::format::Kind;
use crate::tasks::submit::Request;

impl ImageExpandApi for Api {
    type Principal = Caller;

    async fn create_image_expansion(
        &self,
        context: Context<Caller>,
        input: models::CreateImageExpansionInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::IMAGE_EXPAND)
            .model(&input.model)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .media("image", Kind::Image, Some(&body.image))
            .seed(body.seed)
            .work(Expand {
                left: edge(body.left),
                right: edge(body.right),
                top: edge(body.top),
                bottom: edge(body.bottom),
                prompt: body.prompt.clone().unwrap_or_default(),
            });
        self.create(&context, request).await
    }

    async fn list_image_expansions(
        &self,
        context: Context<Caller>,
        input: models::ListImageExpansionsInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::IMAGE_EXPAND, Some(&input.model), &context, input.page, input.limit).await
    }

    async fn get_image_expansion(
        &self,
        context: Context<Caller>,
        input: models::GetImageExpansionInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::IMAGE_EXPAND, Some(&input.model), &context, input.task_id).await
    }
}

fn edge(growth: Option<i64>) -> u32 {
    growth.and_then(|growth| u32::try_from(growth).ok()).unwrap_or_default()
}
