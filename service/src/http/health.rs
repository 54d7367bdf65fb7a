//! Whether the service lives, whether it can work, and what it has measured.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::Beside;
use crate::store::SharedStore;

/// How long an answer of the database is good: it is asked no more often, however many want to know.
const GOOD: Duration = Duration::from_secs(1);

/// How long the database has to answer: who asks has a short deadline of its own.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is known of the store. Clones share it.
#[derive(Clone)]
pub struct Readiness {
    store: SharedStore,
    known: Arc<Mutex<Option<(Instant, bool)>>>,
}

impl Readiness {
    /// Of this store.
    #[must_use]
    pub fn new(store: SharedStore) -> Self {
        Self { store, known: Arc::default() }
    }

    /// Why requests would fail or wait; `None`: they don't.
    async fn hindrance(&self) -> Option<&'static str> {
        if !self.has_database().await {
            return Some("the database does not answer\n");
        }
        (!self.store.is_search_prepared())
            .then_some("the catalogue is being read; searches for resources wait\n")
    }

    /// Whether the database can be read and written, as of a moment ago.
    async fn has_database(&self) -> bool {
        let mut known = self.known.lock().await;
        if let Some((at, ready)) = *known
            && at.elapsed() < GOOD
        {
            return ready;
        }
        let ready = match timeout(PATIENCE, self.store.probe()).await {
            Ok(Ok(())) => true,
            Ok(Err(error)) => {
                tracing::error!(%error, "not ready");
                false
            }
            Err(_) => {
                tracing::error!("not ready: the database has not answered in time");
                false
            }
        };
        *known = Some((Instant::now(), ready));
        ready
    }
}

/// `GET /healthz`: the process lives.
pub(super) async fn alive() -> &'static str {
    "ok\n"
}

/// `GET /readyz`: the database can be read and written, and searches find the catalogue in memory.
pub(super) async fn ready(State(beside): State<Beside>) -> (StatusCode, &'static str) {
    match beside.readiness.hindrance().await {
        None => (StatusCode::OK, "ready\n"),
        Some(why) => (StatusCode::SERVICE_UNAVAILABLE, why),
    }
}

/// `GET /metrics`: in Prometheus' text format.
pub(super) async fn metrics(State(beside): State<Beside>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], beside.metrics.render())
}
