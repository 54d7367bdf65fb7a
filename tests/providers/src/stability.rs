//! Simulates Stability AI's inpainting API: it takes a form, and responds with a picture in base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use simulated_providers_server::models::stability::{InpaintInput, InpaintOutput};
use simulated_providers_server::models::types::NoError;
use simulated_providers_server::stability::StabilityApi;
use simulated_providers_server::{Context, Failure};

use crate::media::Medium;
use crate::{Provider, Shared};

impl StabilityApi for Shared {
    type Principal = ();

    async fn inpaint(&self, _: Context<()>, input: InpaintInput) -> Result<InpaintOutput, Failure<NoError>> {
        let body = input.body;
        let seed = body.seed.unwrap_or_default();
        let mut jobs = self.jobs();
        jobs.uploads.push(body.image.data);
        jobs.uploads.extend(body.mask.map(|mask| mask.data));
        let stored_input = json!({"prompt": body.prompt, "seed": seed, "output_format": body.output_format.map(|format| format.as_str())});
        jobs.create(Provider::Stability, "inpaint".to_owned(), stored_input, None);
        Ok(InpaintOutput::new(STANDARD.encode(Medium::Picture.bytes()), "SUCCESS", seed))
    }
}
