//! The test's own server: it serves media and receives webhooks.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock, Mutex};

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use serde_json::Value;
use uuid::Uuid;

/// A picture that engines process quickly.
pub const PICTURE: &[u8] = include_bytes!("../../../assets/demo/coffee.jpg");

/// A WAV file of one second of silence: 8000 samples of 8 bits.
pub static SOUND: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let head = [16, 1 | 1 << 16, 8000, 8000, 1 | 8 << 16].map(u32::to_le_bytes);
    let [whole, samples] = [8036, 8000].map(u32::to_le_bytes);
    [&b"RIFF"[..], &whole, b"WAVEfmt ", head.as_flattened(), b"data", &samples, &[128; 8000]].concat()
});

/// An MP4 file whose header says that it has five seconds, as long as a reference video may be.
static FILM: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut film = simulated_providers::Medium::Film.bytes().to_vec();
    let header = film.windows(4).position(|window| window == b"mvhd").unwrap() + 4;
    let scale = u32::from_be_bytes(*film[header + 12..].first_chunk().unwrap());
    film[header + 16..header + 20].copy_from_slice(&(5 * scale).to_be_bytes());
    film
});

/// The payloads of the received events of one task and status, by event id.
pub type Webhooks = BTreeMap<String, BTreeSet<String>>;

/// A server of the test.
#[derive(Clone)]
pub struct Outside {
    url: String,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    /// The received events by task and status.
    webhooks: BTreeMap<(String, String), Webhooks>,
    /// The deliveries of each event.
    deliveries: BTreeMap<String, u32>,
    /// The trace context of the last delivery by task and status.
    traces: BTreeMap<(String, String), String>,
    /// The media that were requested before.
    asked: BTreeSet<String>,
}

/// Serves an app until the test ends, and returns its address.
pub async fn serve(app: axum::Router) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(axum::serve(listener, app).into_future());
    address
}

impl Outside {
    /// Starts the server.
    pub async fn start() -> Self {
        let seen = Arc::<Mutex<Seen>>::default();
        let app = axum::Router::new()
            .route("/hook", post(hook))
            .route("/{kind}/{name}", get(medium))
            .with_state(Arc::clone(&seen));
        Self { url: format!("http://{}", serve(app).await), seen }
    }

    /// Returns the webhook URL.
    pub fn hook(&self) -> String {
        format!("{}/hook", self.url)
    }

    /// Returns the URL of a picture.
    pub fn picture(&self) -> String {
        self.file("picture.jpg")
    }

    /// Returns the URL of a medium: a sound or a video if its name ends like one, else a picture.
    pub fn file(&self, name: &str) -> String {
        format!("{}/there/{name}", self.url)
    }

    /// Returns the URL of a picture whose first request fails.
    pub fn later_picture(&self) -> String {
        format!("{}/later/{}.jpg", self.url, Uuid::new_v4())
    }

    /// Returns the URL of a missing picture.
    pub fn no_picture(&self) -> String {
        format!("{}/gone/picture.jpg", self.url)
    }

    /// Returns how many times each event was delivered.
    pub fn deliveries(&self) -> BTreeMap<String, u32> {
        self.seen.lock().unwrap().deliveries.clone()
    }

    /// Returns the trace context of the delivery of this task and status.
    pub fn trace(&self, task: Uuid, status: &str) -> Option<String> {
        self.seen.lock().unwrap().traces.get(&(task.to_string(), status.to_owned())).cloned()
    }

    /// Returns the received events of this task and status.
    pub fn webhooks(&self, task: Uuid, status: &str) -> Webhooks {
        let seen = self.seen.lock().unwrap();
        seen.webhooks.get(&(task.to_string(), status.to_owned())).cloned().unwrap_or_default()
    }
}

async fn hook(State(seen): State<Arc<Mutex<Seen>>>, headers: HeaderMap, body: String) -> &'static str {
    let event: Value = serde_json::from_str(&body).unwrap();
    let of = (event["task_id"].as_str().unwrap().to_owned(), event["status"].as_str().unwrap().to_owned());
    let id = headers["webhook-id"].to_str().unwrap().to_owned();
    let mut seen = seen.lock().unwrap();
    *seen.deliveries.entry(id.clone()).or_default() += 1;
    // A process of the previous release sends none.
    if let Some(trace) = headers.get("traceparent") {
        seen.traces.insert(of.clone(), trace.to_str().unwrap().to_owned());
    }
    seen.webhooks.entry(of).or_default().entry(id).or_default().insert(body);
    "ok"
}

async fn medium(
    State(seen): State<Arc<Mutex<Seen>>>,
    Path((kind, name)): Path<(String, String)>,
) -> Result<&'static [u8], StatusCode> {
    match kind.as_str() {
        "there" => Ok(match name.rsplit('.').next() {
            Some("mp3" | "wav") => &SOUND,
            Some("mp4") => &FILM,
            _ => PICTURE,
        }),
        "later" if !seen.lock().unwrap().asked.insert(name) => Ok(PICTURE),
        "later" => Err(StatusCode::SERVICE_UNAVAILABLE),
        _ => Err(StatusCode::NOT_FOUND),
    }
}
