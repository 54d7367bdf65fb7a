//! `image-upscaler-precision`: faithful upscaling of images, in two versions.

use asset_api_server::Context;
use asset_api_server::image_upscaler_precision::ImageUpscalerPrecisionApi;
use asset_api_server::models::{common, image_upscaler_precision as models};

use asset_engines::upscale::{Flavor, Precision, PrecisionV2};

use super::authenticate::Caller;
use super::{Answer, Api, level};
use crate::engine::family;
use crate::media::format::Kind;
use crate::tasks::submit::Request;

impl ImageUpscalerPrecisionApi for Api {
    type Principal = Caller;

    async fn create_precision_image_upscale(
        &self,
        context: Context<Caller>,
        input: models::CreatePrecisionImageUpscaleInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::IMAGE_UPSCALER_PRECISION)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .media("image", Kind::Image, Some(&body.image))
            .work(Precision {
                sharpen: level(body.sharpen_or_default()),
                smart_grain: level(body.smart_grain_or_default()),
                ultra_detail: level(body.ultra_detail_or_default()),
            });
        self.create(&context, request).await
    }

    async fn list_precision_image_upscales(
        &self,
        context: Context<Caller>,
        input: models::ListPrecisionImageUpscalesInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::IMAGE_UPSCALER_PRECISION, None, &context, input.page, input.limit).await
    }

    async fn get_precision_image_upscale(
        &self,
        context: Context<Caller>,
        input: models::GetPrecisionImageUpscaleInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::IMAGE_UPSCALER_PRECISION, None, &context, input.task_id).await
    }

    async fn create_precision_image_upscale_v2(
        &self,
        context: Context<Caller>,
        input: models::CreatePrecisionImageUpscaleV2Input,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::IMAGE_UPSCALER_PRECISION_V2)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .media("image", Kind::Image, Some(&body.image))
            .work(PrecisionV2 {
                sharpen: level(body.sharpen_or_default()),
                smart_grain: level(body.smart_grain_or_default()),
                ultra_detail: level(body.ultra_detail_or_default()),
                flavor: body.flavor.map(flavor),
                scale_factor: u32::from(level(body.scale_factor_or_default())),
            });
        self.create(&context, request).await
    }

    async fn list_precision_image_upscales_v2(
        &self,
        context: Context<Caller>,
        input: models::ListPrecisionImageUpscalesV2Input,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::IMAGE_UPSCALER_PRECISION_V2, None, &context, input.page, input.limit).await
    }

    async fn get_precision_image_upscale_v2(
        &self,
        context: Context<Caller>,
        input: models::GetPrecisionImageUpscaleV2Input,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::IMAGE_UPSCALER_PRECISION_V2, None, &context, input.task_id).await
    }
}

const fn flavor(flavor: models::ImageFlavor) -> Flavor {
    match flavor {
        models::ImageFlavor::Sublime => Flavor::Sublime,
        models::ImageFlavor::Photo => Flavor::Photo,
        models::ImageFlavor::PhotoDenoiser => Flavor::PhotoDenoiser,
    }
}
