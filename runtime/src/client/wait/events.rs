//! Events that end the wait before a poll.

use std::{collections::HashSet, fmt, sync::Arc};

use tokio::sync::broadcast::{
    Receiver, Sender,
    error::{RecvError, TryRecvError},
};

use crate::client::probe;
use crate::codec::JsonReader;

/// The number of events that a task can be behind. A task that is further behind is polled.
const BACKLOG: usize = 256;

/// The maximum number of different strings and numbers of an event whose hashes are held.
const MAX_HASHES: usize = 1024;

/// The hashes of an event's strings and numbers. A collision of hashes costs a poll.
///
/// `None` if the event has too many; then every task is polled.
type Hashes = Option<Arc<HashSet<u64>>>;

/// The events of an API, for the tasks that a program waits for.
///
/// An event that has the id of a task anywhere in its body ends the wait before the next poll of this task. So the
/// state of a task always comes from the API: duplicate, late and reordered events cost a poll at most.
///
/// A receiver of webhooks passes its events on (`Receiver::wakes`). Clones share the events.
///
/// # Examples
/// ```
/// use openapi_crates_runtime::client::TaskEvents;
///
/// let tasks = TaskEvents::new();
/// // client.create_voiceover(request).wait().events(&tasks).await?;
/// tasks.notify(br#"{"task_id": "7", "status": "COMPLETED"}"#);
/// ```
#[derive(Clone)]
pub struct TaskEvents(Sender<Hashes>);

impl TaskEvents {
    /// Creates the events of an API.
    #[must_use]
    pub fn new() -> Self {
        Self(Sender::new(BACKLOG))
    }

    /// Passes on an event with this JSON body. A body that is not JSON passes on what precedes the mistake.
    ///
    /// An event with 1,024 different strings and numbers, or more, wakes all tasks.
    pub fn notify(&self, body: &[u8]) {
        if self.0.receiver_count() > 0 {
            let mut hashes = HashSet::new();
            let _ = probe::hashes(&mut JsonReader::tolerant(body), MAX_HASHES, &mut hashes);
            // An error means that nobody waits any more.
            let _ = self.0.send((hashes.len() < MAX_HASHES).then(|| Arc::new(hashes)));
        }
    }

    pub(super) fn subscribe(&self) -> Subscription {
        self.0.subscribe()
    }
}

impl Default for TaskEvents {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for TaskEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TaskEvents")
    }
}

/// The events from the time on at which a task was created.
pub(super) type Subscription = Receiver<Hashes>;

/// Waits for an event of the task with this id. Without events, it waits forever.
///
/// The poll that follows covers all events until now.
pub(super) async fn event_of(events: &mut Option<Subscription>, id: &str) {
    let id = probe::hash(id);
    while let Some(receiver) = events {
        match receiver.recv().await {
            Ok(Some(hashes)) if !hashes.contains(&id) => {}
            // Events that are lost may have been of this task.
            Ok(_) | Err(RecvError::Lagged(_)) => {
                while !matches!(receiver.try_recv(), Err(TryRecvError::Empty | TryRecvError::Closed)) {}
                return;
            }
            Err(RecvError::Closed) => *events = None,
        }
    }
    std::future::pending().await
}
