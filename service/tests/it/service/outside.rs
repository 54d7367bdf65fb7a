//! What is outside of the service in the tests: a server with pictures, and a receiver of webhooks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use serde_json::Value;
use uuid::Uuid;

/// A picture that is quickly done with.
pub const PICTURE: &[u8] = include_bytes!("../../../assets/demo/coffee.jpg");

/// The events of one task and status that came: their payloads by their ids.
pub type Told = BTreeMap<String, BTreeSet<String>>;

/// A server of the test.
#[derive(Clone)]
pub struct Outside {
    url: String,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    /// By task and status.
    told: BTreeMap<(String, String), Told>,
    /// Which pictures were asked for before.
    asked: BTreeSet<String>,
}

impl Outside {
    /// Starts it.
    pub async fn start() -> Self {
        let seen = Arc::<Mutex<Seen>>::default();
        let app = axum::Router::new()
            .route("/hook", post(hook))
            .route("/{kind}/{name}", get(picture))
            .with_state(Arc::clone(&seen));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(axum::serve(listener, app).into_future());
        Self { url, seen }
    }

    /// Where webhooks are received.
    pub fn hook(&self) -> String {
        format!("{}/hook", self.url)
    }

    /// A picture that is there.
    pub fn picture(&self) -> String {
        format!("{}/there/picture.jpg", self.url)
    }

    /// A picture whose server fails at the first request.
    pub fn later_picture(&self) -> String {
        format!("{}/later/{}.jpg", self.url, Uuid::new_v4())
    }

    /// A picture that is not there.
    pub fn no_picture(&self) -> String {
        format!("{}/gone/picture.jpg", self.url)
    }

    /// What was told of this task and this status.
    pub fn told(&self, task: Uuid, status: &str) -> Told {
        let seen = self.seen.lock().unwrap();
        seen.told.get(&(task.to_string(), status.to_owned())).cloned().unwrap_or_default()
    }
}

async fn hook(State(seen): State<Arc<Mutex<Seen>>>, headers: HeaderMap, body: String) -> &'static str {
    let event: Value = serde_json::from_str(&body).unwrap();
    let of = (event["task_id"].as_str().unwrap().to_owned(), event["status"].as_str().unwrap().to_owned());
    let id = headers["webhook-id"].to_str().unwrap().to_owned();
    seen.lock().unwrap().told.entry(of).or_default().entry(id).or_default().insert(body);
    "ok"
}

async fn picture(
    State(seen): State<Arc<Mutex<Seen>>>,
    Path((kind, name)): Path<(String, String)>,
) -> Result<&'static [u8], StatusCode> {
    match kind.as_str() {
        "there" => Ok(PICTURE),
        "later" if !seen.lock().unwrap().asked.insert(name) => Ok(PICTURE),
        "later" => Err(StatusCode::SERVICE_UNAVAILABLE),
        _ => Err(StatusCode::NOT_FOUND),
    }
}
