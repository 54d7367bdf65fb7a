//! `improve-prompt`: improvement of prompts for image and video generation.

use asset_api_server::Context;
use asset_api_server::improve_prompt::ImprovePromptApi;
use asset_api_server::models::{common, improve_prompt as models};

use asset_engines::prompt::{PromptParameters, PromptPurpose};

use super::authenticate::Caller;
use super::{Answer, Api};
use crate::engine::family;
use crate::tasks::submit::Request;

impl ImprovePromptApi for Api {
    type Principal = Caller;

    async fn improve_prompt(
        &self,
        context: Context<Caller>,
        input: models::ImprovePromptInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::IMPROVE_PROMPT)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .work(PromptParameters {
                prompt: body.prompt.clone(),
                purpose: match body.r#type {
                    models::PromptType::Image => PromptPurpose::Image,
                    models::PromptType::Video => PromptPurpose::Video,
                },
                language: body.language_or_default().to_owned(),
            });
        self.create(&context, request).await
    }

    async fn list_improved_prompts(
        &self,
        context: Context<Caller>,
        input: models::ListImprovedPromptsInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::IMPROVE_PROMPT, None, &context, input.page, input.limit).await
    }

    async fn get_improved_prompt(
        &self,
        context: Context<Caller>,
        input: models::GetImprovedPromptInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::IMPROVE_PROMPT, None, &context, input.task_id).await
    }
}
