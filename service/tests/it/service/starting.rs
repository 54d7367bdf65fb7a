//! Startup: settings, URLs and warnings, and invalid settings.

use super::bare::Bare;
use crate::service::http_client;

#[test]
fn invalid_settings_are_reported_in_one_sentence() {
    for (settings, arguments, message) in [
        ("[worker]\nlease-seconds = 0\n", &["serve"][..], "`worker.lease-seconds` must be at least 1"),
        (
            "[tiers.default]\nper-second = 0.0\n",
            &["serve"],
            "`tiers.default.per-second` must be a number above 0",
        ),
        ("", &["serve", "--base-url", "assets.example.com"], "--base-url must be an absolute URL"),
    ] {
        let ended = Bare::new(settings).command(arguments);
        let stderr = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(!ended.status.success() && stderr.contains(message), "{stderr}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_line_overrules_the_file_both_ways() {
    for (setting, argument, accepted) in
        [("true", "--allow-private-networks=false", false), ("false", "--allow-private-networks", true)]
    {
        let bare = Bare::new(&format!("allow-private-networks = {setting}\n"));
        let key = bare.key(&[]);
        let service = bare.serve("warn", &["--listen", "127.0.0.1:0", "--threads", "0", argument]);
        let request = http_client::new().post(format!("{}/v1/ai/sound-effects", service.url()));
        let body =
            serde_json::json!({"text": "wind", "duration_seconds": 1, "webhook_url": "http://127.0.0.1:9/"});
        let response = request.header("x-service-api-key", key).json(&body).send().await.unwrap();
        assert_eq!(response.status() == 200, accepted, "{argument}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_of_all_networks_is_not_in_urls() {
    let bare = Bare::new("");
    let key = bare.key(&[]);
    let service = bare.serve("warn", &["--listen", "0.0.0.0:0"]);
    assert!(service.first_line.contains("0.0.0.0"), "{}", service.first_line);
    let port = service.url().rsplit(':').next().unwrap().to_owned();
    let client = http_client::new();
    let url = format!("http://127.0.0.1:{port}/v1/ai/sound-effects");
    let body = serde_json::json!({"text": "click", "duration_seconds": 0.5});
    let created = client.post(&url).header("x-service-api-key", &key).json(&body).send().await.unwrap();
    let created: serde_json::Value = created.json().await.unwrap();
    let url = format!("{url}/{}", created["data"]["task_id"].as_str().unwrap());
    let mut task = String::new();
    for _ in 0..300 {
        let request = client.get(&url).header("x-service-api-key", &key);
        task = request.send().await.unwrap().text().await.unwrap();
        if task.contains("COMPLETED") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    assert!(task.contains(&format!("http://localhost:{port}/files/")) && !task.contains("0.0.0.0"), "{task}");
    assert!(bare.log().contains("--base-url"), "{}", bare.log());
}

#[test]
fn keys_of_tiers_that_are_not_there_are_named_at_the_start() {
    let bare = Bare::new("[tiers.gone]\nburst = 9\n");
    let key = bare.key(&["--tier", "gone"]);
    std::fs::write(bare.data().join("asset-service.toml"), "").unwrap();
    let _service = bare.serve("warn", &["--listen", "127.0.0.1:0", "--threads", "0"]);
    let log = bare.log();
    assert!(
        log.contains("don't define this key's tier") && log.contains("gone") && log.contains(&key[4..12]),
        "{log}"
    );
}
