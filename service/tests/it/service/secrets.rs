//! The data folder is private, and the log contains no secrets and no user data.

use std::time::Duration;

use base64::Engine as _;
use reqwest::StatusCode;
use serde_json::{Value, json};

use simulated_providers::{Medium, Provider, Providers};

use super::bare::Bare;
use crate::service::http_client;
use crate::service::outside::serve;

#[test]
fn stored_files_are_private_to_the_service() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("new/data");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_asset-service"));
    let created =
        command.args(["keys", "create", "--name", "test", "--data-dir"]).arg(&data).output().unwrap();
    assert!(created.status.success());
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&data), mode(&data.join("service.db"))), (0o700, 0o600));
}

/// Texts that must not appear in the log.
const SECRETS: [&str; 7] = [
    "secret-of-the-engine",
    "secret-of-the-hook",
    "secret-of-the-signed-url",
    "secret-of-the-prompt",
    "secret-of-the-broken-body",
    "secret-of-the-idempotency-key",
    "secret-of-the-cookie",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_is_in_any_log() {
    let picture = include_bytes!("../../../assets/demo/coffee.jpg");
    let outside = axum::Router::new()
        .route("/picture.jpg", axum::routing::get(async || picture.as_slice()))
        .route("/hook", axum::routing::post(async || "thanks"));
    let elsewhere = format!("http://{}", serve(outside).await);

    let providers = Providers::start().await.unwrap();
    providers.makes("", Medium::Sound);
    let bare = Bare::new(&format!(
        r#"
        [engines.p]
        kind = "http"
        preset = "replicate"
        base-url = "{}"
        key = {{ file = "engine.key" }}
        poll-seconds = 0.05
        [families.sound-effects]
        engine = "p"
        model = "maker/sound/v2"
        input = {{ text = "{{{{ request.text }}}}" }}
        "#,
        providers.url(Provider::Replicate)
    ));
    std::fs::write(bare.data().join("engine.key"), "secret-of-the-engine").unwrap();
    let key = bare.key(&["--enterprise"]);
    let service = bare.serve("trace", &["--listen", "127.0.0.1:0", "--allow-private-networks"]);
    let url = service.url();
    let client = http_client::new();
    let hook = format!("{elsewhere}/hook?token=secret-of-the-hook");
    let encoded = base64::engine::general_purpose::STANDARD.encode(picture);
    let post = async |path: &str, body: &Value| {
        let request = client.post(format!("{url}{path}")).header("x-service-api-key", &key);
        let request = request.header("idempotency-key", format!("secret-of-the-idempotency-key{path}"));
        let response = request.header("cookie", "a=secret-of-the-cookie").json(body).send().await.unwrap();
        let status = response.status();
        (status, response.json::<Value>().await.unwrap())
    };

    let mut tasks = Vec::new();
    for (path, body) in [
        (
            "/v1/ai/improve-prompt",
            json!({"prompt": "a house, secret-of-the-prompt", "type": "image", "webhook_url": hook}),
        ),
        (
            "/v1/ai/image-change-camera",
            json!({"image": format!("{elsewhere}/picture.jpg?signature=secret-of-the-signed-url"), "webhook_url": hook}),
        ),
        ("/v1/ai/image-to-prompt", json!({"image": encoded, "webhook_url": hook})),
        (
            "/v1/ai/sound-effects",
            json!({"text": "rain, secret-of-the-prompt", "duration_seconds": 1, "webhook_url": hook}),
        ),
    ] {
        let (status, response) = post(path, &body).await;
        assert_eq!(status, StatusCode::OK, "{path} {response}");
        tasks.push(format!("{path}/{}", response["data"]["task_id"].as_str().unwrap()));
    }
    // Refused requests must not appear in the log either.
    let refused = [
        post("/v1/ai/improve-prompt", &json!({"prompt": 7, "type": "secret-of-the-broken-body"})).await.0,
        post("/v1/ai/image-expand/none", &json!({"image": "https://secret-of-the-signed-url.test:1/"}))
            .await
            .0,
    ];
    assert!(refused.iter().all(|status| status.is_client_error()), "{refused:?}");
    let wrong = format!("{}x", key);
    assert_eq!(
        client
            .get(format!("{url}/v1/ai/loras"))
            .header("x-service-api-key", &wrong)
            .send()
            .await
            .unwrap()
            .status(),
        401
    );

    for task in &tasks {
        for try_ in 0.. {
            assert!(try_ < 600, "{task} did not end");
            let response =
                client.get(format!("{url}{task}")).header("x-service-api-key", &key).send().await.unwrap();
            let response: Value = response.json().await.unwrap();
            if response["data"]["status"] == "COMPLETED" {
                for file in response["data"]["generated"].as_array().unwrap() {
                    let file = file.as_str().unwrap_or_default();
                    if file.starts_with("http") {
                        assert_eq!(client.get(file).send().await.unwrap().status(), 200);
                    }
                }
                break;
            }
            assert_ne!(response["data"]["status"], "FAILED", "{response}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
    // Wait for the webhooks, whose attempts are logged.
    for try_ in 0.. {
        assert!(try_ < 600, "no webhook attempts were logged");
        if bare.log().matches("webhook attempt").count() >= tasks.len() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    drop(service);
    let keys: Vec<_> = providers.requests().iter().map(|request| request.authorization().is_some()).collect();
    assert!(keys.len() > 2 && keys.iter().all(|has_key| *has_key), "{keys:?}");

    let log = bare.log();
    assert!(log.contains("TRACE") && log.contains("task accepted"), "the log must contain trace lines");
    let mut secrets: Vec<String> = SECRETS.iter().map(ToString::to_string).collect();
    secrets.extend([key[13..].to_owned(), encoded[..60].to_owned()]);
    let printed = bare.command(&["webhooks", "secret", &key[4..12]]);
    let webhook_secret = String::from_utf8(printed.stdout).unwrap();
    secrets.extend(
        webhook_secret.lines().filter_map(|line| Some(line.split("whsec_").nth(1)?.trim().to_owned())),
    );
    for secret in secrets {
        let line = log.lines().find(|line| line.contains(&secret));
        assert_eq!(line, None, "{secret}");
    }
}
