//! Wakes the loops that wait for tasks, for events and for notifications of providers.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;
use uuid::Uuid;

/// The wake-ups for each kind of loop. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Wakes {
    pub(super) tasks: Wake,
    pub(super) events: Wake,
    /// Notifications of providers, whose attempts may wait in another process.
    pub(super) notices: Wake,
}

/// The maximum number of notifications that wait to be forwarded. A poll of the job replaces further ones.
const MAX_WAITING: usize = 64;

/// A wake-up for one kind of loop, which may carry notifications of providers.
#[derive(Debug, Clone, Default)]
pub(super) struct Wake {
    /// Wakes the loop of this process.
    pub(super) here: Arc<Notify>,
    /// Triggers a notification to the other processes of a shared database.
    pub(super) elsewhere: Arc<Notify>,
    /// The notifications from other processes.
    arrived: Arc<Mutex<Vec<Uuid>>>,
    /// Those for other processes.
    leaving: Arc<Mutex<Vec<Uuid>>>,
}

impl Wake {
    /// Wakes the loops of all processes.
    pub(super) fn all(&self) {
        self.here.notify_one();
        self.elsewhere.notify_one();
    }

    /// Forwards a notification to the other processes of a shared database.
    pub(super) fn forward(&self, key: Uuid) {
        let mut leaving = self.leaving.lock();
        if leaving.len() < MAX_WAITING {
            leaving.push(key);
            self.elsewhere.notify_one();
        }
    }

    /// Takes the notifications for other processes.
    pub(super) fn leaving(&self) -> Vec<Uuid> {
        std::mem::take(&mut self.leaving.lock())
    }

    /// Takes a wake-up from another process. Only `serve` reads its notifications, so their number is bounded.
    pub(super) fn arrive(&self, keys: impl Iterator<Item = Uuid>) {
        let mut arrived = self.arrived.lock();
        let room = MAX_WAITING.saturating_sub(arrived.len());
        arrived.extend(keys.take(room));
        self.here.notify_one();
    }

    /// Waits for notifications that other processes have forwarded.
    pub(super) async fn forwarded(&self) -> Vec<Uuid> {
        self.here.notified().await;
        std::mem::take(&mut self.arrived.lock())
    }
}
