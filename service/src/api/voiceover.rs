//! `voiceover`: speech from text.

use asset_api_server::Context;
use asset_api_server::models::{common, voiceover as models};
use asset_api_server::voiceover::VoiceoverApi;

use super::authenticate::Caller;
use asset_engines::speech::SpeechParameters;

use super::{Answer, Api};
use crate::engine::family;
use crate::tasks::submit::Request;

impl VoiceoverApi for Api {
    type Principal = Caller;

    async fn create_voiceover(
        &self,
        context: Context<Caller>,
        input: models::CreateVoiceoverInput,
    ) -> Answer<common::TaskCreatedResponse> {
        let body = &input.body;
        let request = Request::new(&family::VOICEOVER)
            .webhook(body.webhook_url.as_ref())
            .sent(input.idempotency_key, body)
            .work(SpeechParameters {
                text: body.text.clone(),
                voice_id: body.voice_id.clone(),
                model: body.model_or_default().to_owned(),
                stability: body.stability_or_default(),
                similarity_boost: body.similarity_boost_or_default(),
                speed: body.speed_or_default(),
                use_speaker_boost: body.use_speaker_boost_or_default(),
            });
        self.create(&context, request).await
    }

    async fn list_voiceovers(
        &self,
        context: Context<Caller>,
        input: models::ListVoiceoversInput,
    ) -> Answer<common::TaskListResponse> {
        self.list(&family::VOICEOVER, None, &context, input.page, input.limit).await
    }

    async fn get_voiceover(
        &self,
        context: Context<Caller>,
        input: models::GetVoiceoverInput,
    ) -> Answer<common::TaskResponse> {
        self.get(&family::VOICEOVER, None, &context, input.task_id).await
    }
}
