//! PostgreSQL restarts while the service runs. The service must recover and lose nothing.

use crate::service::waiting::TIMEOUT;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use asset_api_client::models::common::TaskStatus;
use asset_api_client::models::sound_effects::ListSoundEffectsInput;
use serde_json::{Value, json};
use uuid::Uuid;

use super::outside::Outside;
use super::running::{Running, setting};
use crate::service::http_client;
use crate::store::cluster::Cluster;

const SETTINGS: &str = "
[worker]
lease-seconds = 3
max-attempts = 20
[webhooks]
deadline-seconds = 2
[tiers.default]
burst = 100000
per-second = 100000.0
";

/// The number of clients that create tasks at the same time.
const CLIENTS: usize = 4;

/// The number of tasks that each client creates after the restart.
const AFTER: usize = 3;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_service_outlives_its_database() {
    let Some(cluster) = Cluster::start() else { return };
    let outside = Outside::start().await;
    let settings = setting(&cluster.database().await) + SETTINGS;
    let mut running = Running::start_with(&settings, &["--threads", "2"], &[]);
    let back = Arc::new(AtomicBool::new(false));
    let refused = Arc::new(AtomicU32::new(0));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|number| {
            let client = Client {
                number,
                url: running.url.clone(),
                key: running.key.clone(),
                hook: outside.hook(),
                refused: Arc::clone(&refused),
            };
            tokio::spawn(client.create_until(Arc::clone(&back)))
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(ready(&running).await, 200);

    cluster.halt();
    let begun = Instant::now();
    while ready(&running).await == 200 || refused.load(Ordering::SeqCst) == 0 {
        assert!(begun.elapsed() < TIMEOUT, "nobody noticed");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // The catalogue's operations return the same error as those of tasks.
    for path in ["icons/1", "resources", "music", "music/download?id=1", "sfx", "sfx/download?id=1"] {
        let response = running.get(&format!("/v1/{path}")).send().await.unwrap();
        assert_eq!(response.status(), 503, "{path}");
        assert!(response.headers().contains_key("retry-after"), "{path}");
        let body: Value = response.json().await.unwrap();
        assert_eq!(body, json!({"message": "Service unavailable"}), "{path}");
    }
    // Leases expire in the meantime.
    tokio::time::sleep(Duration::from_secs(4)).await;
    cluster.run();
    cluster.connected().await;
    while ready(&running).await != 200 {
        assert!(begun.elapsed() < TIMEOUT, "the service does not recover");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    back.store(true, Ordering::SeqCst);

    let mut accepted = Vec::new();
    for client in clients {
        accepted.extend(client.await.unwrap());
    }
    for id in &accepted {
        let file = loop {
            let task = running.client().get_sound_effect(*id).await.unwrap().data;
            if task.status == TaskStatus::Completed {
                break task.generated[0].clone();
            }
            assert!(task.status != TaskStatus::Failed && begun.elapsed() < TIMEOUT, "{task:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        };
        assert_eq!(http_client::get(&file).await.unwrap().status(), 200, "{file}");
        while outside.webhooks(*id, "COMPLETED").is_empty() {
            assert!(begun.elapsed() < TIMEOUT, "nobody was output of {id}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(outside.webhooks(*id, "COMPLETED").len(), 1, "one id");
    }
    assert_eq!(listed(&running).await, accepted.len(), "one task of each request");
    assert!(!running.has_ended(), "it is the same process");
}

async fn ready(running: &Running) -> u16 {
    http_client::get(format!("{}/readyz", running.url)).await.unwrap().status().as_u16()
}

async fn listed(running: &Running) -> usize {
    let mut all = 0;
    for page in 1.. {
        let mut input = ListSoundEffectsInput::default();
        (input.page, input.limit) = (Some(page), Some(100));
        match running.client().list_sound_effects(input).await.unwrap().data.len() {
            0 => break,
            some => all += some,
        }
    }
    all
}

/// A client that repeats each request until it is accepted.
struct Client {
    number: usize,
    url: String,
    key: String,
    hook: String,
    refused: Arc<AtomicU32>,
}

impl Client {
    /// Creates tasks until the database is back, and some more.
    async fn create_until(self, back: Arc<AtomicBool>) -> Vec<Uuid> {
        let http = http_client::new();
        let (mut accepted, mut after) = (Vec::new(), 0);
        while after < AFTER {
            after += usize::from(back.load(Ordering::SeqCst));
            let id = loop {
                if let Some(id) = self.create(&http, accepted.len()).await {
                    break id;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            };
            accepted.push(id);
            self.get(&http, id).await;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        accepted
    }

    async fn create(&self, http: &reqwest::Client, count: usize) -> Option<Uuid> {
        let body = json!({"text": "click", "duration_seconds": 0.5, "webhook_url": self.hook});
        let request = http.post(format!("{}/v1/ai/sound-effects", self.url)).json(&body);
        let reply = self.reply(request.header("idempotency-key", format!("{}.{count}", self.number))).await?;
        Some(serde_json::from_value(reply["data"]["task_id"].clone()).unwrap())
    }

    async fn get(&self, http: &reqwest::Client, id: Uuid) {
        let reply = self.reply(http.get(format!("{}/v1/ai/sound-effects/{id}", self.url))).await;
        assert!(reply.is_none_or(|reply| reply["data"]["task_id"] == id.to_string()));
    }

    /// Returns the response, or `None` for a documented 503 that asks for a retry.
    async fn reply(&self, request: reqwest::RequestBuilder) -> Option<Value> {
        let response = request.header("x-service-api-key", &self.key).send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.json::<Value>().await.unwrap();
        if status == 200 {
            return Some(body);
        }
        assert!(status == 503 && body == json!({"message": "Service unavailable"}), "{status} {body}");
        assert!(headers.contains_key("retry-after"));
        self.refused.fetch_add(1, Ordering::SeqCst);
        None
    }
}
