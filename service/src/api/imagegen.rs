//! `imagegen`: image generation with LoRA styles in 1K, 2K and 4K.

use asset_api_server::Context;
use asset_api_server::imagegen::ImagegenApi;
use asset_api_server::models::{common, imagegen as models};

use super::authenticate::Caller;
use asset_engines::compose::{Composition, Share};
use sha2::{Digest, Sha256};

use super::{Answer, Api, paging, shapes};
use crate::engine::family;
use crate::media::format::Kind;
use crate::tasks::submit::Request;
use crate::tasks::view;

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
            .sent(input.idempotency_key, body)
            .media("structure_reference", Kind::Image, body.structure_reference.as_ref())
            .media("style_reference", Kind::Image, body.style_reference.as_ref())
            .seed(body.fixed_generation_or_default().then(|| seed_of(body)))
            .work(composition(body));
        self.create(&context, request).await
    }

    async fn list_imagegens(
        &self,
        context: Context<Caller>,
        input: models::ListImagegensInput,
    ) -> Answer<models::ImagegenTaskListResponse> {
        let tasks = self.find_all(&family::IMAGEGEN, None, &context, paging(input.page, input.limit)).await?;
        let tasks = tasks.iter().map(|task| view::imagegen(task, &self.urls)).collect();
        Ok(models::ImagegenTaskListResponse::new(tasks))
    }

    async fn get_imagegen(
        &self,
        context: Context<Caller>,
        input: models::GetImagegenInput,
    ) -> Answer<models::ImagegenTaskResponse> {
        let task = self.find(&family::IMAGEGEN, None, &context, input.task_id).await?;
        Ok(models::ImagegenTaskResponse::new(view::imagegen(&task, &self.urls)))
    }
}

/// Returns the engine parameters for a request.
fn composition(body: &models::ImagegenRequest) -> Composition {
    let side = match body.resolution_or_default() {
        models::ImagegenResolution::N1k => 1024,
        models::ImagegenResolution::N2k => 2048,
        models::ImagegenResolution::N4k => 4096,
    };
    let (width, height) = shapes::longest(body.aspect_ratio_or_default().as_str(), side);
    let mut composition = Composition::new(body.prompt.clone().unwrap_or_default(), width, height);
    if let Some(styling) = &body.styling {
        let asked = |count: Option<usize>| count.is_some_and(|count| count > 0);
        let styles = asked(styling.styles.as_ref().map(Vec::len));
        composition.trained = (styles, asked(styling.characters.as_ref().map(Vec::len)));
        let colours = styling.colors.iter().flatten();
        composition.colours =
            colours.map(|share| Share { colour: share.color.clone(), weight: share.weight }).collect();
    }
    composition
}

/// Derives the seed from the settings, so that equal settings give equal pictures.
fn seed_of(body: &models::ImagegenRequest) -> i64 {
    let mut settings = body.clone();
    settings.webhook_url = None;
    // Models always serialize.
    let digest = Sha256::digest(serde_json::to_vec(&settings).unwrap_or_default());
    let first = digest.first_chunk().copied().unwrap_or_default();
    i64::from_be_bytes(first) & i64::MAX
}
