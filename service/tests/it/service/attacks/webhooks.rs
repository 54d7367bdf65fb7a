//! Receivers hang, and other webhooks go to the same host.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use asset_api_client::models::sound_effects::SoundEffectRequest;
use axum::http::{HeaderMap, Uri};
use axum::routing::post;
use tokio::sync::mpsc;

use crate::service::outside::serve;
use crate::service::running::{Database, Running};
use crate::service::waiting::TIMEOUT;

/// Webhooks of a key; more than the host may have in delivery for one key.
const HANGING: usize = 30;

/// The maximum number of deliveries to a host of one key, of keys with several, and of all keys.
const CAPS: [usize; 3] = [8, 24, 32];

/// A webhook may take as long as the settings allow, so that few end before the test does.
const SETTINGS: &str = "[webhooks]\ndeadline-seconds = 60\n";

/// The time limit of a webhook that no other one delays. Behind hanging ones, it would take a minute.
///
/// The goal is three seconds, which `cargo xtask bench fairness` checks. Here, a debug build makes the sound while other
/// tests use the same few processors.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// A server of two webhooks: one hangs, and one responds.
struct Receiver {
    port: u16,
    /// How many webhooks have begun to hang.
    begun: Arc<AtomicUsize>,
    /// How many webhooks hang.
    hanging: Arc<AtomicUsize>,
    /// The URL of each webhook that got a response.
    received: mpsc::UnboundedReceiver<String>,
}

/// A webhook that hangs until its client gives it up.
struct Hanging(Arc<AtomicUsize>);

impl Hanging {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(count))
    }
}

impl Drop for Hanging {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Receiver {
    async fn start() -> Self {
        let (send, received) = mpsc::unbounded_channel();
        let [begun, hanging] = [(); 2].map(|()| Arc::<AtomicUsize>::default());
        let counts = [Arc::clone(&begun), Arc::clone(&hanging)];
        let hangs = async move || {
            let _hanging = Hanging::new(&counts[1]);
            counts[0].fetch_add(1, Ordering::SeqCst);
            std::future::pending::<()>().await;
        };
        let hook = async move |headers: HeaderMap, path: Uri| {
            let _ = send.send(format!("http://{}{path}", headers["host"].to_str().unwrap()));
        };
        let app = axum::Router::new().route("/hangs", post(hangs)).route("/hook/{key}", post(hook));
        Self { port: serve(app).await.port(), begun, hanging, received }
    }

    fn url(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.port)
    }

    /// Waits until this number of webhooks hang.
    async fn until_begun(&self, count: usize) {
        let begun = Instant::now();
        while self.begun.load(Ordering::SeqCst) < count {
            assert!(begun.elapsed() < TIMEOUT, "{:?} of {count} have begun", self.begun);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Checks that no more webhooks hang at a time.
    ///
    /// On a slow machine, some end at their deadline and others begin. For a moment, the server may count both.
    async fn has_at_most(&self, cap: usize) {
        let begun = Instant::now();
        while self.hanging.load(Ordering::SeqCst) > cap {
            assert!(begun.elapsed() < Duration::from_secs(30), "{:?} hang, the cap is {cap}", self.hanging);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Creates a task of this key with a webhook to this host, which must arrive within the time limit.
    async fn receives_in_time(&mut self, running: &Running, key: &str, host: &str) {
        let (begun, hook) = (Instant::now(), self.url(host, &format!("/hook/{key}")));
        create(running, key, hook.clone()).await;
        let arrival = async { while self.received.recv().await.unwrap() != hook {} };
        tokio::time::timeout(TIMEOUT, arrival).await.unwrap();
        assert!(begun.elapsed() < TIME_LIMIT, "{:?}", begun.elapsed());
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
    let [of_key, of_several, of_all] = CAPS;
    receiver.until_begun(of_key).await;
    let other = running.new_key(&[]);
    receiver.receives_in_time(&running, &other, HOST).await;
    receiver.has_at_most(of_key).await;

    // Further keys take all slots of the host that are not reserved for keys without deliveries.
    for key in 2..=of_all / of_key {
        let further = running.new_key(&[]);
        for _ in 0..of_key {
            create(&running, &further, receiver.url(HOST, "/hangs")).await;
        }
        receiver.until_begun((key * of_key).min(of_several + 1)).await;
    }
    receiver.has_at_most(of_several + 1).await;
    receiver.receives_in_time(&running, &running.new_key(&[]), HOST).await;
    for begun in of_several + 1..of_all {
        create(&running, &running.new_key(&[]), receiver.url(HOST, "/hangs")).await;
        receiver.until_begun(begun + 1).await;
    }
    create(&running, &other, receiver.url(HOST, "/hangs")).await;
    // It is the same machine, but another host in a URL. The event is due after that above.
    receiver.receives_in_time(&running, &other, "localhost").await;
    receiver.has_at_most(of_all).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_whose_receiver_hangs_delays_no_other_key() {
    attack(Database::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_whose_receiver_hangs_delays_no_other_key_on_postgresql() {
    attack(Database::Postgres).await;
}
