//! Whether the service lives, whether it can work, and what it has measured.

use std::time::Duration;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;

use super::Beside;

/// How long the database has to answer: who asks has a short deadline of its own.
const PATIENCE: Duration = Duration::from_secs(2);

/// `GET /healthz`: the process lives.
pub(super) async fn alive() -> &'static str {
    "ok\n"
}

/// `GET /readyz`: the database answers.
pub(super) async fn ready(State(beside): State<Beside>) -> (StatusCode, &'static str) {
    let error = match tokio::time::timeout(PATIENCE, beside.store.depth()).await {
        Ok(Ok(_)) => return (StatusCode::OK, "ready\n"),
        Ok(Err(error)) => error.to_string(),
        Err(late) => late.to_string(),
    };
    tracing::error!(error, "not ready");
    (StatusCode::SERVICE_UNAVAILABLE, "the database does not answer\n")
}

/// `GET /metrics`: in Prometheus' text format.
pub(super) async fn metrics(State(beside): State<Beside>) -> impl IntoResponse {
    if let Ok((waiting, running)) = beside.store.depth().await {
        metrics::gauge!("tasks_waiting").set(waiting as f64);
        metrics::gauge!("tasks_in_progress").set(running as f64);
    }
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], beside.metrics.render())
}
