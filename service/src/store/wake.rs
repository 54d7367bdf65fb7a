//! Wakes the loops that wait for tasks and for events.

use std::sync::Arc;

use tokio::sync::Notify;

/// The wake-ups for both kinds of loops. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Wakes {
    pub(super) tasks: Wake,
    pub(super) events: Wake,
}

/// A wake-up for one kind of loop.
#[derive(Debug, Clone, Default)]
pub(super) struct Wake {
    /// Wakes the loop of this process.
    pub(super) here: Arc<Notify>,
    /// Triggers a notification to the other processes of a shared database.
    pub(super) elsewhere: Arc<Notify>,
}

impl Wake {
    /// Wakes the loops of all processes.
    pub(super) fn all(&self) {
        self.here.notify_one();
        self.elsewhere.notify_one();
    }
}
