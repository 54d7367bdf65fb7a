//! The floor of the loopback benchmark: two operations written by hand in axum.

use std::sync::Arc;

use asset_api_validation::OPERATIONS;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::decode::is_key;
use crate::loopback::{Caller, Keys, TASK};
use crate::voiceover::ByHand as Voiceover;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum TaskStatus {
    Created,
    InProgress,
    Completed,
    Failed,
}

#[derive(Serialize)]
struct Data<T> {
    data: T,
}

#[derive(Serialize)]
struct TaskCreated {
    task_id: Uuid,
    status: TaskStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    generated: Option<Vec<String>>,
}

#[derive(Serialize)]
struct Task {
    task_id: Uuid,
    status: TaskStatus,
    generated: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<String>,
}

/// Checks credentials like the generated server.
impl FromRequestParts<Arc<Keys>> for Caller {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, keys: &Arc<Keys>) -> Result<Self, Response> {
        let key = parts.headers.get("x-service-api-key").and_then(|value| value.to_str().ok());
        match key {
            None => Err(refusal(StatusCode::UNAUTHORIZED, "Missing API key")),
            Some(key) => keys.caller(key).ok_or_else(|| refusal(StatusCode::UNAUTHORIZED, "Invalid API key")),
        }
    }
}

#[derive(Serialize)]
struct Problem {
    message: &'static str,
}

fn refusal(status: StatusCode, message: &'static str) -> Response {
    (status, Json(Problem { message })).into_response()
}

async fn create_voiceover(caller: Caller, headers: HeaderMap, Json(body): Json<Voiceover>) -> Response {
    let key = match headers.get("idempotency-key").map(|value| value.to_str()) {
        None => None,
        Some(Ok(key)) if is_key(key) => Some(key.to_owned()),
        Some(_) => return refusal(StatusCode::BAD_REQUEST, "Parameter 'Idempotency-Key' is not valid"),
    };
    if !body.is_valid() {
        return refusal(StatusCode::BAD_REQUEST, "The body is not valid");
    }
    std::hint::black_box((caller, key, body));
    Json(Data { data: TaskCreated { task_id: TASK, status: TaskStatus::Created, generated: None } })
        .into_response()
}

async fn get_voiceover(caller: Caller, Path(task_id): Path<Uuid>) -> Response {
    std::hint::black_box(caller);
    let generated = vec![crate::loopback::RESULT.to_owned()];
    Json(Data { data: Task { task_id, status: TaskStatus::Completed, generated, engine: None } })
        .into_response()
}

/// Creates the router with every other route that axum supports.
pub fn router(keys: Arc<Keys>) -> Router {
    let written = ["/v1/ai/voiceover", "/v1/ai/voiceover/{task-id}"];
    let mut others: Vec<&str> = OPERATIONS.concat().iter().map(|operation| operation.path).collect();
    others.dedup();
    others.retain(|path| crate::routing::is_taken_by_axum(path) && !written.contains(path));
    let router = Router::new()
        .route("/v1/ai/voiceover", post(create_voiceover))
        .route("/v1/ai/voiceover/{task-id}", get(get_voiceover));
    others
        .into_iter()
        .fold(router, |router, path| router.route(path, get(async || StatusCode::NOT_IMPLEMENTED)))
        .with_state(keys)
}
