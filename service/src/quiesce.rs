//! Holds back the work of a quiesced service until an operator resumes it.
//!
//! The database says whether the service is quiesced. It never becomes quiesced while it runs: a restore needs an empty
//! database, and a migration to another one needs an unused database.

use std::time::Duration;

use tokio::sync::watch;

use crate::store::{Result, SharedStore};

/// The interval at which the service reads whether an operator has resumed it.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Whether the service is quiesced; clones share the state.
#[derive(Debug, Clone)]
pub struct Quiesce {
    state: watch::Receiver<bool>,
}

impl Quiesce {
    /// Reads the state from the database, and logs it if the service is quiesced. [`follow`] updates it.
    ///
    /// # Errors
    /// Fails if the database can't be read.
    pub async fn read(store: &SharedStore) -> Result<(Self, watch::Sender<bool>)> {
        let quiescence = store.quiescence().await?;
        if let Some(quiescence) = &quiescence {
            tracing::warn!(
                reason = quiescence.reason,
                "quiesced: this service accepts and runs no tasks, delivers no webhooks and removes nothing until \
                 `asset-service resume`"
            );
        }
        let (sender, state) = watch::channel(quiescence.is_some());
        Ok((Self { state }, sender))
    }

    /// Returns whether the service is quiesced.
    #[must_use]
    pub fn is_on(&self) -> bool {
        *self.state.borrow()
    }

    /// Runs `work` once the service is not quiesced; returns `None` if the process stops before.
    pub async fn until_resumed<F: Future>(
        mut self,
        mut stop: watch::Receiver<bool>,
        work: impl FnOnce(watch::Receiver<bool>) -> F,
    ) -> Option<F::Output> {
        tokio::select! {
            biased;
            // Without a watch, the process ends.
            resumed = self.state.wait_for(|is_on| !is_on) => resumed.ok().map(drop)?,
            _ = stop.wait_for(|stop| *stop) => return None,
        }
        Some(work(stop).await)
    }
}

/// Sets the state from the database until `stop` is ready.
pub async fn follow(state: watch::Sender<bool>, store: SharedStore, stop: impl Future<Output = ()> + Send) {
    let follow = async {
        while *state.borrow() {
            metrics::gauge!("quiesced").set(1.0);
            metrics::gauge!("sweep_paused").set(1.0);
            tokio::time::sleep(POLL_INTERVAL).await;
            match store.quiescence().await {
                Ok(None) => {
                    tracing::warn!("resumed: tasks, webhooks and the clean-up begin");
                    state.send_replace(false);
                }
                Ok(Some(_)) => {}
                Err(error) => tracing::warn!(%error, "can't read whether the service is still quiesced"),
            }
        }
        metrics::gauge!("quiesced").set(0.0);
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = follow => {}
        () = stop => {}
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::store::{Identity as _, Quiescence, sqlite::Sqlite};

    #[tokio::test]
    async fn work_begins_when_an_operator_resumes_the_service() {
        let folder = tempfile::tempdir().unwrap();
        let sqlite = Sqlite::open(&folder.path().join("service.db")).await.unwrap();
        sqlite.detach("id", Some(&Quiescence { since: 1, reason: "a test".to_owned() })).await.unwrap();
        let store: SharedStore = Arc::new(sqlite);
        let (quiesce, watch) = Quiesce::read(&store).await.unwrap();
        let (stopper, stop) = watch::channel(false);
        assert!(quiesce.is_on());
        let stopped = quiesce.clone().until_resumed(watch::channel(true).1, async |_| ()).await;
        assert_eq!(stopped, None);
        let work = tokio::spawn(quiesce.clone().until_resumed(stop, async |_| 7));
        let watching = tokio::spawn(follow(watch, Arc::clone(&store), std::future::pending()));
        tokio::time::sleep(POLL_INTERVAL * 2).await;
        assert!(!work.is_finished());
        assert!(store.resume().await.unwrap() && !store.resume().await.unwrap());
        assert_eq!(work.await.unwrap(), Some(7));
        assert!(!quiesce.is_on());
        watching.abort();
        drop(stopper);
    }
}
