//! Parameters that no API has validated: each engine refuses values that it can't honour, and stays within bounds.

// Clippy's rules for test code apply to all of this.
#![cfg(test)]

use asset_engines::camera::{Camera, Photographer};
use asset_engines::compose::{Composer, Composition};
use asset_engines::expand::{Expand, Expander};
use asset_engines::film::{Animation, Animator, CameraMove, StillCamera};
use asset_engines::icon::{IconParameters, IconRetrieval};
use asset_engines::prompt::{PromptParameters, TemplateExpansion};
use asset_engines::retouch::{Retouch, Retoucher};
use asset_engines::sound::{ProceduralSound, SoundParameters};
use asset_engines::speech::{FormantSpeech, SpeechParameters};
use asset_engines::upscale::{Precision, PrecisionV2, Upscaler};
use asset_engines::{Engine, Failure, Job};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Returns the names of the parameters that the engine refuses.
fn refused<P: DeserializeOwned>(engine: impl Engine<P>, parameters: Value) -> Vec<String> {
    let parameters: P = serde_json::from_value(parameters).unwrap();
    engine.refuse(&parameters).into_iter().map(|refusal| refusal.parameter.into_owned()).collect()
}

fn speech(change: impl FnOnce(&mut Value)) -> Value {
    let mut speech = json!({"text": "hello", "voice_id": "anna"});
    change(&mut speech);
    speech
}

#[test]
fn parameters_out_of_bounds_are_refused() {
    let long = |characters: usize| "é".repeat(characters);
    assert!(
        refused::<SpeechParameters>(FormantSpeech, speech(|speech| speech["text"] = long(40_000).into()))
            .is_empty()
    );
    assert_eq!(
        refused::<SpeechParameters>(
            FormantSpeech,
            json!({
                "text": long(40_001), "voice_id": "anna", "model": "x", "stability": 1.1, "similarity_boost": -1.0,
                "speed": 1e300
            })
        ),
        ["text", "stability", "similarity_boost", "speed", "model"]
    );
    assert!(
        refused::<SoundParameters>(
            ProceduralSound,
            json!({"text": format!("rain {}", long(2495)), "duration_seconds": 22})
        )
        .is_empty()
    );
    assert_eq!(
        refused::<SoundParameters>(
            ProceduralSound,
            json!({"text": format!("rain {}", long(2496)), "duration_seconds": 1e300, "prompt_influence": 2})
        ),
        ["text", "duration_seconds", "prompt_influence"]
    );
    assert_eq!(
        refused::<PromptParameters>(
            TemplateExpansion,
            json!({"prompt": long(2501), "type": "image", "language": "xx"})
        ),
        // An engine that can't write the language lists the field in `ignored`.
        ["prompt"]
    );
    assert_eq!(
        refused::<IconParameters>(
            IconRetrieval,
            json!({"prompt": "cat", "num_inference_steps": u32::MAX, "guidance_scale": -1})
        ),
        ["num_inference_steps", "guidance_scale"]
    );
    let levels = json!({"sharpen": 101, "smart_grain": 255, "ultra_detail": 101});
    assert_eq!(refused::<Precision>(Upscaler, levels), ["sharpen", "smart_grain", "ultra_detail"]);
    assert_eq!(refused::<PrecisionV2>(Upscaler, json!({"scale_factor": u32::MAX})), ["scale_factor"]);
    assert_eq!(refused::<PrecisionV2>(Upscaler, json!({"scale_factor": 1})), ["scale_factor"]);
    assert_eq!(
        refused::<Retouch>(
            Retoucher,
            json!({"mode": "faithful", "skin_detail": 101, "sharpen": 101, "smart_grain": 101})
        ),
        ["sharpen", "smart_grain", "skin_detail"]
    );
    assert_eq!(
        refused::<Expand>(Expander, json!({"left": 2049, "right": u32::MAX, "top": 2048, "bottom": 2049})),
        ["left", "right", "bottom"]
    );
    assert_eq!(
        refused::<Camera>(
            Photographer,
            json!({"horizontal_angle": 361, "zoom": 255, "vertical_angle": i16::MIN})
        ),
        ["horizontal_angle", "zoom", "vertical_angle"]
    );
    let composition = json!({"prompt": "", "width": 4097, "height": 0});
    assert_eq!(refused::<Composition>(Composer, composition), ["width", "height"]);
    assert_eq!(
        refused::<Animation>(Animator, json!({"prompt": "", "width": 8, "height": 4000, "seconds": 16})),
        ["width", "height", "seconds"]
    );
    assert_eq!(
        refused::<CameraMove>(
            StillCamera,
            json!({"prompt": "", "shorter_side": 2000, "seconds": 0, "first": true, "last": false})
        ),
        ["shorter_side", "seconds"]
    );
}

#[test]
fn a_text_that_takes_too_long_is_refused_before_it_is_accepted() {
    let refusals = |text: &str, speed| {
        FormantSpeech.refuse(&SpeechParameters { speed, ..SpeechParameters::new(text, "anna") })
    };
    // Forty thousand characters of prose take 50 minutes, as many digits almost four hours.
    let prose = "The quick brown fox jumps over the lazy dog. ".repeat(888);
    assert_eq!(refusals(&prose, 1.0), []);
    let digits = "2 4 7. ".repeat(5_700);
    let [refusal] = &*refusals(&digits, 1.0) else { panic!("it takes more than two hours") };
    assert_eq!((&*refusal.parameter, refusal.reason.contains("two hours")), ("text", true));
    // Whether it is too long depends on the speed.
    let lasting = "2 4 7. ".repeat(4_500);
    assert_eq!((refusals(&lasting, 1.2).len(), refusals(&lasting, 0.7).len()), (0, 1));
}

#[test]
fn a_speech_that_is_too_long_fails_early() {
    // Two hours are reached long before all of it is planned, and nothing is allocated for more.
    let endless = "2 4 7. ".repeat(1_000_000);
    let parameters = SpeechParameters::new(endless, "anna");
    let failure = FormantSpeech.run(&parameters, (), &Job::with_seed(1)).unwrap_err();
    assert!(matches!(failure, Failure::Media { code: "speech_too_long", .. }), "{failure:?}");
}
