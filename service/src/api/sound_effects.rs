//! `sound-effects`: sound effects from text.

use asset_api_server::Context;
use asset_api_server::models::{common, sound_effects as models};
use asset_api_server::sound_effects::SoundEffectsApi;

use asset_engines::sound::SoundParameters;

use super::authenticate::Caller;
use super::{Answer, Api};
use crate::engine::family;
use crate::tasks::submit::Request;

impl SoundEffectsApi for Api {
    type Principal = Caller;

    async fn create_sound_effect(
        &self,
        context: Context<Caller>,
        input: models::CreateSoundEffectInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::SOUND_EFFECTS)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .work(SoundParameters {
                text: body.text.clone(),
                duration_seconds: body.duration_seconds,
                looped: body.loop_or_default(),
                prompt_influence: body.prompt_influence_or_default(),
            });
        self.create(&context, request).await
    }

    async fn list_sound_effects(
        &self,
        context: Context<Caller>,
        input: models::ListSoundEffectsInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::SOUND_EFFECTS, None, &context, input.page, input.limit).await
    }

    async fn get_sound_effect(
        &self,
        context: Context<Caller>,
        input: models::GetSoundEffectInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::SOUND_EFFECTS, None, &context, input.task_id).await
    }
}
