//! A client guesses names of the inner network.

use std::time::{Duration, Instant};

use reqwest::Client;
use serde_json::{Value, json};

use crate::service::http_client;
use crate::service::name_server::{GONE, INNER, NameServer};
use crate::service::requests::response;
use crate::service::running::Running;
use crate::service::victim::{Percentiles, Victim, hurts_nobody};

/// Rates that are not reached, and early failures.
const SETTINGS: &str = "[tiers.default]\nburst = 10000\n[worker]\nmax-attempts = 2\nbackoff-seconds = 0\n";

/// How many names are guessed besides the two.
const GUESSES: usize = 40;

/// The client that guesses.
struct Guesser<'a> {
    running: &'a Running,
    client: Client,
}

impl Guesser<'_> {
    async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        response(self.running.post(&format!("/v1/ai/{path}"), body)).await
    }

    /// Submits a body that must be accepted; returns the task's id.
    async fn submit(&self, path: &str, body: &Value) -> String {
        let (status, reply) = self.post(path, body).await;
        let data = reply["data"].as_object().unwrap_or_else(|| panic!("{status} {reply}"));
        assert_eq!((status, data.len(), &data["status"]), (200, 2, &json!("CREATED")), "{body}: {reply}");
        data["task_id"].as_str().unwrap().to_owned()
    }

    /// Creates a task with a webhook to this host; returns the operator's lines about its first failed delivery.
    async fn delivery(&self, host: &str) -> String {
        let hook = format!("https://{host}/hook");
        let body = json!({"text": "click", "duration_seconds": 0.5, "webhook_url": hook});
        let task = self.submit("sound-effects", &body).await;
        let begun = Instant::now();
        loop {
            let listed = self.running.command(&["webhooks", "deliveries", "--task", &task]);
            let listed = String::from_utf8(listed.stdout).unwrap();
            if listed.contains(" no response in ") {
                return listed;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{listed}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Creates a task with a medium at this host; returns what its client sees of it in the end.
    async fn medium(&self, host: &str) -> Value {
        let body = json!({"image": format!("https://{host}/coffee.jpg")});
        let task = self.submit("image-change-camera", &body).await;
        let begun = Instant::now();
        loop {
            let url = format!("{}/v1/ai/image-change-camera/{task}", self.running.url);
            let request = self.client.get(url).header("x-service-api-key", &self.running.key);
            let mut reply: Value = request.send().await.unwrap().json().await.unwrap();
            let data = reply["data"].as_object_mut().unwrap();
            if data["status"] == "FAILED" {
                for field in ["task_id", "created_at", "updated_at"] {
                    assert!(data.remove(field).is_some(), "{field}");
                }
                return reply;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{reply}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_response_reveals_which_names_resolve() {
    hurts_nobody(async || vec![guesses().await]).await;
}

async fn guesses() -> Percentiles {
    let names = NameServer::start().await;
    let running = Running::start_with(SETTINGS, &["--threads", "1"], &names.environment());
    let victim = Victim::start(&running).await;
    let guesser = Guesser { running: &running, client: http_client::new() };
    let guesses = async {
        for number in 0..GUESSES {
            let body = json!({"image": format!("https://host{number}.test/coffee.jpg")});
            guesser.submit("image-change-camera", &body).await;
        }
        let media = [guesser.medium(INNER).await, guesser.medium(GONE).await];
        (media, [guesser.delivery(INNER).await, guesser.delivery(GONE).await])
    };
    let (percentiles, (media, deliveries)) = victim.measure_during(guesses).await;
    assert_eq!(media[0], media[1], "its client must see the same");
    assert_eq!(media[0]["data"]["error"]["code"], "fetch_failed");
    // Both names were looked up, and only the operator sees the results.
    assert!(names.asked(INNER) > 0 && names.asked(GONE) > 0);
    let is_refused = deliveries.map(|lines| lines.contains("host resolves to a private or reserved address"));
    assert_eq!(is_refused, [true, false]);
    // Literal addresses need no lookup, so their refusal reveals nothing.
    for literal in ["https://127.0.0.1/", "https://0x7f.1/", "https://[::1]/", "https://localhost/"] {
        let body = json!({"text": "click", "duration_seconds": 0.5, "webhook_url": literal});
        let (status, reply) = guesser.post("sound-effects", &body).await;
        assert_eq!((status, &reply["invalid_params"][0]["name"]), (400, &json!("webhook_url")), "{literal}");
    }
    percentiles
}
