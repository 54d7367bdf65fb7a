//! `lip-sync`: talking videos from a portrait and speech.

use asset_api_server::Context;
use asset_api_server::lip_sync::LipSyncApi;
use asset_api_server::models::{common, lip_sync as models};

use super::authenticate::Caller;
use super::{Answer, Api};
use crate::engine::family;
use crate::media::format::Kind;
use crate::tasks::submit::Request;

impl LipSyncApi for Api {
    type Principal = Caller;

    async fn create_lip_sync(
        &self,
        context: Context<Caller>,
        input: models::CreateLipSyncInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::LIP_SYNC)
            .model(&input.model)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .media_url("image_url", Kind::Image, Some(&body.image_url))
            .media_url("audio_url", Kind::Audio, Some(&body.audio_url));
        self.create(&context, request).await
    }

    async fn list_lip_syncs(
        &self,
        context: Context<Caller>,
        input: models::ListLipSyncsInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::LIP_SYNC, Some(&input.model), &context, input.page, input.limit).await
    }

    async fn get_lip_sync(
        &self,
        context: Context<Caller>,
        input: models::GetLipSyncInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::LIP_SYNC, Some(&input.model), &context, input.task_id).await
    }

    async fn create_fast_lip_sync(
        &self,
        context: Context<Caller>,
        input: models::CreateFastLipSyncInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::LIP_SYNC_FAST)
            .model(&input.model)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .media_url("image_url", Kind::Image, Some(&body.image_url))
            .media_url("audio_url", Kind::Audio, Some(&body.audio_url));
        self.create(&context, request).await
    }

    async fn list_fast_lip_syncs(
        &self,
        context: Context<Caller>,
        input: models::ListFastLipSyncsInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::LIP_SYNC_FAST, Some(&input.model), &context, input.page, input.limit).await
    }

    async fn get_fast_lip_sync(
        &self,
        context: Context<Caller>,
        input: models::GetFastLipSyncInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::LIP_SYNC_FAST, Some(&input.model), &context, input.task_id).await
    }
}
