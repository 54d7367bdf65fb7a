//! Liveness, readiness and metrics.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::RoutesState;
use crate::quiesce::Quiesce;
use crate::store::SharedStore;

/// How long a probe's result is reused, so that many callers cause few probes.
const CACHE_TIME: Duration = Duration::from_secs(1);

/// How long a probe may take: callers have short deadlines themselves.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Checks whether the service is ready. Clones share the last result.
#[derive(Clone)]
pub struct Readiness {
    store: SharedStore,
    quiesce: Quiesce,
    has_catalogue: bool,
    is_stopping: Arc<AtomicBool>,
    known: Arc<Mutex<Option<(Instant, bool)>>>,
}

impl Readiness {
    /// Checks this store, and whether the catalogue is loaded if the process has it.
    #[must_use]
    pub fn new(store: SharedStore, quiesce: Quiesce, has_catalogue: bool) -> Self {
        Self { store, quiesce, has_catalogue, is_stopping: Arc::default(), known: Arc::default() }
    }

    /// Makes the service unready permanently, because the process stops.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    /// Returns whether the process stops.
    pub(super) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// Returns why the service is not ready, or `None` if it is.
    async fn reason_not_ready(&self) -> Option<&'static str> {
        if self.is_stopping() {
            return Some("the service is stopping\n");
        }
        if !self.has_database().await {
            return Some("the database does not respond\n");
        }
        if self.quiesce.is_on() {
            return Some("quiesced: accepts and runs no tasks until `asset-service resume`\n");
        }
        (self.has_catalogue && !self.store.is_search_prepared())
            .then_some("the catalogue is loading; resource searches wait for it\n")
    }

    /// Returns whether the database is readable and writable, as of the last probe.
    async fn has_database(&self) -> bool {
        let mut known = self.known.lock().await;
        if let Some((at, ready)) = *known
            && at.elapsed() < CACHE_TIME
        {
            return ready;
        }
        let ready = match timeout(TIMEOUT, self.store.probe()).await {
            Ok(Ok(())) => true,
            Ok(Err(error)) => {
                tracing::error!(%error, "not ready: the database probe failed");
                false
            }
            Err(_) => {
                tracing::error!("not ready: the database did not respond in time");
                false
            }
        };
        *known = Some((Instant::now(), ready));
        ready
    }
}

/// `GET /healthz`: responds as long as the process runs.
pub(super) async fn alive() -> &'static str {
    "ok\n"
}

/// `GET /readyz`: responds 200 if the service is ready.
///
/// Ready means that the database is readable and writable, that the search index is loaded, and that the
/// process is neither quiesced nor stopping. A load balancer thus sends nothing to a restored copy.
pub(super) async fn ready(State(state): State<RoutesState>) -> impl IntoResponse {
    match state.readiness.reason_not_ready().await {
        None => (StatusCode::OK, "ready\n"),
        Some(why) => (StatusCode::SERVICE_UNAVAILABLE, why),
    }
}

/// `GET /metrics`: returns the metrics in Prometheus text format.
pub(super) async fn metrics(State(state): State<RoutesState>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], state.metrics.render())
}
