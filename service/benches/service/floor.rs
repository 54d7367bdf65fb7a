//! The hand-written server: get-task in plain axum.
//!
//! It uses neither generated code nor this service's stack.
//!
//! It has the same store and the same query, so that the database makes no difference. It looks up the API key, because a
//! server without authentication would do a different job. It returns the same response bytes.
//!
//! It has no routing tables, no decoding and validation of input, no rate limits, no request ids, no security headers, no
//! metrics and no log. The target is a share of this server's rate. The second server, `with a log`, also writes the
//! same log line per request, to show the cost of logging.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, UNIX_EPOCH};

use asset_api_models::types::Timestamp;
use asset_service::domain::{Content, Task, TaskStatus};
use asset_service::keys::verify::Verifier;
use asset_service::store::{self, SharedStore};
use asset_service::time::Clock;
use axum::extract::{Path as Segments, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::ListenerExt;
use axum::{Router, serve};
use serde::{Serialize, Serializer};
use uuid::Uuid;

/// The path of the tasks.
pub const SCOPE: &str = "/v1/ai/improve-prompt";

struct Floor {
    store: SharedStore,
    verifier: Verifier,
}

#[derive(Serialize)]
struct Data {
    data: View,
}

#[derive(Serialize)]
struct View {
    task_id: Uuid,
    status: &'static str,
    generated: Vec<String>,
    #[serde(serialize_with = "as_text")]
    created_at: Option<Timestamp>,
    #[serde(serialize_with = "as_text")]
    updated_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<String>,
}

fn as_text<S: Serializer>(time: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => serializer.collect_str(time),
        None => serializer.serialize_none(),
    }
}

/// Serves until the process is killed.
pub async fn run(database_url: Option<&str>, folder: &Path) {
    let subscriber = tracing_subscriber::fmt().with_writer(std::io::stderr);
    subscriber.init();
    let store = store::open(database_url, folder, store::Schema::Migrate, store::Access::DEFAULT)
        .await
        .expect("a store");
    let floor = Arc::new(Floor { store, verifier: Verifier::default() });
    let router = Router::new()
        .route("/v1/ai/improve-prompt/{id}", get(task))
        .route("/logged/{id}", get(logged_task))
        .with_state(floor);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("listening on http://{}", listener.local_addr().expect("an address"));
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).expect("it is TCP"));
    serve(listener, router).await.expect("it serves");
}

async fn logged_task(state: State<Arc<Floor>>, headers: HeaderMap, id: Segments<Uuid>) -> Response {
    let begun = Instant::now();
    let response = task(state, headers, id).await;
    let (status, milliseconds) = (response.status().as_u16(), begun.elapsed().as_secs_f64() * 1000.0);
    tracing::info!(status, milliseconds, operation = "get_improved_prompt", "responded");
    response
}

async fn task(State(floor): State<Arc<Floor>>, headers: HeaderMap, Segments(id): Segments<Uuid>) -> Response {
    let Some(token) = headers.get("x-service-api-key").and_then(|value| value.to_str().ok()) else {
        return StatusCode::UNAUTHORIZED.into_response();
    };
    let Ok(caller) = floor.verifier.verify(&*floor.store, token, Clock::System.now()).await else {
        return StatusCode::UNAUTHORIZED.into_response();
    };
    match floor.store.task(&caller.id, "improve-prompt", None, id).await {
        Ok(Some(task)) => {
            let body = serde_json::to_vec(&Data { data: view(task) }).expect("it is JSON");
            ([(header::CONTENT_TYPE, "application/json")], body).into_response()
        }
        Ok(None) => StatusCode::NOT_FOUND.into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn view(task: Task) -> View {
    let timestamp = |at: i64| {
        Timestamp::from_system_time(UNIX_EPOCH + Duration::from_millis(u64::try_from(at).unwrap_or_default()))
    };
    let texts = task.results.into_iter().map(|piece| match piece.content {
        Content::File(text) | Content::Text(text) => text,
    });
    View {
        task_id: task.id,
        status: task.status.name(),
        generated: texts.collect(),
        engine: (task.status == TaskStatus::Completed).then_some(task.engine),
        created_at: timestamp(task.created_at),
        updated_at: timestamp(task.updated_at),
    }
}
