//! `skin-enhancer`: enhancement of skin in portraits, in three modes.

use asset_api_server::Context;
use asset_api_server::models::{common, skin_enhancer as models};
use asset_api_server::skin_enhancer::SkinEnhancerApi;

use asset_engines::retouch::{Mode, Retouch, Target};

use super::authenticate::Caller;
use super::{Answer, Api, level};
use crate::engine::family;
use crate::media::format::Kind;
use crate::tasks::submit::Request;

impl SkinEnhancerApi for Api {
    type Principal = Caller;

    async fn enhance_skin_creative(
        &self,
        context: Context<Caller>,
        input: models::EnhanceSkinCreativeInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::SKIN_ENHANCER)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .media("image", Kind::Image, Some(&body.image))
            .work(Retouch {
                mode: Mode::Creative,
                sharpen: level(body.sharpen_or_default()),
                smart_grain: level(body.smart_grain_or_default()),
            });
        self.create(&context, request).await
    }

    async fn enhance_skin_faithful(
        &self,
        context: Context<Caller>,
        input: models::EnhanceSkinFaithfulInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::SKIN_ENHANCER)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .media("image", Kind::Image, Some(&body.image))
            .work(Retouch {
                mode: Mode::Faithful { skin_detail: level(body.skin_detail_or_default()) },
                sharpen: level(body.sharpen_or_default()),
                smart_grain: level(body.smart_grain_or_default()),
            });
        self.create(&context, request).await
    }

    async fn enhance_skin_flexible(
        &self,
        context: Context<Caller>,
        input: models::EnhanceSkinFlexibleInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::SKIN_ENHANCER)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .media("image", Kind::Image, Some(&body.image))
            .work(Retouch {
                mode: Mode::Flexible { optimized_for: target(body.optimized_for_or_default()) },
                sharpen: level(body.sharpen_or_default()),
                smart_grain: level(body.smart_grain_or_default()),
            });
        self.create(&context, request).await
    }

    async fn list_skin_enhancements(
        &self,
        context: Context<Caller>,
        input: models::ListSkinEnhancementsInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::SKIN_ENHANCER, None, &context, input.page, input.limit).await
    }

    async fn get_skin_enhancement(
        &self,
        context: Context<Caller>,
        input: models::GetSkinEnhancementInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::SKIN_ENHANCER, None, &context, input.task_id).await
    }
}

const fn target(target: models::SkinTarget) -> Target {
    match target {
        models::SkinTarget::EnhanceSkin => Target::EnhanceSkin,
        models::SkinTarget::ImproveLighting => Target::ImproveLighting,
        models::SkinTarget::EnhanceEverything => Target::EnhanceEverything,
        models::SkinTarget::TransformToReal => Target::TransformToReal,
        models::SkinTarget::NoMakeUp => Target::NoMakeUp,
    }
}
