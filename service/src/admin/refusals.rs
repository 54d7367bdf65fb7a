//! Refused requests of known keys, in the audit log.

use super::changes::Changes;
use super::{Admin, AdminError, done};
use crate::keys::limits::{Buckets, Rate};
use crate::store::SharedStore;

/// The rate of entries of a key: ten, and then ten an hour, so that a key can't fill the log.
const RATE: Rate = Rate { depth: 10, per_second: 10.0 / 3600.0 };

/// The maximum number of keys that are counted at the same time.
const KEYS: usize = 10_000;

/// The maximum number of characters of an entry's target.
const MAX_TARGET_CHARACTERS: usize = 200;

/// Records requests to the administration API that were refused because of their key.
pub struct Refusals {
    store: SharedStore,
    changes: Changes,
    recorded: Buckets<String>,
}

impl Refusals {
    /// Creates an empty count.
    #[must_use]
    pub fn new(store: SharedStore, changes: Changes) -> Self {
        Self { store, changes, recorded: Buckets::new(KEYS) }
    }

    /// Records a request of this key, unless there were too many. No request waits for it.
    pub fn record(&self, key_id: &str, method: &str, path: &str, why: &'static str) {
        if !self.recorded.take(key_id.to_owned(), RATE).is_allowed() {
            return;
        }
        let Some(change) = self.changes.begin() else { return };
        let admin = Admin { in_progress: Some(change), ..Admin::of(&self.store, key_id) };
        let target: String = format!("{method} {path}").chars().take(MAX_TARGET_CHARACTERS).collect();
        tokio::spawn(async move {
            let refused = async { Err::<(), _>(AdminError::Refused(why.to_owned())) };
            if let Err(AdminError::Store(error)) = admin.change("request", &target, refused, done).await {
                tracing::error!(%error, "can't record a refused request in the audit log");
            }
        });
    }
}
