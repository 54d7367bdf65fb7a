//! The work for requests from a text to a sound, an icon or a text, and from a picture to a text.

use asset_api_server::models::{image_to_prompt, improve_prompt, sound_effects, text_to_icon, voiceover};
use asset_engines::describe::Describe;
use asset_engines::icon::{IconFormat, IconParameters, IconStyle};
use asset_engines::prompt::{PromptParameters, PromptPurpose};
use asset_engines::sound::SoundParameters;
use asset_engines::speech::SpeechParameters;

use super::SeededWork;

pub fn speech(body: &voiceover::VoiceoverRequest) -> SeededWork {
    let speech = SpeechParameters {
        text: body.text.clone(),
        voice_id: body.voice_id.clone(),
        model: body.model_or_default().to_owned(),
        stability: body.stability_or_default(),
        similarity_boost: body.similarity_boost_or_default(),
        speed: body.speed_or_default(),
        use_speaker_boost: body.use_speaker_boost_or_default(),
    };
    speech.into()
}

pub fn sound(body: &sound_effects::SoundEffectRequest) -> SeededWork {
    let sound = SoundParameters {
        text: body.text.clone(),
        duration_seconds: body.duration_seconds,
        looped: body.loop_or_default(),
        prompt_influence: body.prompt_influence_or_default(),
    };
    sound.into()
}

pub fn improved_prompt(body: &improve_prompt::ImprovePromptRequest) -> SeededWork {
    let prompt = PromptParameters {
        prompt: body.prompt.clone(),
        purpose: match body.r#type {
            improve_prompt::PromptType::Image => PromptPurpose::Image,
            improve_prompt::PromptType::Video => PromptPurpose::Video,
        },
        language: body.language_or_default().to_owned(),
    };
    prompt.into()
}

pub fn description(_: &image_to_prompt::ImageToPromptRequest) -> SeededWork {
    Describe {}.into()
}

pub fn icon(body: &text_to_icon::TextToIconRequest) -> SeededWork {
    drawn(body, false)
}

pub fn icon_preview(body: &text_to_icon::TextToIconRequest) -> SeededWork {
    drawn(body, true)
}

fn drawn(body: &text_to_icon::TextToIconRequest, preview: bool) -> SeededWork {
    use text_to_icon::GeneratedIconStyle as Style;
    let icon = IconParameters {
        prompt: body.prompt.clone(),
        style: match body.style_or_default() {
            Style::Solid => IconStyle::Solid,
            Style::Outline => IconStyle::Outline,
            Style::Color => IconStyle::Color,
            Style::Flat => IconStyle::Flat,
            Style::Sticker => IconStyle::Sticker,
        },
        format: icon_format(body.format_or_default()),
        num_inference_steps: body.num_inference_steps.and_then(|steps| u32::try_from(steps).ok()),
        guidance_scale: body.guidance_scale_or_default(),
        preview,
    };
    icon.into()
}

pub const fn icon_format(format: text_to_icon::IconFormat) -> IconFormat {
    match format {
        text_to_icon::IconFormat::Png => IconFormat::Png,
        text_to_icon::IconFormat::Svg => IconFormat::Svg,
    }
}
