//! Notifications of providers about their jobs.
//!
//! A notification only ends the wait before the next poll of the job. Its content is never read. So a
//! forged or repeated one only causes a poll, and the next poll replaces a lost one.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;
use uuid::Uuid;

/// The path below which providers send notifications; the key of the call follows.
pub const PATH: &str = "/notifications/";

/// The jobs that this process waits for. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct Notifications(Arc<Mutex<HashMap<Uuid, Arc<Notify>>>>);

/// The wait for a notification; it ends when this is dropped.
#[derive(Debug)]
pub struct Expected {
    notifications: Notifications,
    key: Uuid,
    arrived: Arc<Notify>,
}

impl Notifications {
    /// Waits from now on for notifications about the job of the call with this key.
    #[must_use]
    pub fn expect(&self, key: Uuid) -> Expected {
        let arrived = Arc::new(Notify::new());
        self.0.lock().insert(key, Arc::clone(&arrived));
        Expected { notifications: self.clone(), key, arrived }
    }

    /// Wakes the attempt of this process that waits for this job; returns `false` if there is none.
    pub fn arrived(&self, key: Uuid) -> bool {
        self.0.lock().get(&key).map(|arrived| arrived.notify_one()).is_some()
    }
}

impl Expected {
    /// Resolves when a notification has arrived since the last call.
    pub async fn arrived(&self) {
        self.arrived.notified().await;
    }
}

impl Drop for Expected {
    fn drop(&mut self) {
        let mut waiting = self.notifications.0.lock();
        // A later attempt at the same job may wait already.
        if waiting.get(&self.key).is_some_and(|arrived| Arc::ptr_eq(arrived, &self.arrived)) {
            waiting.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_the_job_of_the_key_is_woken_and_nothing_is_left() {
        let (notifications, key) = (Notifications::default(), Uuid::now_v7());
        assert!(!notifications.arrived(key));
        let expected = notifications.expect(key);
        let wait = async || timeout(Duration::from_millis(50), expected.arrived()).await.is_ok();
        assert!(!wait().await, "a notification before the wait does not end it: the first poll follows");
        assert!(!notifications.arrived(Uuid::now_v7()));
        assert!(!wait().await);
        // However many arrive, they end one wait.
        assert!((0..5).all(|_| notifications.arrived(key)));
        assert!(wait().await && !wait().await);
        let again = notifications.expect(key);
        drop(expected);
        assert!(notifications.arrived(key));
        assert!(timeout(Duration::from_millis(50), again.arrived()).await.is_ok());
        drop(again);
        assert!(notifications.0.lock().is_empty());
    }
}
