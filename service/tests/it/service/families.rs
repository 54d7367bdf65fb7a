//! Every family with an engine, through the generated client.
//!
//! Each test creates tasks, waits for them, downloads their files and checks them.

use std::time::Duration;

use asset_api_client::models::common::{Task, TaskStatus, VideoResolution};
use asset_api_client::models::{
    apps, image_change_camera, image_edit, image_expand, image_to_prompt, image_to_video,
    image_upscaler_precision, imagegen, improve_prompt, skin_enhancer, sound_effects, text_to_icon,
    text_to_image, text_to_video, voiceover,
};
use base64::Engine as _;
use uuid::Uuid;

use super::outside::{Outside, PICTURE};
use super::running::Running;
use super::waiting;
use crate::service::http_client;

/// Returns a photograph in base64.
fn photo() -> String {
    base64::engine::general_purpose::STANDARD.encode(PICTURE)
}

/// Returns the photograph.
fn original() -> image::RgbImage {
    image::load_from_memory(PICTURE).unwrap().to_rgb8()
}

/// Returns the width, the height and the length in seconds of the video of a task, by its header.
async fn film(task: &Task) -> (u16, u16, u32) {
    let (kind, bytes) = files(task).await.swap_remove(0);
    assert!(kind == "video/mp4" && bytes[4..8] == *b"ftyp");
    let header = |name: &[u8; 4]| bytes.windows(4).position(|window| window == name).unwrap() + 4;
    let (movie, track) = (header(b"mvhd"), header(b"tkhd"));
    let number = |at: usize| u32::from_be_bytes(*bytes[at..].first_chunk().unwrap());
    let pixels = |at: usize| u16::from_be_bytes(*bytes[at..].first_chunk().unwrap());
    (pixels(track + 76), pixels(track + 80), number(movie + 16).div_ceil(number(movie + 12)))
}

/// Polls a task until it ends.
macro_rules! ended {
    ($call:expr) => {
        waiting::ended(async || $call.await.unwrap().data).await
    };
}

/// Downloads the files of a completed task, with their content types.
async fn files(task: &Task) -> Vec<(String, Vec<u8>)> {
    assert_eq!(task.status, TaskStatus::Completed, "{task:?}");
    assert!(task.engine.is_some() && task.error.is_none());
    let mut files = Vec::new();
    for url in &task.generated {
        let response = http_client::get(url).await.unwrap();
        assert_eq!(response.status(), 200, "{url}");
        let kind = response.headers()["content-type"].to_str().unwrap().to_owned();
        files.push((kind, response.bytes().await.unwrap().to_vec()));
    }
    files
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pictures_are_enlarged() {
    let running = Running::start(&[]);
    let client = running.client();
    let request = image_upscaler_precision::PrecisionImageUpscaleRequest::new(photo());
    let id = client.create_precision_image_upscale(request).await.unwrap().data.task_id;
    let files = files(&ended!(client.get_precision_image_upscale(id))).await;
    let original = image::load_from_memory(PICTURE).unwrap();
    let (kind, bytes) = &files[0];
    let enlarged = image::load_from_memory(bytes).unwrap();
    assert_eq!(kind, "image/png");
    assert_eq!((enlarged.width(), enlarged.height()), (2 * original.width(), 2 * original.height()));

    let mut request = image_upscaler_precision::PrecisionImageUpscaleV2Request::new(photo());
    request.scale_factor = Some(3);
    let id = client.create_precision_image_upscale_v2(request).await.unwrap().data.task_id;
    let task = ended!(client.get_precision_image_upscale_v2(id));
    let enlarged = image::load_from_memory(&self::files(&task).await[0].1).unwrap();
    assert_eq!(enlarged.width(), 3 * original.width());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn skin_is_enhanced_in_three_modes() {
    let running = Running::start(&[]);
    let client = running.client();
    let mut ids = vec![
        client
            .enhance_skin_creative(skin_enhancer::SkinCreativeRequest::new(photo()))
            .await
            .unwrap()
            .data
            .task_id,
        client
            .enhance_skin_faithful(skin_enhancer::SkinFaithfulRequest::new(photo()))
            .await
            .unwrap()
            .data
            .task_id,
        client
            .enhance_skin_flexible(skin_enhancer::SkinFlexibleRequest::new(photo()))
            .await
            .unwrap()
            .data
            .task_id,
    ];
    let original = original();
    let mut results = vec![original.clone()];
    for id in &ids {
        let picture = picture_of(&ended!(client.get_skin_enhancement(*id))).await.1.to_rgb8();
        assert_eq!(picture.dimensions(), original.dimensions());
        assert!(results.iter().all(|other| *other != picture), "each mode gives another picture");
        results.push(picture);
    }
    let listed = client
        .list_skin_enhancements(skin_enhancer::ListSkinEnhancementsInput::default())
        .await
        .unwrap()
        .data;
    ids.reverse();
    assert_eq!(listed.iter().map(|task| task.task_id).collect::<Vec<Uuid>>(), ids);

    let mut request = skin_enhancer::SkinFlexibleRequest::new(photo());
    request.optimized_for = Some(skin_enhancer::SkinTarget::TransformToReal);
    let refused = client.enhance_skin_flexible(request).await.unwrap_err().to_string();
    assert!(refused.contains("400"), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn icons_are_made_and_rendered() {
    let running = Running::start(&[]);
    let client = running.client();
    let request = text_to_icon::TextToIconRequest::new("a red house", "http://127.0.0.1:9/hook");
    let id = client.create_icon(request).await.unwrap().data.task_id;
    let results = files(&ended!(client.get_generated_icon(id))).await;
    assert_eq!(results[0].0, "image/png");
    let render = |format| client.render_icon(text_to_icon::RenderIconInput::new(id, format));
    for (format, kind) in
        [(text_to_icon::IconFormat::Svg, "image/svg+xml"), (text_to_icon::IconFormat::Png, "image/png")]
    {
        let rendered = render(format).await.unwrap().data;
        let again = render(format).await.unwrap().data;
        assert_eq!((rendered.task_id, &rendered.generated), (id, &again.generated));
        let shown = http_client::get(&rendered.generated[0]).await.unwrap();
        assert_eq!(shown.headers()["x-content-type-options"], "nosniff");
        assert!(shown.headers()["cache-control"].to_str().unwrap().contains("private"));
        let policy = shown.headers().get("content-security-policy").map(|policy| policy.to_str().unwrap());
        assert_eq!(policy.is_some_and(|policy| policy.contains("sandbox")), kind == "image/svg+xml");
        assert_eq!(files(&rendered).await[0].0, kind);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pictures_from_prompts_have_a_caption_unless_it_is_off() {
    let mut results = Vec::new();
    for settings in ["", "[built-in]\ncaptions = false"] {
        let running = Running::start_with(settings, &[], &[]);
        let client = running.client();
        let mut request = imagegen::ImagegenRequest::default();
        request.prompt = Some("a red fox on a bench".to_owned());
        request.resolution = Some(imagegen::ImagegenResolution::N1k);
        request.fixed_generation = Some(true);
        let id = client.create_imagegen(request).await.unwrap().data.task_id;
        let task = ended!(client.get_imagegen(id));
        let file = http_client::get(&task.generated[0]).await.unwrap().bytes().await.unwrap();
        results.push(image::load_from_memory(&file).unwrap().into_rgb8());
    }
    let differing: Vec<u32> = (0..1024)
        .filter(|y| (0..1024).any(|x| results[0].get_pixel(x, *y) != results[1].get_pixel(x, *y)))
        .collect();
    // A line of 20 pixels, and one of space.
    assert_eq!((differing.first(), differing.last()), (Some(&988), Some(&1023)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sounds_and_prompts_are_made() {
    let running = Running::start(&[]);
    let client = running.client();
    let mut request = sound_effects::SoundEffectRequest::new("gentle rain", 1.5);
    request.r#loop = Some(true);
    let id = client.create_sound_effect(request).await.unwrap().data.task_id;
    let files = files(&ended!(client.get_sound_effect(id))).await;
    assert_eq!(files[0].0, "audio/wav");
    assert!(files[0].1.starts_with(b"RIFF"));

    let request = improve_prompt::ImprovePromptRequest::new("a fox", improve_prompt::PromptType::Image);
    let id = client.improve_prompt(request).await.unwrap().data.task_id;
    let task = ended!(client.get_improved_prompt(id));
    assert!(task.generated[0].contains("fox"), "{task:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repeat_returns_the_same_task_and_tasks_survive_a_restart() {
    let mut running = Running::start(&["--threads", "0"]);
    let request = || sound_effects::SoundEffectRequest::new("wind", 0.5);
    let create = |running: &Running, request| {
        let client = running.client();
        let mut input = sound_effects::CreateSoundEffectInput::new(request);
        input.idempotency_key = Some("one".to_owned());
        async move { client.create_sound_effect(input).await }
    };
    let first = create(&running, request()).await.unwrap().data.task_id;
    assert_eq!(create(&running, request()).await.unwrap().data.task_id, first);
    let other = create(&running, sound_effects::SoundEffectRequest::new("rain", 0.5)).await;
    assert!(other.unwrap_err().to_string().contains("400"));
    running.kill_and_restart(&[]);
    let client = running.client();
    let task = ended!(client.get_sound_effect(first));
    assert_eq!(task.status, TaskStatus::Completed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pictures_are_expanded_edited_and_described() {
    let running = Running::start(&[]);
    let client = running.client();
    let original = image::load_from_memory(PICTURE).unwrap();
    let mut request = image_expand::ImageExpandRequest::new(photo());
    (request.left, request.top) = (Some(16), Some(8));
    let input = image_expand::CreateImageExpansionInput::new("standard", request);
    let id = client.create_image_expansion(input).await.unwrap().data.task_id;
    let task = ended!(client.get_image_expansion(image_expand::GetImageExpansionInput::new("standard", id)));
    let results = image::load_from_memory(&files(&task).await[0].1).unwrap();
    assert_eq!((results.width(), results.height()), (original.width() + 16, original.height() + 8));

    let mask = image::RgbImage::from_fn(original.width(), original.height(), |x, y| {
        image::Rgb(if x < 40 && y < 40 { [0; 3] } else { [255; 3] })
    });
    let mut png = Vec::new();
    mask.write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png).unwrap();
    let mask = base64::engine::general_purpose::STANDARD.encode(png);
    let request = image_edit::ImageEditRequest::new("", photo(), mask);
    let input = image_edit::CreateImageEditInput::new("standard", request);
    let id = client.create_image_edit(input).await.unwrap().data.task_id;
    let task = ended!(client.get_image_edit(image_edit::GetImageEditInput::new("standard", id)));
    let (kind, edited) = picture_of(&task).await;
    let (edited, before) = (edited.to_rgb8(), self::original());
    assert_eq!((kind.as_str(), edited.dimensions()), ("image/png", before.dimensions()));
    // Black parts of the mask are edited, with an edge that blends; all others stay.
    let differs = |x, y| edited.get_pixel(x, y) != before.get_pixel(x, y);
    let pixels = |from: u32, to: u32| (from..to).flat_map(move |x| (from..to).map(move |y| (x, y)));
    assert!(pixels(0, 40).filter(|(x, y)| differs(*x, *y)).count() > 800, "the part is edited");
    assert!(pixels(60, before.width().min(before.height())).all(|(x, y)| !differs(x, y)), "the rest stays");

    let request = image_to_prompt::ImageToPromptRequest::new(photo());
    let id = client.create_image_to_prompt(request).await.unwrap().data.task_id;
    let task = ended!(client.get_image_to_prompt(id));
    assert!(task.generated[0].len() > 40, "{task:?}");
}

/// Returns the picture of a task, with its content type.
async fn picture_of(task: &Task) -> (String, image::DynamicImage) {
    let (kind, bytes) = files(task).await.swap_remove(0);
    (kind, image::load_from_memory(&bytes).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pictures_are_composed_from_text() {
    let running = Running::start(&[]);
    let client = running.client();

    let mut request = text_to_image::KontextProRequest::new("a blue lake in the mountains at dawn");
    (request.seed, request.aspect_ratio) =
        (Some(7), Some(text_to_image::KontextProAspectRatio::Widescreen16_9));
    let create = || client.create_kontext_pro_image(request.clone());
    let ids = [create().await.unwrap().data.task_id, create().await.unwrap().data.task_id];
    let (kind, first) = picture_of(&ended!(client.get_kontext_pro_image(ids[0]))).await;
    assert_eq!((kind.as_str(), first.width(), first.height()), ("image/png", 1280, 720));
    assert_eq!(
        first,
        picture_of(&ended!(client.get_kontext_pro_image(ids[1]))).await.1,
        "equal seeds must give equal pictures"
    );

    let mut request = text_to_image::TieredTextToImageRequest::new("夜の街");
    request.language = Some(text_to_image::PromptLanguage::Ja);
    let mut options = text_to_image::ImageOutputOptions::default();
    (options.mime_type, options.compression) = (Some(text_to_image::ImageMimeType::ImageJpeg), Some(40));
    request.output_options = Some(options);
    let id = client.create_fast_image(request.clone()).await.unwrap().data.task_id;
    let (kind, fast) = picture_of(&ended!(client.get_fast_image(id))).await;
    assert_eq!((kind.as_str(), fast.width()), ("image/jpeg", 1024));
    let id = client.create_ultra_image(request).await.unwrap().data.task_id;
    assert_eq!(picture_of(&ended!(client.get_ultra_image(id))).await.1.width(), 2048);

    let mut request = text_to_image::TextToImageRequest::new("a forest");
    (request.resolution, request.aspect_ratio) =
        (Some(text_to_image::TextToImageResolution::Low), Some(text_to_image::TextToImageAspectRatio::N9_16));
    request.reference_images = Some(vec![asset_api_client::models::common::ReferenceImage::new(photo())]);
    let input = text_to_image::CreateTextToImageInput::new("standard", request);
    let id = client.create_text_to_image(input).await.unwrap().data.task_id;
    let task = ended!(client.get_text_to_image(text_to_image::GetTextToImageInput::new("standard", id)));
    assert_eq!((picture_of(&task).await.1.width(), picture_of(&task).await.1.height()), (576, 1024));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pictures_become_videos() {
    let running = Running::start(&[]);
    let client = running.client();
    let request = text_to_image::TieredTextToImageRequest::new("a desert at sunset");
    let id = client.create_fast_image(request).await.unwrap().data.task_id;
    let still = ended!(client.get_fast_image(id)).generated;

    let mut request = image_to_video::ImageToVideoRequest::default();
    (request.start_image_url, request.duration) = (still.first().cloned(), Some(2));
    (request.prompt, request.resolution) = (Some("pan left".to_owned()), Some(VideoResolution::N720p));
    let input = |request| image_to_video::CreateImageToVideoInput::new("standard", request);
    let id = client.create_image_to_video(input(request.clone())).await.unwrap().data.task_id;
    let get = || client.get_image_to_video(image_to_video::GetImageToVideoInput::new("standard", id));
    let task = ended!(get());
    assert_eq!(task.engine.as_deref(), Some("still-camera/1"));
    assert_eq!(film(&task).await, (720, 720, 2), "the still is square");

    request.audio_url = Some("https://client.example.com/rain.mp3".to_owned());
    let refused = client.create_image_to_video(input(request)).await.unwrap_err().to_string();
    assert!(refused.contains("400"), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn videos_are_composed_from_text() {
    let running = Running::start(&[]);
    let client = running.client();
    let mut request = text_to_video::TextToVideoRequest::new("waves at night");
    (request.duration, request.resolution) = (Some(2), Some(VideoResolution::N720p));
    request.aspect_ratio = Some(text_to_video::TextToVideoAspectRatio::N1_1);
    let input = text_to_video::CreateTextToVideoInput::new("standard", request);
    let shaped = client.create_text_to_video(input).await.unwrap().data.task_id;

    let mut request = text_to_video::TextToVideoV2_6Request::new("clouds over hills");
    (request.shot_type, request.enable_prompt_expansion) = (Some(text_to_video::ShotType::Multi), Some(true));
    let sized = client.create_text_to_video_v2_6(request).await.unwrap().data.task_id;

    let get = || client.get_text_to_video(text_to_video::GetTextToVideoInput::new("standard", shaped));
    for (task, expected) in
        [(ended!(get()), (720, 720, 2)), (ended!(client.get_text_to_video_v2_6(sized)), (1280, 720, 5))]
    {
        assert_eq!(task.engine.as_deref(), Some("procedural-animation/1"));
        assert_eq!(film(&task).await, expected);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pictures_are_styled_by_colours_and_references_and_loras_are_refused() {
    let running = Running::start(&[]);
    let client = running.client();
    let mut request = imagegen::ImagegenRequest::default();
    request.prompt = Some("a lighthouse on a cliff".to_owned());
    (request.resolution, request.fixed_generation) = (Some(imagegen::ImagegenResolution::N1k), Some(true));
    (request.structure_reference, request.style_reference) = (Some(photo()), Some(photo()));
    let mut styling = imagegen::ImagegenStyling::default();
    styling.colors = Some(vec![imagegen::ImagegenColor::new("#1A4D7C", 0.6)]);
    request.styling = Some(styling.clone());
    let mut pictures = Vec::new();
    for _ in 0..2 {
        let id = client.create_imagegen(request.clone()).await.unwrap().data.task_id;
        let task = ended!(client.get_imagegen(id));
        assert_eq!(task.engine.as_deref(), Some("procedural-composition/1"));
        let bytes = http_client::get(&task.generated[0]).await.unwrap().bytes().await.unwrap();
        assert_eq!(image::load_from_memory(&bytes).unwrap().width(), 1024);
        pictures.push(bytes);
    }
    assert!(pictures[0] == pictures[1], "a fixed generation must be repeatable");

    let mut style = imagegen::ImagegenStyle::default();
    style.name = Some("watercolor".to_owned());
    styling.styles = Some(vec![style]);
    request.styling = Some(styling);
    let refused = client.create_imagegen(request).await.unwrap_err().to_string();
    assert!(refused.contains("400"), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_picture_is_fetched_and_seen_from_elsewhere() {
    let outside = Outside::start().await;
    let running = Running::start(&[]);
    let client = running.client();
    let mut request = image_change_camera::CameraChangeRequest::new(outside.picture());
    (request.horizontal_angle, request.zoom) = (Some(30), Some(2));
    let id = client.create_camera_change(request).await.unwrap().data.task_id;
    let results = files(&ended!(client.get_camera_change(id))).await;
    assert_eq!(results[0].0, "image/png");
    let original = image::load_from_memory(PICTURE).unwrap().into_rgb8();
    let seen = image::load_from_memory(&results[0].1).unwrap().into_rgb8();
    assert!(seen.dimensions() == original.dimensions() && seen != original);
    let listed = client.list_camera_changes(image_change_camera::ListCameraChangesInput::default());
    assert_eq!(listed.await.unwrap().data[0].task_id, id);

    let request = image_change_camera::CameraChangeRequest::new(outside.no_picture());
    let id = client.create_camera_change(request).await.unwrap().data.task_id;
    let task = ended!(client.get_camera_change(id));
    assert_eq!(task.error.map(|error| error.code).as_deref(), Some("fetch_failed"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn texts_are_spoken_and_apps_run() {
    let running = Running::start(&[]);
    let client = running.client();
    let request = voiceover::VoiceoverRequest::new("Hello, world.", "narrator");
    let id = client.create_voiceover(request).await.unwrap().data.task_id;
    let results = files(&ended!(client.get_voiceover(id))).await;
    assert!(results[0].0 == "audio/wav" && results[0].1.len() > 10_000);

    let inputs = serde_json::json!({"inputs": {"in_1": "Once upon a time."}});
    let body: apps::RunAppRequest = serde_json::from_value(inputs).unwrap();
    let run = client.run_app(apps::RunAppInput::new("nArr8d", body)).await.unwrap().workflow_run_identifier;
    let mut tries = 0;
    let done = loop {
        let run = client.get_app_run(apps::GetAppRunInput::new(run.clone())).await.unwrap().data;
        if !matches!(run.status, apps::AppRunStatus::Pending | apps::AppRunStatus::Running) {
            break run;
        }
        tries += 1;
        assert!(tries < 600, "{run:?}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
    assert_eq!(done.status, apps::AppRunStatus::Completed, "{done:?}");
}
