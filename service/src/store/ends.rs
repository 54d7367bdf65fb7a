//! The background loops of a store, and the notification that one of them has ended.

use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Starts the loops of a store. Clones share the news.
#[derive(Debug, Clone)]
pub(super) struct Ends(watch::Sender<Option<&'static str>>);

impl Default for Ends {
    fn default() -> Self {
        Self(watch::Sender::new(None))
    }
}

/// Announces the end of a loop, whether it returns or panics.
struct Announced {
    name: &'static str,
    ends: Ends,
}

impl Drop for Announced {
    fn drop(&mut self) {
        self.ends.0.send_replace(Some(self.name));
    }
}

impl Ends {
    /// Starts a loop.
    pub(super) fn spawn(
        &self,
        name: &'static str,
        run: impl Future<Output = ()> + Send + 'static,
    ) -> JoinHandle<()> {
        let announced = Announced { name, ends: self.clone() };
        tokio::spawn(async move {
            let _announced = announced;
            run.await;
        })
    }

    /// Returns the name of a loop that has ended, once one has.
    pub(super) async fn one(&self) -> &'static str {
        let mut ends = self.0.subscribe();
        let one = ends.wait_for(Option::is_some).await.map(|one| *one);
        one.ok().flatten().unwrap_or_default()
    }
}
