//! The commit that ends a task. Its answer can get lost, and then nobody knows whether it has happened; so it is tried again
//! until the store tells. What a client may see by then is never thrown away.

use std::time::Duration;

use futures_util::future::BoxFuture;

use crate::store::{Ended, Lease, Result, SharedStore, Task};

/// How long the store is left alone after an error.
const PAUSE: Duration = Duration::from_secs(1);

/// What became of the end of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// It is the task's end.
    Ended,
    /// The lease was lost before: it counts for nothing.
    Lost,
    /// The process stops, and the store has not answered.
    Unknown,
}

/// Ends a task, however long the store is out of order; until `stopped`.
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

/// Whether the task has come to this end. The names of files tell the attempt; texts and reasons are the same for all.
fn shows(task: &Task, ended: &Ended) -> bool {
    task.status.is_terminal()
        && match &ended.outcome {
            Ok(pieces) => task.error.is_none() && task.results == *pieces,
            Err(cause) => task.error.as_ref() == Some(cause),
        }
}

/// What a store answers, in its time.
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
            // A commit before this one may have ended it.
            Ok(false) if in_doubt => shows().await,
            answer => answer,
        };
        match answer {
            Ok(true) => return Kept::Ended,
            Ok(false) => return Kept::Lost,
            Err(error) => tracing::error!(%error, "a task can't be ended; it is tried again"),
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

    /// What becomes of these answers, and how many of each kind were left over.
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
