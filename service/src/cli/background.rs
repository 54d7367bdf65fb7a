//! The loops that run in the background of `serve`.
//!
//! None of them may end before the process stops. If one does, by a bug, the process ends as a failure:
//! it would otherwise accept tasks that nobody runs, or events that nobody delivers.

use std::any::Any;
use std::future::pending;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use tokio::task::JoinSet;

use super::CommandError;

/// The loops that run in the background.
#[derive(Default)]
pub(super) struct Background(JoinSet<Ended>);

/// The end of a loop.
struct Ended {
    name: &'static str,
    panic: Option<String>,
}

impl Background {
    /// Starts a loop.
    pub(super) fn spawn(&mut self, name: &'static str, run: impl Future<Output = ()> + Send + 'static) {
        self.0.spawn(async move {
            let ended = AssertUnwindSafe(run).catch_unwind().await;
            Ended { name, panic: ended.err().map(|panic| message(&*panic)) }
        });
    }

    /// Returns which loop has ended, once one has.
    pub(super) async fn failed(&mut self) -> CommandError {
        match self.0.join_next().await {
            Some(Ok(Ended { name, panic })) => {
                let why = panic.unwrap_or_else(|| "it returned".to_owned());
                tracing::error!(name, why, "a background loop has ended; the process stops");
                CommandError::Background { name, why }
            }
            // No loop runs, or one was aborted, which nobody does.
            Some(Err(_)) | None => pending().await,
        }
    }

    /// Waits until all loops have ended.
    pub(super) async fn finish(&mut self) {
        while self.0.join_next().await.is_some() {}
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref().copied());
    format!("it panicked: {}", text.unwrap_or("without a message"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn a_loop_that_ends_is_named() {
        let mut background = Background::default();
        assert!(timeout(Duration::from_millis(10), background.failed()).await.is_err(), "nothing runs");
        background.spawn("steady", pending());
        assert!(timeout(Duration::from_millis(10), background.failed()).await.is_err());
        background.spawn("brief", async {});
        assert!(background.failed().await.to_string().contains("brief"));
        background.spawn("broken", async { panic!("a bug of {}", 1) });
        let failed = background.failed().await.to_string();
        assert!(failed.contains("broken") && failed.contains("a bug of 1"), "{failed}");
    }
}
