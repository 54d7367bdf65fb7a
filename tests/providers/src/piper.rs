//! Simulates Piper's HTTP server, which responds with the speech, without jobs.

use serde_json::json;
use simulated_providers_server::models::common::Json;
use simulated_providers_server::models::piper::SynthesizeInput;
use simulated_providers_server::models::types::{ByteStream, NoError};
use simulated_providers_server::piper::PiperApi;
use simulated_providers_server::{Context, Failure};

use crate::media::Medium;
use crate::{Provider, Shared};

impl PiperApi for Shared {
    async fn synthesize(
        &self,
        _: Context<()>,
        input: SynthesizeInput,
    ) -> Result<ByteStream, Failure<NoError>> {
        let voice = input.body.voice.clone().unwrap_or_default();
        let body = serde_json::to_value(&input.body).map_err(Failure::internal)?;
        self.jobs().create(Provider::Piper, voice, body, None);
        Ok(ByteStream::from(Medium::Sound.bytes()))
    }

    async fn list_voices(&self, _: Context<()>) -> Result<Json, Failure<NoError>> {
        Ok(json!({"en_US-joe-medium": {"audio": {"sample_rate": 22_050}, "num_speakers": 1}}))
    }
}
