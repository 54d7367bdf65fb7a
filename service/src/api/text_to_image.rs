//! `text-to-image`: images from text, with optional reference images.

use asset_api_server::Context;
use asset_api_server::models::{common, text_to_image as models};
use asset_api_server::text_to_image::TextToImageApi;

use super::authenticate::Caller;
use asset_engines::compose::{Composition, Format};

use super::{Answer, Api, level, shapes};
use crate::engine::family;
use crate::media::format::Kind;
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
            .sent(input.idempotency_key, body)
            .media_url("input_image", Kind::Image, body.input_image.as_ref())
            .seed(body.seed.map(|seed| seed & i64::MAX))
            .work(guided(body));
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
            .sent(input.idempotency_key, body)
            .seed(body.seed)
            .work(tiered(body, MEGAPIXEL));
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
            .sent(input.idempotency_key, body)
            .seed(body.seed)
            .work(tiered(body, 4 * MEGAPIXEL));
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
            .sent(input.idempotency_key, body)
            .work(referring(body));
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

/// The number of pixels of a picture if the request does not set a size.
const MEGAPIXEL: u32 = 1 << 20;

/// Returns the engine parameters for models with an optional reference image.
fn guided(body: &models::KontextProRequest) -> Composition {
    let (width, height) = shapes::area(body.aspect_ratio_or_default().as_str(), MEGAPIXEL);
    Composition {
        expand: body.prompt_upsampling_or_default(),
        ..Composition::new(&body.prompt, width, height)
    }
}

/// Returns the engine parameters for the two tiers.
fn tiered(body: &models::TieredTextToImageRequest, pixels: u32) -> Composition {
    let shape = body.aspect_ratio.as_ref().map_or("1:1", models::TieredAspectRatio::as_str);
    let (width, height) = shapes::area(shape, pixels);
    let options = body.output_options.as_ref();
    let compression = options.and_then(|options| options.compression).map(level);
    Composition {
        expand: body.enhance_prompt.unwrap_or_default(),
        format: match options.and_then(|options| options.mime_type.as_ref()) {
            Some(models::ImageMimeType::ImageJpeg) => Format::Jpeg(compression),
            _ => Format::Png(compression),
        },
        ..Composition::new(&body.prompt, width, height)
    }
}

/// Returns the engine parameters for models with reference images.
fn referring(body: &models::TextToImageRequest) -> Composition {
    let side = match body.resolution_or_default() {
        models::TextToImageResolution::Low => 1024,
        models::TextToImageResolution::Medium => 2048,
        models::TextToImageResolution::High => 4096,
    };
    let shape = body.aspect_ratio.as_ref().map_or("1:1", models::TextToImageAspectRatio::as_str);
    let (width, height) = shapes::longest(shape, side);
    // The texts of the reference images are part of the prompt.
    let said = body.reference_images.iter().flatten().filter_map(|reference| reference.text.as_deref());
    let prompt: Vec<&str> = std::iter::once(body.prompt.as_str()).chain(said).collect();
    Composition::new(prompt.join(". "), width, height)
}
