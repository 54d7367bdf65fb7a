//! Task lists and other read-only operations, through the generated client.

use asset_api_client::models::{
    apps, image_edit, image_expand, image_upscaler_precision, improve_prompt, text_to_icon, voiceover,
};
use base64::Engine as _;

use super::outside::PICTURE;
use super::running::Running;

/// Creates a task, and checks that the list contains it and nothing else.
macro_rules! listed {
    ($create:expr => $list:expr) => {{
        let created = $create.await.unwrap().data.task_id;
        let listed = $list.await.unwrap().data;
        assert_eq!(listed.iter().map(|task| task.task_id).collect::<Vec<_>>(), [created]);
    }};
}

const MODEL: &str = "standard";

fn photo() -> String {
    base64::engine::general_purpose::STANDARD.encode(PICTURE)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pictures() {
    let running = Running::start(&["--threads", "0"]);
    let client = running.client();
    listed!(
        client.create_precision_image_upscale(image_upscaler_precision::PrecisionImageUpscaleRequest::new(photo()))
        => client.list_precision_image_upscales(image_upscaler_precision::ListPrecisionImageUpscalesInput::default())
    );
    listed!(
        client.create_precision_image_upscale_v2(image_upscaler_precision::PrecisionImageUpscaleV2Request::new(photo()))
        => client.list_precision_image_upscales_v2(image_upscaler_precision::ListPrecisionImageUpscalesV2Input::default())
    );
    let mut request = image_expand::ImageExpandRequest::new(photo());
    request.left = Some(8);
    listed!(
        client.create_image_expansion(image_expand::CreateImageExpansionInput::new(MODEL, request))
        => client.list_image_expansions(image_expand::ListImageExpansionsInput::new(MODEL))
    );
    let request = image_edit::ImageEditRequest::new("", photo(), photo());
    listed!(
        client.create_image_edit(image_edit::CreateImageEditInput::new(MODEL, request))
        => client.list_image_edits(image_edit::ListImageEditsInput::new(MODEL))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn icons_texts_and_voices() {
    let running = Running::start(&["--threads", "0"]);
    let client = running.client();
    listed!(
        client.preview_icon(text_to_icon::TextToIconRequest::new("a house", "http://127.0.0.1:9/hook"))
        => client.list_generated_icons(text_to_icon::ListGeneratedIconsInput::default())
    );
    let request = improve_prompt::ImprovePromptRequest::new("a fox", improve_prompt::PromptType::Image);
    listed!(
        client.improve_prompt(request)
        => client.list_improved_prompts(improve_prompt::ListImprovedPromptsInput::default())
    );
    listed!(
        client.create_voiceover(voiceover::VoiceoverRequest::new("Hello.", "narrator"))
        => client.list_voiceovers(voiceover::ListVoiceoversInput::default())
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn apps_and_loras() {
    let running = Running::start(&["--threads", "0"]);
    let client = running.client();
    let apps = client.list_apps(apps::ListAppsInput::default()).await.unwrap().data;
    for app in &apps {
        let message = client.get_app(apps::GetAppInput::new(app.sqid.clone())).await.unwrap().data;
        assert_eq!((&message.sqid, &message.name), (&app.sqid, &app.name));
    }
    assert!(!apps.is_empty());
    // Keys own no apps, and no engine has a LoRA.
    assert!(client.list_own_apps().await.unwrap().data.is_empty());
    client.list_loras().await.unwrap();
}
