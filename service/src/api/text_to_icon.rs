//! `text-to-icon`: icon generation from text, as PNG or SVG.

use asset_api_server::models::responses::ApiError;
use asset_api_server::models::{common, text_to_icon as models};
use asset_api_server::text_to_icon::TextToIconApi;
use asset_api_server::{Context, Failure};

use asset_engines::icon::{IconFormat, IconParameters, IconStyle};

use super::authenticate::Caller;
use super::{Answer, Api, refusal};
use crate::engine::family;
use crate::store::TaskStatus;
use crate::tasks::render::RenderError;
use crate::tasks::submit::{InvalidParam, Request};
use crate::tasks::{self, view};

impl TextToIconApi for Api {
    type Principal = Caller;

    async fn create_icon(
        &self,
        context: Context<Caller>,
        input: models::CreateIconInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::TEXT_TO_ICON)
            .webhook(Some(&body.webhook_url))
            .sent(input.idempotency_key, body)
            .work(parameters(body, false));
        self.create(&context, request).await
    }

    async fn list_generated_icons(
        &self,
        context: Context<Caller>,
        input: models::ListGeneratedIconsInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::TEXT_TO_ICON, None, &context, input.page, input.limit).await
    }

    async fn preview_icon(
        &self,
        context: Context<Caller>,
        input: models::PreviewIconInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::TEXT_TO_ICON)
            .webhook(Some(&body.webhook_url))
            .sent(input.idempotency_key, body)
            .work(parameters(body, true));
        self.create(&context, request).await
    }

    async fn get_generated_icon(
        &self,
        context: Context<Caller>,
        input: models::GetGeneratedIconInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::TEXT_TO_ICON, None, &context, input.task_id).await
    }

    /// Returns the task with its icon in the requested format.
    ///
    /// Once the task is completed, the icon is drawn during the request, with the task's seed.
    async fn render_icon(
        &self,
        context: Context<Caller>,
        input: models::RenderIconInput,
    ) -> Answer<common::TaskResponse> {
        let task = self.find(&family::TEXT_TO_ICON, None, &context, input.task_id).await?;
        let mut shown = view::task(&task, &self.urls);
        if task.status == TaskStatus::Completed {
            let format = format(input.format);
            let (files, registry) = (&self.submitter.files, &self.submitter.registry);
            let rendered = tasks::render::icon(&*self.store, files, registry, &task, format).await;
            shown.generated = vec![self.urls.of(&rendered.map_err(not_rendered)?)];
        }
        Ok(common::TaskResponse::new(shown))
    }
}

fn not_rendered(error: RenderError) -> Failure<ApiError> {
    match error {
        RenderError::NoVectors => refusal::invalid(vec![InvalidParam::new(
            "format",
            "must be png: the engine of this task makes pictures without vectors",
        )]),
        error => Failure::internal(error),
    }
}

fn parameters(body: &models::TextToIconRequest, preview: bool) -> IconParameters {
    IconParameters {
        prompt: body.prompt.clone(),
        style: match body.style_or_default() {
            models::GeneratedIconStyle::Solid => IconStyle::Solid,
            models::GeneratedIconStyle::Outline => IconStyle::Outline,
            models::GeneratedIconStyle::Color => IconStyle::Color,
            models::GeneratedIconStyle::Flat => IconStyle::Flat,
            models::GeneratedIconStyle::Sticker => IconStyle::Sticker,
        },
        format: format(body.format_or_default()),
        num_inference_steps: body.num_inference_steps.and_then(|steps| u32::try_from(steps).ok()),
        guidance_scale: body.guidance_scale_or_default(),
        preview,
    }
}

const fn format(format: models::IconFormat) -> IconFormat {
    match format {
        models::IconFormat::Png => IconFormat::Png,
        models::IconFormat::Svg => IconFormat::Svg,
    }
}
