//! `POST /v1/ai/text-to-video/video-v2-6-720p`, decoded in four ways.

use asset_api_models::text_to_video::CreateTextToVideoV2_6Input;
use asset_api_validation::text_to_video::CREATE_TEXT_TO_VIDEO_V2_6;
use garde::Validate;
use jsonschema::Validator;
use openapi_crates_runtime::table::Operation;
use serde::Deserialize;
use serde_json::json;

use crate::decode::{Sample, Subject, is_uri, text};
use crate::voiceover::{body_if, garde_uri};

/// The operation.
pub struct TextToVideo;

#[derive(Deserialize)]
enum Size {
    #[serde(rename = "1280*720")]
    Landscape720,
    #[serde(rename = "720*1280")]
    Portrait720,
    #[serde(rename = "1920*1080")]
    Landscape1080,
    #[serde(rename = "1080*1920")]
    Portrait1080,
}

#[derive(Deserialize)]
enum Length {
    #[serde(rename = "5")]
    Five,
    #[serde(rename = "10")]
    Ten,
    #[serde(rename = "15")]
    Fifteen,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum ShotType {
    Single,
    Multi,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "some fields are only decoded")]
pub struct ByHand {
    prompt: String,
    webhook_url: Option<String>,
    size: Option<Size>,
    duration: Option<Length>,
    negative_prompt: Option<String>,
    enable_prompt_expansion: Option<bool>,
    shot_type: Option<ShotType>,
    seed: Option<i64>,
}

impl ByHand {
    fn is_valid(&self) -> bool {
        let is_within = |text: &str, most| text.len() <= most || text.chars().count() <= most;
        is_within(&self.prompt, 2000)
            && self.negative_prompt.as_deref().is_none_or(|text| is_within(text, 1000))
            && self.seed.is_none_or(|seed| (-1..=2_147_483_647).contains(&seed))
            && allows(self.shot_type.as_ref(), self.enable_prompt_expansion)
            && self.webhook_url.as_deref().is_none_or(is_uri)
    }
}

/// Returns whether the shot type is allowed. Several shots need prompt expansion.
fn allows(shot_type: Option<&ShotType>, expansion: Option<bool>) -> bool {
    shot_type != Some(&ShotType::Multi) || expansion == Some(true)
}

#[derive(Deserialize, Validate)]
#[serde(deny_unknown_fields)]
pub struct Checked {
    #[garde(length(chars, max = 2000))]
    prompt: String,
    #[garde(inner(custom(garde_uri)))]
    webhook_url: Option<String>,
    #[garde(skip)]
    #[expect(dead_code, reason = "only decoded")]
    size: Option<Size>,
    #[garde(skip)]
    #[expect(dead_code, reason = "only decoded")]
    duration: Option<Length>,
    #[garde(length(chars, max = 1000))]
    negative_prompt: Option<String>,
    #[garde(skip)]
    enable_prompt_expansion: Option<bool>,
    #[garde(custom(needs_expansion(self.enable_prompt_expansion)))]
    shot_type: Option<ShotType>,
    #[garde(range(min = -1, max = 2_147_483_647))]
    seed: Option<i64>,
}

/// Checks the constraint on several shots for garde.
fn needs_expansion(expansion: Option<bool>) -> impl Fn(&Option<ShotType>, &()) -> garde::Result {
    move |shot_type, ()| match allows(shot_type.as_ref(), expansion) {
        true => Ok(()),
        false => Err(garde::Error::new("needs `enable_prompt_expansion`")),
    }
}

impl Subject for TextToVideo {
    type Ours = CreateTextToVideoV2_6Input;
    const OPERATION: &'static Operation = &CREATE_TEXT_TO_VIDEO_V2_6;

    type ByHand = (Option<String>, ByHand);
    fn by_hand(sample: &Sample) -> Option<Self::ByHand> {
        body_if(sample, ByHand::is_valid)
    }

    type Garde = (Option<String>, Checked);
    fn garde(sample: &Sample) -> Option<Self::Garde> {
        body_if(sample, |body: &Checked| body.validate().is_ok())
    }

    const SCHEMA: &'static str = "TextToVideoV2_6Request";
    type Parsed = (Option<String>, ByHand);
    fn jsonschema(validator: &Validator, sample: &Sample) -> Option<Self::Parsed> {
        let (key, body) = body_if(sample, |body| validator.is_valid(body))?;
        let body: ByHand = serde_json::from_value(body).ok()?;
        // JSON Schema in this draft can't express this condition.
        allows(body.shot_type.as_ref(), body.enable_prompt_expansion).then_some((key, body))
    }

    fn good() -> Vec<Sample> {
        vec![Sample::json("small", body(&text(38))), Sample::json("2 KB", body(&text(1900)))]
    }

    fn bad() -> Vec<Sample> {
        let with = |name, field: &str, value| Sample::json_with(name, &body(&text(38)), field, value);
        vec![
            with("a prompt that is too long", "prompt", json!(text(2001))),
            with("a negative prompt that is too long", "negative_prompt", json!(text(1001))),
            with("an unknown size", "size", json!("1*1")),
            with("an unknown duration", "duration", json!(5)),
            with("several shots without prompt expansion", "enable_prompt_expansion", json!(false)),
            with("a seed that is too low", "seed", json!(-2)),
            with("an unknown field", "volume", json!(1)),
            with("an invalid URI", "webhook_url", json!("client.example.com")),
        ]
    }
}

/// Returns the document's example with this prompt.
fn body(prompt: &str) -> String {
    format!(
        r#"{{"prompt":"{prompt}","webhook_url":"https://client.example.com/hooks/tasks","size":"1280*720","duration":"10","negative_prompt":"people, text","enable_prompt_expansion":true,"shot_type":"multi","seed":42}}"#
    )
}
