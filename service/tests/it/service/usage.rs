//! `keys usage`: the usage of each key, and the rest of its limits.

use asset_api_client::models::image_to_prompt::ImageToPromptRequest;
use asset_api_client::models::improve_prompt::{ImprovePromptRequest, PromptType};
use asset_api_client::models::sound_effects::SoundEffectRequest;
use serde_json::{Value, json};

use super::bodies::{base64, png};
use super::model_servers::Model;
use super::running::{Database, Running, on_both_databases};
use super::waiting::ended;

on_both_databases! { operators_see_who_uses_most }

fn usage(running: &Running, arguments: &[&str]) -> (bool, String) {
    let shown = running.command(&[&["keys", "usage"], arguments].concat());
    let text = if shown.status.success() { shown.stdout } else { shown.stderr };
    (shown.status.success(), String::from_utf8(text).unwrap())
}

/// Returns the keys of the report.
fn report(running: &Running, arguments: &[&str]) -> Vec<Value> {
    let (shown, text) = usage(running, &[arguments, &["--json"]].concat());
    assert!(shown, "{text}");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

async fn operators_see_who_uses_most(database: Database) {
    let model = Model::default();
    let settings = format!(
        r#"
        [engines.local]
        kind = "openai"
        base-url = "{}"
        [families.improve-prompt]
        engine = "local"
        model = "tiny"
        cost = {{ per-task = 0.5, currency = "EUR" }}
        [tiers.small]
        daily-tasks = 5
        open-tasks = 10
        daily-upload-mib = 1
        stored-mib = 2
        "#,
        model.start().await
    );
    let Some(mut running) = database.start(&settings, &[]).await else { return };
    let keys = [running.key.clone(), running.new_key(&["--tier", "small"]), running.new_key(&[])];
    let [ours, small, idle] = keys.each_ref().map(|key| key.split('_').nth(1).unwrap().to_owned());

    // A built-in engine works.
    let client = running.client_of(&keys[1]);
    let id = client.create_sound_effect(SoundEffectRequest::new("wind", 5.0)).await.unwrap().data.task_id;
    ended(async || client.get_sound_effect(id).await.unwrap().data).await;
    let picture = png(64, 64);
    let request = ImageToPromptRequest::new(base64(&picture));
    let id = client.create_image_to_prompt(request).await.unwrap().data.task_id;
    ended(async || client.get_image_to_prompt(id).await.unwrap().data).await;
    // Calls of an attached engine have a price.
    let client = running.client();
    for _ in 0..2 {
        let request = ImprovePromptRequest::new("a fox", PromptType::Image);
        let id = client.improve_prompt(request).await.unwrap().data.task_id;
        ended(async || client.get_improved_prompt(id).await.unwrap().data).await;
    }

    let before = report(&running, &["--sort", "engine-seconds"]);
    let of = |report: &[Value], id: &str| report.iter().find(|key| key["id"] == id).unwrap().clone();
    assert_eq!(before.len(), 3, "{before:#?}");
    let seconds = |key: &Value| key["engine_seconds"].as_f64().unwrap();
    assert!(before.is_sorted_by(|one, next| seconds(one) >= seconds(next)), "{before:#?}");
    let (paid, built_in, none) = (of(&before, &ours), of(&before, &small), of(&before, &idle));
    assert_eq!(paid["tasks"], json!({"created": 2, "completed": 2, "failed": 0, "open": 0}), "{paid:#}");
    assert_eq!((&paid["cost"], &paid["unpriced_calls"]), (&json!({"EUR": 1.0}), &json!(0)), "{paid:#}");
    assert_eq!((&paid["calls"][0]["calls"], &paid["calls"][0]["engine"]), (&json!(2), &json!("local")));
    assert_eq!(paid["left"]["daily_tasks"], Value::Null, "its tier has no such limit");
    assert_eq!(built_in["tasks"]["completed"], json!(2), "{built_in:#}");
    assert_eq!((&built_in["cost"], &built_in["calls"]), (&json!({}), &json!([])));
    assert!(built_in["engine_seconds"].as_f64().unwrap() > 0.0, "built-in engines count: {built_in:#}");
    assert_eq!(built_in["uploaded_bytes"], json!(picture.len()));
    let stored = built_in["stored_bytes"].as_u64().unwrap();
    // Five seconds of sound; the picture is not needed any more.
    assert!(stored > 400_000, "{built_in:#}");
    let mib = 1024 * 1024_u64;
    let left = json!({"daily_tasks": 3, "daily_upload_bytes": mib - picture.len() as u64,
                      "stored_bytes": 2 * mib - stored, "open_tasks": 10});
    assert_eq!(built_in["left"], left);
    assert_eq!((&none["engine_seconds"], &none["tasks"]["created"]), (&json!(0.0), &json!(0)));

    // A crash changes nothing of it, nor does a deletion.
    running.kill_and_restart(&["--threads", "0"]);
    assert_eq!(report(&running, &["--sort", "engine-seconds"]), before);
    let deleted = running.command(&["tasks", "delete", &id.to_string()]);
    assert!(deleted.status.success());
    let after = of(&report(&running, &[]), &small);
    assert_eq!(after["tasks"], built_in["tasks"]);
    assert_eq!(after["engine_seconds"], built_in["engine_seconds"]);
    // A task that waits is open.
    let client = running.client_of(&keys[1]);
    client.create_sound_effect(SoundEffectRequest::new("wind", 1.0)).await.unwrap();
    let open = of(&report(&running, &["--days", "1"]), &small);
    assert_eq!((&open["tasks"]["open"], &open["left"]["open_tasks"]), (&json!(1), &json!(9)));

    for (sort, first) in [("cost", &ours), ("created", &small), ("uploaded", &small), ("calls", &ours)] {
        assert_eq!(report(&running, &["--sort", sort])[0]["id"], json!(first), "{sort}");
    }
    let past = report(&running, &["--from", "2026-01-01", "--to", "2026-01-02"]);
    let (refused, message) = usage(&running, &["--from", "2020-01-01"]);
    assert!(!refused && message.contains("400 days"), "{message}");
    assert!(
        past.iter().all(|key| key["tasks"]["created"] == json!(0) && key["cost"] == json!({})),
        "{past:?}"
    );

    let (_, table) = usage(&running, &["--sort", "cost"]);
    let row = table.lines().nth(1).unwrap();
    assert!(row.starts_with(&ours) && row.contains("1.0000 EUR") && row.contains("no limit"), "{table}");
    let (_, calls) = usage(&running, &["--calls"]);
    assert!(calls.lines().nth(1).unwrap().contains("0.5 EUR"), "{calls}");
}
