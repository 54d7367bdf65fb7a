//! A client reads its downloads slowly.

use std::fs::File;
use std::time::Duration;

use asset_api_client::models::sound_effects::ListSoundEffectsInput;
use uuid::Uuid;

use crate::service::running::Running;
use crate::service::victim::Victim;
use crate::service::wire::Wire;

const SETTINGS: &str =
    "trusted-proxies = [\"127.0.0.1/32\"]\n[http]\nstalled-seconds = 600\n[http.open]\ndownloads = 2\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_readers_have_few_downloads() {
    let running = Running::start_with(SETTINGS, &[], &[]);
    let victim = Victim::start(&running).await;
    let client = running.client_of(&victim.key);
    let id: Uuid = victim.task.rsplit('/').next().unwrap().parse().unwrap();
    let task = client.get_sound_effect(id).await.unwrap().data;
    // The system holds a few megabytes of each connection.
    let file = File::options().write(true).open(&running.files("results")[0]).unwrap();
    file.set_len(64 * 1024 * 1024).unwrap();
    let path = task.generated[0].strip_prefix(&running.url).unwrap();
    let download = |client: &str| {
        let head = format!("GET {path} HTTP/1.1\r\nhost: test\r\nx-forwarded-for: {client}\r\n\r\n");
        let mut wire = Wire::say(&running, &head);
        let (status, head) = wire.head();
        (wire, status, head)
    };
    const SLOW: &str = "203.0.113.7";
    const OTHER: &str = "203.0.113.8";
    // Their bodies are not read.
    let slow = [download(SLOW), download(SLOW)];
    assert!(slow.iter().all(|(_, status, _)| *status == 200));
    let (_, status, head) = download(SLOW);
    assert!(status == 429 && head.contains("retry-after"), "{head}");
    assert_eq!(download(OTHER).1, 200, "another client has its own");
    client.list_sound_effects(ListSoundEffectsInput::default()).await.unwrap();
    assert!(running.metrics().await.contains("requests_limited_total{limit=\"downloads\"} 1"));
    drop(slow);
    let is_free = (0..1000).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        download(SLOW).1 == 200
    });
    assert!(is_free);
}
