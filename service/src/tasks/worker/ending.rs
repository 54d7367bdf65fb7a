//! Commits the end of a task.
//!
//! If the store's response is lost, the commit may have happened or not. So it is repeated until the store
//! responds. A result that a client may have seen is never discarded.

use std::time::Duration;

use futures_util::future::BoxFuture;

use crate::store::{Ended, Lease, Result, SharedStore, Task};

/// The pause after an error of the store.
const PAUSE: Duration = Duration::from_secs(1);

/// The outcome of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// The task has this end.
    Ended,
    /// The lease was lost before, so the result does not count.
    Lost,
    /// The process stops before the store has responded.
    Unknown,
}

/// Ends a task; retries while the store fails, until `stopped` resolves.
pub(super) async fn commit(
    store: &SharedStore,
    lease: &Lease,
    ended: &Ended,
    stopped: impl Future<Output = ()>,
) -> Kept {
    let end = || store.end_task(lease, ended);
    let shows = || -> Answer<'_> {
        Box::pin(async { Ok(store.any_task(lease.task_id).await?.is_some_and(|task| shows(&task, ended))) })
    };
    until_known(end, shows, stopped, PAUSE).await
}

/// Returns whether the task has this end.
///
/// File names identify the attempt. Texts and failure causes are the same for all attempts.
fn shows(task: &Task, ended: &Ended) -> bool {
    task.status.is_terminal() && task.error == ended.error && task.results == ended.results
}

/// A pending response of the store.
type Answer<'a> = BoxFuture<'a, Result<bool>>;

async fn until_known<'a>(
    mut end: impl FnMut() -> Answer<'a>,
    mut shows: impl FnMut() -> Answer<'a>,
    stopped: impl Future<Output = ()>,
    pause: Duration,
) -> Kept {
    tokio::pin!(stopped);
    let mut in_doubt = false;
    loop {
        let answer = match end().await {
            // An earlier commit, whose response was lost, may have ended the task.
            Ok(false) if in_doubt => shows().await,
            answer => answer,
        };
        match answer {
            Ok(true) => return Kept::Ended,
            Ok(false) => return Kept::Lost,
            Err(error) => tracing::error!(%error, "can't end a task; retrying"),
        }
        in_doubt = true;
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = &mut stopped => return Kept::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;
    use crate::store::Error;

    fn broken() -> Result<bool> {
        Err(Error::Corrupt { what: "connection", why: "it is gone".to_owned() })
    }

    /// Returns the outcome for these responses, and how many were left over.
    async fn told(ends: Vec<Result<bool>>, shown: Vec<Result<bool>>) -> (Kept, usize, usize) {
        let (mut ends, mut shown) = (ends.into_iter(), shown.into_iter());
        let end = || -> Answer<'static> { Box::pin(ready(ends.next().unwrap())) };
        let shows = || -> Answer<'static> { Box::pin(ready(shown.next().unwrap())) };
        let kept = until_known(end, shows, pending(), Duration::ZERO).await;
        (kept, ends.len(), shown.len())
    }

    #[tokio::test]
    async fn a_lost_answer_is_no_lost_lease() {
        assert_eq!(told(vec![Ok(true)], vec![]).await, (Kept::Ended, 0, 0));
        assert_eq!(told(vec![Ok(false)], vec![]).await, (Kept::Lost, 0, 0));
        assert_eq!(told(vec![broken(), broken(), Ok(true)], vec![]).await, (Kept::Ended, 0, 0));
        assert_eq!(told(vec![broken(), Ok(false)], vec![Ok(true)]).await, (Kept::Ended, 0, 0));
        assert_eq!(told(vec![broken(), Ok(false)], vec![Ok(false)]).await, (Kept::Lost, 0, 0));
        let unsure = vec![broken(), Ok(false), broken(), Ok(false)];
        assert_eq!(told(unsure, vec![broken(), Ok(true)]).await, (Kept::Ended, 0, 0));
    }

    #[tokio::test]
    async fn a_process_that_stops_does_not_wait_for_the_store() {
        let broken = || -> Answer<'static> { Box::pin(ready(broken())) };
        let kept = until_known(broken, broken, ready(()), Duration::from_secs(60)).await;
        assert_eq!(kept, Kept::Unknown);
    }
}
