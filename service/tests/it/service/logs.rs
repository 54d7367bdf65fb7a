//! The most verbose log contains no secrets and no user data.

use asset_api_client::models::image_to_prompt::ImageToPromptRequest;
use asset_api_client::models::sound_effects::SoundEffectRequest;

use super::outside::Outside;
use super::running::Running;
use crate::service::http_client;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_is_in_any_line() {
    let outside = Outside::start().await;
    let verbose = [("RUST_LOG", "info,asset_service=trace,tower_http=trace")];
    let running = Running::start_with("", &["--log-json"], &verbose);
    let client = running.client();
    let mut request = SoundEffectRequest::new("rain, and a marmot whistles privately", 0.5);
    request.webhook_url = Some(format!("{}?token=hush-hook", outside.hook()));
    let id = client.create_sound_effect(request).await.unwrap().data.task_id;
    // A missing medium, and a webhook without a receiver.
    let mut request = ImageToPromptRequest::new(format!("{}?token=hush-media", outside.no_picture()));
    request.webhook_url = Some("http://127.0.0.1:9/?token=hush-nobody".to_owned());
    client.create_image_to_prompt(request).await.unwrap();
    let _ = client.create_image_to_prompt(ImageToPromptRequest::new("ftp://hush-scheme/")).await.unwrap_err();
    let wrong = format!("{}x", running.key);
    let _ = running.client_of(&wrong).get_sound_effect(id).await.unwrap_err();
    let url = format!("{}/v1/music?q=hush-query&x-service-api-key={}", running.url, running.key);
    let _ = http_client::get(url).await.unwrap();

    let delivered = |status: &str| outside.webhooks(id, status).len();
    let seen = |text: &str| running.log().contains(text);
    let id = id.to_string();
    let lines = ["connection refused", "fetch_failed", "webhook attempt", "responded", &id];
    for _ in 0..2400 {
        if delivered("COMPLETED") == 1 && lines.iter().all(|line| seen(line)) {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let log = running.log();
    let responded = log.lines().filter(|line| line.contains("\"responded\""));
    let responded: Vec<serde_json::Value> =
        responded.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(responded.iter().all(|line| line["fields"]["address"] == "127.0.0.1"), "{log}");
    let keys = |operation: &str, status: u16| {
        let of = responded.iter().filter(move |line| line["span"]["operation"] == operation);
        let of = of.filter(move |line| line["fields"]["status"] == status);
        of.map(|line| line["fields"]["key"].as_str().map(ToOwned::to_owned)).collect::<Vec<_>>()
    };
    assert_eq!(keys("create_sound_effect", 200), [Some(running.key_id().to_owned())]);
    assert_eq!(keys("get_sound_effect", 401), [None], "an unknown key has no id");
    assert!(log.lines().all(|line| line.starts_with('{')), "{log}");
    assert!(!log.contains("RetryAt") && log.contains("\"retry_at\":\"20"), "{log}");
    assert!(lines.iter().all(|line| log.contains(line)), "{log}");
    let secret = running.key.rsplit('_').next().unwrap();
    let hook_secret = running.secret.strip_prefix("whsec_").unwrap();
    for hidden in [secret, hook_secret, "hush", "marmot", "whsec_", &outside.hook()] {
        let line = log.lines().find(|line| line.contains(hidden));
        assert!(line.is_none(), "{hidden} is logged: {line:?}");
    }
}
