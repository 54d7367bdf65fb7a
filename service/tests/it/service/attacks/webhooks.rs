//! Receivers hang, and other webhooks go to the same host.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use asset_api_client::models::sound_effects::SoundEffectRequest;
use axum::http::HeaderMap;
use axum::routing::post;
use tokio::sync::mpsc;

use crate::service::running::{Database, Running};

/// Webhooks of a key; more than the host may have in delivery for one key.
const HANGING: usize = 30;

/// The most deliveries to a host of one key, and of all keys.
const CAPS: [usize; 2] = [8, 32];

/// A webhook may take a while: none ends before the test does.
const SETTINGS: &str = "[webhooks]\ndeadline-seconds = 60\n";

/// A server of two webhooks: one hangs, and one responds.
struct Receiver {
    port: u16,
    /// How many webhooks have begun to hang.
    hanging: Arc<AtomicUsize>,
    /// The `Host` of each webhook that got a response.
    received: mpsc::UnboundedReceiver<String>,
}

impl Receiver {
    async fn start() -> Self {
        let (send, received) = mpsc::unbounded_channel();
        let hanging = Arc::<AtomicUsize>::default();
        let counted = Arc::clone(&hanging);
        let hangs = async move || {
            counted.fetch_add(1, Ordering::SeqCst);
            std::future::pending::<()>().await;
        };
        let hook = async move |headers: HeaderMap| {
            let _ = send.send(headers["host"].to_str().unwrap().to_owned());
        };
        let app = axum::Router::new().route("/hangs", post(hangs)).route("/hook", post(hook));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(axum::serve(listener, app).into_future());
        Self { port, hanging, received }
    }

    fn url(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.port)
    }

    /// Waits until so many webhooks hang.
    async fn until_hanging(&self, count: usize) {
        let begun = Instant::now();
        while self.hanging.load(Ordering::SeqCst) < count {
            assert!(begun.elapsed() < Duration::from_secs(60), "{:?} of {count} hang", self.hanging);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Creates a task of this key with a webhook to this host, which must come within three seconds.
    async fn gets_soon(&mut self, running: &Running, key: &str, host: &str) {
        let begun = Instant::now();
        create(running, key, self.url(host, "/hook")).await;
        let came = async { while !self.received.recv().await.unwrap().starts_with(host) {} };
        tokio::time::timeout(Duration::from_secs(60), came).await.unwrap();
        assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    }
}

async fn create(running: &Running, key: &str, hook: String) {
    let mut request = SoundEffectRequest::new("click", 0.5);
    request.webhook_url = Some(hook);
    running.client_of(key).create_sound_effect(request).await.unwrap();
}

async fn attack(database: Database) {
    const HOST: &str = "127.0.0.1";
    let Some(setting) = database.setting().await else { return };
    let mut receiver = Receiver::start().await;
    let running = Running::start_with(&format!("{setting}{SETTINGS}"), &[], &[]);
    for _ in 0..HANGING {
        create(&running, &running.key, receiver.url(HOST, "/hangs")).await;
    }
    let [of_key, of_all] = CAPS;
    receiver.until_hanging(of_key).await;
    let other = running.new_key(&[]);
    receiver.gets_soon(&running, &other, HOST).await;
    assert_eq!(receiver.hanging.load(Ordering::SeqCst), of_key, "a key has no more to one host");

    // Further keys take the rest of the host.
    for key in 2..=of_all / of_key {
        let further = running.new_key(&[]);
        for _ in 0..of_key {
            create(&running, &further, receiver.url(HOST, "/hangs")).await;
        }
        receiver.until_hanging(key * of_key).await;
    }
    create(&running, &other, receiver.url(HOST, "/hangs")).await;
    // It is the same machine, but another host in a URL. The event is due after that above.
    receiver.gets_soon(&running, &other, "localhost").await;
    assert_eq!(receiver.hanging.load(Ordering::SeqCst), of_all, "all keys have no more to one host");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_whose_receiver_hangs_delays_no_other_key() {
    attack(Database::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nor_on_postgresql() {
    attack(Database::Postgres).await;
}
