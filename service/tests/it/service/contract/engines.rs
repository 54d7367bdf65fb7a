//! Values that built-in engines can't honour: rejected at submission, or listed in `ignored`.

use base64::Engine as _;
use serde_json::{Value, json};

use super::super::outside::PICTURE;
use super::super::running::Running;
use super::super::waiting::eventually;
use super::{UNLIMITED, get, post, refused};
use crate::service::http_client;

/// Returns a picture that is too large when its sides are multiplied by sixteen.
fn large() -> String {
    let mut png = Vec::new();
    let picture = image::GrayImage::new(2000, 64);
    picture.write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png).unwrap();
    base64::engine::general_purpose::STANDARD.encode(png)
}

/// Returns documented values that a built-in engine can't honour.
///
/// Each has its path and body, the field, and words of the reason.
fn unsupported_values() -> Vec<(&'static str, Value, &'static str, &'static str)> {
    let photo = base64::engine::general_purpose::STANDARD.encode(PICTURE);
    let url = "https://a.example.com/a.png";
    let lora = json!({"prompt": "a fox", "styling": {"styles": [{"name": "watercolor"}]}});
    let character = json!({"prompt": "a fox", "styling": {"characters": [{"id": 1}]}});
    let sound = "https://a.example.com/a.mp3";
    vec![
        (
            "skin-enhancer/flexible",
            json!({"image": photo, "optimized_for": "no_make_up"}),
            "optimized_for",
            "needs a model",
        ),
        (
            "image-change-camera",
            json!({"image": url, "horizontal_angle": 90}),
            "horizontal_angle",
            "0 to 60 or 300 to 360",
        ),
        (
            "image-change-camera",
            json!({"image": url, "vertical_angle": 46}),
            "vertical_angle",
            "at most 45 degrees",
        ),
        (
            "image-expand/standard",
            json!({"image": photo, "left": 8, "prompt": "a sky"}),
            "prompt",
            "leave it empty",
        ),
        (
            "standard-image-edit",
            json!({"image": photo, "mask": photo, "prompt": "a door"}),
            "prompt",
            "can't paint from a prompt; leave it empty",
        ),
        (
            "standard-image-edit",
            json!({"image": photo, "mask": photo, "prompt": "", "magic_prompt": "ON"}),
            "magic_prompt",
            "AUTO or OFF",
        ),
        ("imagegen", lora, "styling.styles", "has no LoRAs"),
        ("imagegen", character, "styling.characters", "has no LoRAs"),
        (
            "image-upscaler-precision-v2",
            json!({"image": large(), "scale_factor": 16}),
            "scale_factor",
            "pixels",
        ),
        (
            "text-to-video/standard",
            json!({"prompt": "waves", "audio_url": sound}),
            "audio_url",
            "leave it out",
        ),
        (
            "image-to-video/standard",
            json!({"start_image_url": url, "audio_url": sound}),
            "audio_url",
            "leave it out",
        ),
        (
            "image-to-video/standard",
            json!({"video_url": "https://a.example.com/a.mp4"}),
            "video_url",
            "can't extend a video",
        ),
        (
            "voiceover",
            json!({"text": "hello", "voice_id": "anna", "model": "other"}),
            "model",
            "must be one of vendor_turbo_v2_5, formant",
        ),
        (
            "voiceover",
            json!({"text": "2 4 7. ".repeat(5_700), "voice_id": "anna"}),
            "text",
            "at most two hours",
        ),
        (
            "sound-effects",
            json!({"text": "a marmot, privately", "duration_seconds": 1}),
            "text",
            "must name a sound that the built-in engine knows, in English: rain, thunder",
        ),
        (
            "text-to-icon",
            json!({"prompt": "qqqqqqqqq", "webhook_url": "https://a.example.com/hook"}),
            "prompt",
            "built-in icons show, such as bell",
        ),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unsupported_parameters_are_refused_before_the_task_is_accepted() {
    let running = Running::start_with(UNLIMITED, &["--threads", "0"], &[]);
    let shown = http_client::get(format!("{}/docs/capabilities.json", running.url)).await.unwrap();
    let shown: Value = shown.json().await.unwrap();
    for (path, body, name, words) in unsupported_values() {
        let path = format!("/v1/ai/{path}");
        // A rule over several values is not a limit of a field.
        let depends = ["horizontal_angle", "scale_factor", "text"].contains(&name) || path.ends_with("icon");
        let is_listed = shown["operations"].as_object().unwrap().values().any(|operation| {
            operation["path"].as_str().unwrap().replace("{model}", "standard") == path
                && !operation["limits"][name].is_null()
        });
        assert!(depends || is_listed, "{path} {name}");
        let reason = refused(&path, name, post(&running, &path, &body).await);
        assert!(reason.contains(words), "{path} {name}: {reason}");
    }
    assert_eq!(running.store().await.depth().await.unwrap(), (0, 0), "no task was accepted");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_language_is_a_code_in_lower_case() {
    let running = Running::start(&["--threads", "0"]);
    let path = "/v1/ai/improve-prompt";
    let asked = |language: &str| json!({"prompt": "a fox", "type": "video", "language": language});
    for code in ["en", "es", "fr", "de", "pt", "it", "ja"] {
        assert_eq!(post(&running, path, &asked(code)).await.0, 200, "{code}");
    }
    for no_code in ["EN", "eng", "e", "en-US", ""] {
        let reason = refused(path, "language", post(&running, path, &asked(no_code)).await);
        assert!(reason.contains("must match the pattern"), "{no_code}: {reason}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fields_that_an_engine_does_not_read_are_named_by_the_task() {
    let running = Running::start_with(UNLIMITED, &[], &[]);
    let hook = "http://127.0.0.1:9/hook";
    let photo = "http://127.0.0.1:9/a.png";
    for (create, list, body, ignored) in [
        (
            "text-to-image/fast-model",
            "text-to-image/fast-model",
            json!({"prompt": "a lake", "person_generation": "allow_all", "safety_settings": "block_none", "language": "en"}),
            json!(["person_generation", "safety_settings", "language"]),
        ),
        ("text-to-image/fast-model", "text-to-image/fast-model", json!({"prompt": "a lake"}), Value::Null),
        ("imagegen", "imagegen", json!({"resolution": "1k", "filter_nsfw": true}), json!(["filter_nsfw"])),
        (
            "improve-prompt",
            "improve-prompt",
            json!({"prompt": "a fox", "type": "image", "language": "ja"}),
            json!(["language"]),
        ),
        (
            "improve-prompt",
            "improve-prompt",
            json!({"prompt": "a fox", "type": "image", "language": "de"}),
            Value::Null,
        ),
        (
            "text-to-icon/preview",
            "text-to-icon",
            json!({"prompt": "a cat", "webhook_url": hook, "num_inference_steps": 30}),
            json!(["num_inference_steps"]),
        ),
        ("text-to-icon", "text-to-icon", json!({"prompt": "a cat", "webhook_url": hook}), Value::Null),
        (
            "image-to-video/standard",
            "image-to-video/standard",
            json!({"start_image_url": photo, "additional_settings": {"prompt_extend": true}}),
            json!(["additional_settings.prompt_extend"]),
        ),
    ] {
        let (status, created) = post(&running, &format!("/v1/ai/{create}"), &body).await;
        assert_eq!(status, 200, "{create}: {created}");
        let id = created["data"]["task_id"].as_str().unwrap();
        let path = format!("/v1/ai/{list}/{id}");
        let end = async || {
            let task = get(&running, &path).await.1["data"].clone();
            assert_eq!(task["ignored"], ignored, "{create}: {task}");
            ["COMPLETED", "FAILED"].contains(&task["status"].as_str().unwrap()).then_some(())
        };
        eventually(create, end).await;
        let (_, listed) = get(&running, &format!("/v1/ai/{list}")).await;
        assert_eq!(listed["data"][0]["ignored"], ignored, "{create}: {listed}");
    }
}
