//! `POST /notifications/{key}`: a provider reports that a job has ended.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use futures_util::StreamExt as _;
use uuid::Uuid;

use super::RoutesState;

/// The maximum size of a body in bytes. Providers send results, which may be long.
const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;

/// Wakes the attempt that waits for the job, in this process or in another one.
///
/// The response is the same for all keys, so it reveals nothing. The body is received and discarded: a provider would
/// repeat a notification whose connection ends early.
pub(super) async fn arrived(
    State(state): State<RoutesState>,
    Path(key): Path<Uuid>,
    body: Body,
) -> StatusCode {
    let (mut chunks, mut received) = (body.into_data_stream(), 0_usize);
    while let Some(Ok(chunk)) = chunks.next().await {
        received += chunk.len();
        if received > MAX_BODY_BYTES {
            return StatusCode::PAYLOAD_TOO_LARGE;
        }
    }
    if !state.notifications.arrived(key) {
        state.store.forward_notification(key);
    }
    StatusCode::NO_CONTENT
}
