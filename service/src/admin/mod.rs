//! The administration: what operators see and change, for the command line and for the administration API.
//!
//! The command line and the administration API call the same functions. The shapes are those of the API's document, so that
//! `--json` of the command line prints what the API responds. A change is recorded in the audit log, with who made it and how it
//! ended.

pub mod changes;
pub mod engines;
pub mod keys;
pub mod queues;
pub mod refusals;
mod sample;
pub mod tasks;
pub mod webhooks;

use std::future::{Future, pending};
use std::time::Instant;

use asset_admin_server::models::common as models;

use self::changes::ChangeInProgress;
use crate::domain::{Page, TaskStatus};
use crate::files::{Files, FilesError};
use crate::store::{self, SharedStore};
use crate::time::{Clock, Millis, timestamp};

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// It does not exist; the text names it.
    #[error("{0}")]
    Missing(String),
    /// It can't be done now, or with these values; the text has the reason.
    #[error("{0}")]
    Refused(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// The file store failed.
    #[error(transparent)]
    Files(#[from] FilesError),
}

/// The result of an operation of the administration.
pub type Result<T> = std::result::Result<T, AdminError>;

/// The administration of a service, for one operator.
#[derive(Clone)]
pub struct Admin {
    /// The store.
    pub store: SharedStore,
    /// Who makes changes: the id of a key, or [`COMMAND_LINE`].
    pub who: String,
    /// The change in progress, if the process serves.
    pub in_progress: Option<ChangeInProgress>,
    /// The time after which no further part of a change begins, because nobody waits for the result any more.
    pub until: Option<Instant>,
}

/// Who makes changes at the command line, which needs no key: it has the database.
pub const COMMAND_LINE: &str = "command line";

impl Admin {
    /// Returns the administration for the command line.
    #[must_use]
    pub fn at_command_line(store: &SharedStore) -> Self {
        Self::of(store, COMMAND_LINE)
    }

    /// Returns the administration for this key, or for [`COMMAND_LINE`].
    #[must_use]
    pub fn of(store: &SharedStore, who: &str) -> Self {
        Self { store: SharedStore::clone(store), who: who.to_owned(), in_progress: None, until: None }
    }

    /// Makes a change and records it.
    ///
    /// The beginning is recorded before the change, so that no change is without a record. The `result` of a change that was made
    /// is recorded after it. If that fails, the record stays `begun`: the caller still gets the result, so that it does not repeat
    /// the change.
    ///
    /// # Errors
    /// Fails if the change fails, or if its beginning can't be recorded.
    pub(crate) async fn change<T>(
        &self,
        action: &str,
        target: &str,
        change: impl Future<Output = Result<T>> + Send,
        result: impl FnOnce(&T) -> String + Send,
    ) -> Result<T> {
        let number = self.store.begin_change(now(), &self.who, action, target).await?;
        let changed = change.await;
        let result = match &changed {
            Ok(done) => result(done),
            Err(error) => error.to_string(),
        };
        if let Err(error) = self.store.end_change(number, &result).await {
            tracing::error!(number, action, %error, "can't record the result of a change in the audit log");
        }
        changed
    }

    /// Fails if no further part of a change should begin: the process stops, or the time of the request is over.
    fn continues(&self) -> Result<()> {
        if self.in_progress.as_ref().is_some_and(ChangeInProgress::is_stopping) {
            return Err(stopping());
        }
        if self.until.is_some_and(|until| Instant::now() >= until) {
            return Err(AdminError::Refused("the request took too long; repeat it for this task".to_owned()));
        }
        Ok(())
    }

    /// Resolves with an error when the process stops.
    async fn stopped(&self) -> AdminError {
        match &self.in_progress {
            Some(change) => change.stopped().await,
            None => pending().await,
        }
        stopping()
    }

    /// Returns what the service stores.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub async fn storage(&self, files: &Files) -> Result<models::Storage> {
        let stored = self.store.stored().await?;
        let tasks =
            |status: TaskStatus| count(stored.tasks.get(status as usize).copied().unwrap_or_default());
        let mut storage = models::Storage::new(models::StorageFields {
            files: files.location(),
            created: tasks(TaskStatus::Created),
            in_progress: tasks(TaskStatus::InProgress),
            completed: tasks(TaskStatus::Completed),
            failed: tasks(TaskStatus::Failed),
            stored_bytes: count(stored.bytes),
            retained_bytes: count(stored.retained_bytes),
            pending_events: count(self.store.undelivered().await?.count),
        });
        storage.free_bytes = files.free_space().map(count);
        Ok(storage)
    }

    /// Returns a page of the audit log, newest first.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub async fn audit(&self, page: Page) -> Result<Vec<models::AuditEntry>> {
        let entries = self.store.audit(page).await?.into_iter().map(|entry| {
            let result = entry.result.unwrap_or_else(|| "begun".to_owned());
            models::AuditEntry::new(timestamp(entry.at), entry.who, entry.action, entry.target, result)
        });
        Ok(entries.collect())
    }
}

fn stopping() -> AdminError {
    AdminError::Refused("the service is stopping; repeat the request".to_owned())
}

/// Returns the text that the audit log has for a change that was made.
pub(crate) fn done<T>(_: &T) -> String {
    "done".to_owned()
}

/// Converts a count to the API's integer type; too large ones become the maximum.
fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn now() -> Millis {
    Clock::System.now()
}
