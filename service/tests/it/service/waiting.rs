//! Waiting in tests: for a condition instead of a fixed time, because other tests and builds share the processors.

use std::time::{Duration, Instant};

use asset_api_client::models::common::{Task, TaskStatus};
use asset_api_client::models::imagegen::ImagegenTask;

/// How long anything may take that is not measured. It ends tests whose event never comes, on any machine.
pub const TIMEOUT: Duration = Duration::from_secs(600);

/// The pause between two polls. A key may send ten requests a second, after a burst of fifty.
pub const PAUSE: Duration = Duration::from_millis(100);

/// Polls until there is a value.
///
/// # Panics
/// Panics after [`TIMEOUT`].
pub async fn eventually<T>(what: &str, mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(value) = ask().await {
            return value;
        }
        assert!(begun.elapsed() < TIMEOUT, "after {TIMEOUT:?}: {what}");
        tokio::time::sleep(PAUSE).await;
    }
}

/// A task of any type.
pub trait HasStatus: std::fmt::Debug {
    fn status(&self) -> &TaskStatus;
}

impl HasStatus for Task {
    fn status(&self) -> &TaskStatus {
        &self.status
    }
}

impl HasStatus for ImagegenTask {
    fn status(&self) -> &TaskStatus {
        &self.status
    }
}

/// Polls a task until it has ended.
pub async fn ended<T: HasStatus>(mut get: impl AsyncFnMut() -> T) -> T {
    let begun = Instant::now();
    loop {
        let task = get().await;
        if matches!(task.status(), TaskStatus::Completed | TaskStatus::Failed) {
            return task;
        }
        assert!(begun.elapsed() < TIMEOUT, "it has not ended after {TIMEOUT:?}: {task:?}");
        tokio::time::sleep(PAUSE).await;
    }
}
