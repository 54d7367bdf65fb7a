//! The changes of operators that a process makes. They continue if their requests end.

use std::sync::Arc;

use tokio::sync::watch;

/// The changes in progress. They end before the store is closed. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Changes(Arc<watch::Sender<bool>>);

/// A change in progress, until this is dropped.
#[derive(Debug, Clone)]
pub struct ChangeInProgress(watch::Receiver<bool>);

impl Changes {
    /// Begins a change; returns `None` if the process stops.
    #[must_use]
    pub fn begin(&self) -> Option<ChangeInProgress> {
        let change = ChangeInProgress(self.0.subscribe());
        (!change.is_stopping()).then_some(change)
    }

    /// Waits until the process stops, refuses further changes, and waits for those in progress.
    pub async fn run(self, stopped: impl Future<Output = ()>) {
        stopped.await;
        self.0.send_replace(true);
        self.0.closed().await;
    }
}

impl ChangeInProgress {
    /// Returns whether the process stops, so that no further part of the change should begin.
    pub(super) fn is_stopping(&self) -> bool {
        *self.0.borrow()
    }

    /// Resolves when the process stops.
    pub(super) async fn stopped(&self) {
        // The sender stays as long as the process serves.
        let _ = self.0.clone().wait_for(|is_stopping| *is_stopping).await;
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_end_waits_for_changes_and_lets_none_begin() {
        let changes = Changes::default();
        let change = changes.begin().unwrap();
        assert!(timeout(Duration::from_secs(1), changes.clone().run(ready(()))).await.is_err());
        assert!(change.is_stopping() && changes.begin().is_none());
        change.stopped().await;
        drop(change);
        timeout(Duration::from_secs(1), changes.run(ready(()))).await.unwrap();
    }
}
