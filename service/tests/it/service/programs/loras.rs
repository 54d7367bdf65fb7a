//! LoRAs that a program applies.

use std::os::unix::fs::PermissionsExt;

use asset_api_client::models::common::TaskStatus;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::service::outside::PICTURE;
use crate::service::requests::response;
use crate::service::running::Running;
use crate::service::waiting;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn loras_are_listed_checked_and_applied() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"#!/bin/sh
        shift; cp "$1" "$2"; echo "$3" "$4" >> "$5"
        "#;
    std::fs::write(folder.path().join("paint"), script).unwrap();
    std::fs::set_permissions(folder.path().join("paint"), PermissionsExt::from_mode(0o700)).unwrap();
    std::fs::write(folder.path().join("a.jpg"), PICTURE).unwrap();
    let (program, picture) = (folder.path().join("paint"), folder.path().join("a.jpg"));
    let log = folder.path().join("log");
    let folder = folder.path();
    let settings = |loras: &str| {
        format!(
            r#"
            [engines.painter]
            kind = "command"
            program = {program:?}
            write = [{folder:?}]
            [families.imagegen]
            engine = "painter"
            args = ["{{{{ files['prompt'] }}}}", {picture:?}, "{{{{ output }}}}", {loras}, {log:?}]
            files = {{ prompt = "{{{{ request.prompt }}}}" }}
            output = "out.jpg"
            [[families.imagegen.loras]]
            id = 7
            name = "watercolor"
            type = "style"
            preview = "https://example.com/watercolor.png"
            trigger = "wtrclr"
            file = "wc.safetensors"
            "#
        )
    };
    let applied = r#""{{ request.loras[0].file if request.loras else 'none' }}", "{{ request.loras[0].strength or 0 }}""#;
    let running = Running::start_with(&settings(applied), &[], &[]);
    let client = running.client();
    let listed = client.list_loras().await.unwrap().data;
    let names: Vec<_> = listed[0].default.iter().map(|lora| (lora.id, lora.name.as_str())).collect();
    assert_eq!((names, listed[0].customs.len()), (vec![(7, "watercolor")], 0));

    let create = |body: Value| response(running.post("/v1/ai/imagegen", &body));
    let styled = |style: Value| json!({"prompt": "a fox", "styling": {"styles": [style]}});
    let (status, refused) = create(styled(json!({"name": "oil"}))).await;
    assert_eq!(status, 400);
    assert!(refused.to_string().contains("must be one of watercolor"), "{refused}");
    let (status, refused) = create(json!({"prompt": "a fox", "styling": {"characters": [{"id": 7}]}})).await;
    assert_eq!(status, 400);
    assert!(refused.to_string().contains("has no such LoRA"), "{refused}");

    let (status, created) = create(styled(json!({"name": "watercolor", "strength": 50}))).await;
    assert_eq!(status, 200, "{created}");
    let id: Uuid = created["data"]["task_id"].as_str().unwrap().parse().unwrap();
    let task = waiting::ended(async || client.get_imagegen(id).await.unwrap().data).await;
    assert_eq!((task.status, task.ignored), (TaskStatus::Completed, None), "{}", running.log());
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "wc.safetensors 0.5\n");

    // Settings that list LoRAs which nothing applies are refused at start.
    std::fs::write(running.data().join("asset-service.toml"), settings(r#""none", "0""#)).unwrap();
    let message = running.command(&["engines", "list"]);
    let message = String::from_utf8_lossy(&message.stderr).into_owned();
    assert!(message.contains("`families.imagegen.loras`") && message.contains("request.loras"), "{message}");
}
