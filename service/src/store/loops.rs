//! The background loops of a store, and the notification that one of them has ended.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Starts the loops of a store, and notes when one of them ends. Clones share the state.
#[derive(Debug, Clone)]
pub(super) struct Loops(watch::Sender<Option<&'static str>>);

impl Default for Loops {
    fn default() -> Self {
        Self(watch::Sender::new(None))
    }
}

impl Loops {
    /// Starts a loop.
    pub(super) fn spawn(
        &self,
        name: &'static str,
        run: impl Future<Output = ()> + Send + 'static,
    ) -> JoinHandle<()> {
        let ended = self.0.clone();
        tokio::spawn(async move {
            // A loop that panics has ended, too.
            let _ = AssertUnwindSafe(run).catch_unwind().await;
            ended.send_replace(Some(name));
        })
    }

    /// Returns the name of a loop that has ended, once one has.
    pub(super) async fn first_ended(&self) -> &'static str {
        let mut loops = self.0.subscribe();
        let one = loops.wait_for(Option::is_some).await.map(|one| *one);
        one.ok().flatten().unwrap_or_default()
    }
}
