//! `POST /v1/ai/voiceover`, decoded in four ways.

use asset_api_models::voiceover::CreateVoiceoverInput;
use asset_api_validation::voiceover::CREATE_VOICEOVER;
use garde::Validate;
use jsonschema::Validator;
use openapi_crates_runtime::table::Operation;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::json;

use crate::decode::{Sample, Subject, is_key, is_uri, text};

/// The operation.
pub struct Voiceover;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByHand {
    text: String,
    voice_id: String,
    #[expect(dead_code, reason = "only decoded")]
    model: Option<String>,
    stability: Option<f64>,
    similarity_boost: Option<f64>,
    speed: Option<f64>,
    #[expect(dead_code, reason = "only decoded")]
    use_speaker_boost: Option<bool>,
    webhook_url: Option<String>,
}

impl ByHand {
    /// Returns whether the values satisfy the document's constraints.
    pub fn is_valid(&self) -> bool {
        let is_within = |value: Option<f64>, least: f64, most: f64| {
            value.is_none_or(|value| (least..=most).contains(&value))
        };
        !self.text.is_empty()
            && (self.text.len() <= 40_000 || self.text.chars().count() <= 40_000)
            && !self.voice_id.is_empty()
            && is_within(self.stability, 0.0, 1.0)
            && is_within(self.similarity_boost, 0.0, 1.0)
            && is_within(self.speed, 0.7, 1.2)
            && self.webhook_url.as_deref().is_none_or(is_uri)
    }
}

#[derive(Deserialize, Validate)]
#[serde(deny_unknown_fields)]
pub struct Checked {
    #[garde(length(chars, min = 1, max = 40_000))]
    text: String,
    #[garde(length(chars, min = 1))]
    voice_id: String,
    #[garde(skip)]
    #[expect(dead_code, reason = "only decoded")]
    model: Option<String>,
    #[garde(range(min = 0.0, max = 1.0))]
    stability: Option<f64>,
    #[garde(range(min = 0.0, max = 1.0))]
    similarity_boost: Option<f64>,
    #[garde(range(min = 0.7, max = 1.2))]
    speed: Option<f64>,
    #[garde(skip)]
    #[expect(dead_code, reason = "only decoded")]
    use_speaker_boost: Option<bool>,
    #[garde(inner(custom(garde_uri)))]
    webhook_url: Option<String>,
}

/// Checks a URI for garde.
pub fn garde_uri(text: &str, _: &()) -> garde::Result {
    if is_uri(text) { Ok(()) } else { Err(garde::Error::new("not a URI")) }
}

/// Returns the idempotency key and the body, or `None` if one of them is invalid.
#[inline]
pub fn body_if<B: DeserializeOwned>(
    sample: &Sample,
    is_valid: impl Fn(&B) -> bool,
) -> Option<(Option<String>, B)> {
    let key = sample.header("idempotency-key")?;
    let key = key.is_none_or(is_key).then(|| key.map(str::to_owned))?;
    let body = serde_json::from_slice(&sample.body).ok()?;
    is_valid(&body).then_some((key, body))
}

impl Subject for Voiceover {
    type Ours = CreateVoiceoverInput;
    const OPERATION: &'static Operation = &CREATE_VOICEOVER;

    type ByHand = (Option<String>, ByHand);
    fn by_hand(sample: &Sample) -> Option<Self::ByHand> {
        body_if(sample, ByHand::is_valid)
    }

    type Garde = (Option<String>, Checked);
    fn garde(sample: &Sample) -> Option<Self::Garde> {
        body_if(sample, |body: &Checked| body.validate().is_ok())
    }

    const SCHEMA: &'static str = "VoiceoverRequest";
    type Parsed = (Option<String>, ByHand);
    fn jsonschema(validator: &Validator, sample: &Sample) -> Option<Self::Parsed> {
        let (key, body) = body_if(sample, |body| validator.is_valid(body))?;
        Some((key, serde_json::from_value(body).ok()?))
    }

    fn good() -> Vec<Sample> {
        vec![Sample::json("small", body(&text(56))), Sample::json("2 KB", body(&text(2048)))]
    }

    fn bad() -> Vec<Sample> {
        let with = |name, field: &str, value| Sample::json_with(name, &body(&text(56)), field, value);
        vec![
            with("an empty text", "text", json!("")),
            with("a text that is too long", "text", json!(text(40_001))),
            with("a text of another type", "text", json!(1)),
            with("an empty voice", "voice_id", json!("")),
            with("a speed that is too low", "speed", json!(0.5)),
            with("a stability that is too high", "stability", json!(1.5)),
            with("an unknown field", "volume", json!(1)),
            with("an invalid URI", "webhook_url", json!("client.example.com")),
            Sample::json("a repeated header", body(&text(56))).repeated("idempotency-key"),
        ]
    }
}

/// Returns the document's example with this text.
fn body(text: &str) -> String {
    format!(
        r#"{{"text":"{text}","voice_id":"narrator-warm-01","model":"vendor_turbo_v2_5","stability":0.4,"similarity_boost":0.3,"speed":1.05,"use_speaker_boost":true,"webhook_url":"https://client.example.com/hooks/tasks"}}"#
    )
}
