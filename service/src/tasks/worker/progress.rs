//! Stores the progress that an engine reports.

use std::convert::Infallible;
use std::time::Duration;

use super::Worker;
use crate::engine::context::Context;
use crate::store::Lease;

/// The minimum time between two records of the progress.
const BETWEEN_RECORDS: Duration = Duration::from_secs(1);

/// Runs an engine's work, and stores its progress meanwhile.
///
/// Progress is a hint for the client, so failures of the store don't matter.
pub(super) async fn told<T>(
    worker: &Worker,
    lease: &Lease,
    context: &Context,
    work: impl Future<Output = T>,
) -> T {
    let mut progress = context.progress();
    let record = async {
        while progress.changed().await.is_ok() {
            let told = progress.borrow_and_update().clone();
            if let Ok(told) = serde_json::to_string(&told) {
                let _ = worker.store.record_progress(lease, &told).await;
            }
            tokio::time::sleep(BETWEEN_RECORDS).await;
        }
        std::future::pending::<Infallible>().await
    };
    tokio::select! {
        done = work => done,
        never = record => match never {},
    }
}
