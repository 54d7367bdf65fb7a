//! Icons that an attached engine makes.

use asset_api_client::models::common::TaskStatus;
use asset_api_client::models::text_to_icon::{IconFormat, RenderIconInput, TextToIconRequest};

use super::outside::PICTURE;
use super::running::Running;
use super::waiting::ended;
use crate::service::http_client;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_icon_of_an_attached_engine_is_rendered_from_its_own_picture() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("icon.jpg");
    std::fs::write(&picture, PICTURE).unwrap();
    let settings = format!(
        r#"
        [engines.copier]
        kind = "command"
        program = "cp"
        [families.text-to-icon]
        engine = "copier"
        args = [{picture:?}, "{{{{ output }}}}"]
        output = "icon"
        "#
    );
    let running = Running::start_with(&settings, &[], &[]);
    let client = running.client();
    // The built-in engine knows a house, and must not draw it here.
    let request = TextToIconRequest::new("a red house", "http://127.0.0.1:9/hook");
    let id = client.create_icon(request).await.unwrap().data.task_id;
    let task = ended(async || client.get_generated_icon(id).await.unwrap().data).await;
    assert_eq!(task.status, TaskStatus::Completed, "{}", running.log());
    for _ in 0..2 {
        let rendered = client.render_icon(RenderIconInput::new(id, IconFormat::Png)).await.unwrap().data;
        let response = http_client::get(&rendered.generated[0]).await.unwrap();
        assert_eq!(response.headers()["content-type"], "image/png");
        let shown = image::load_from_memory(&response.bytes().await.unwrap()).unwrap();
        assert_eq!(shown, image::load_from_memory(PICTURE).unwrap());
    }
    let refused = client.render_icon(RenderIconInput::new(id, IconFormat::Svg)).await.unwrap_err();
    assert_eq!(refused.status().map(|status| status.as_u16()), Some(400), "{refused}");
    assert!(format!("{refused:?}").contains("must be png"), "{refused:?}");
}
