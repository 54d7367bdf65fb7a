//! Stores API keys, tasks, webhook events and the catalogue in a database.
//!
//! The database is the queue: a task is accepted when its row is committed, and claimed under a lease. One
//! transaction ends it and holds its results, its status and its webhook event. SQLite and PostgreSQL pass
//! the same conformance suite.

mod catalogue;
mod events;
mod health;
mod identity;
mod keys;
mod migrations;
pub mod postgres;
mod row;
pub mod sqlite;
mod tasks;

use std::path::Path;
use std::sync::Arc;

pub use catalogue::{Catalogue, FoundResource, Imported, RelatedIcons};
pub use events::{
    Attempt, ClaimedEvent, Event, EventClaim, EventQuery, EventState, Events, Next, RecordedAttempt,
};
pub use health::{Health, Undelivered};
pub use identity::{Identity, IdentityMismatch, agree};
pub use keys::{KeyRecord, Keys, WebhookSecret};
pub use tasks::{
    Claim, Claimed, Created, Ended, FailureCause, Idempotency, Lease, Listed, NewTask, Page, Payload, Piece,
    Task, TaskQuery, TaskStatus, Tasks,
};

use crate::private;

/// Everything that the service needs from a database.
pub trait Store: Keys + Tasks + Events + Catalogue + Health + Identity + Send + Sync + 'static {}

impl<S: Keys + Tasks + Events + Catalogue + Health + Identity + Send + Sync + 'static> Store for S {}

/// A store that several owners share.
pub type SharedStore = Arc<dyn Store>;

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database can't be reached, is overloaded, or rejects a statement.
    #[error("database error: {0}")]
    Database(#[from] sqlx::Error),
    /// The database's schema can't be migrated.
    #[error("can't migrate the database schema: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// The transaction that several writes shared has failed.
    ///
    /// If its commit failed, it is not certain whether the writes were kept.
    #[error("{0}")]
    Shared(Arc<Self>),
    /// The database did not respond within the time limit.
    ///
    /// It is not certain whether the write was kept.
    #[error("the database does not respond")]
    Unanswered,
    /// The store's writer has stopped because the process is ending.
    #[error("the store is closed")]
    Closed,
    /// The data folder can't be created.
    #[error("can't create the folder {folder}: {why}; choose a folder that this user can write to")]
    Folder {
        /// The folder.
        folder: String,
        /// The cause.
        why: std::io::Error,
    },
    /// The database file can't be created or opened.
    #[error("can't create or open the database file {file}: {why}")]
    File {
        /// The file.
        file: String,
        /// The cause.
        why: std::io::Error,
    },
    /// This machine's clock differs from the database's clock.
    #[error(
            "this machine's clock is at least {} seconds {} the database's clock; leases depend on the clock, so this process claims no \
             work until the clock is correct (use NTP)",
        .ahead.abs() / 1000,
        if *.ahead < 0 { "behind" } else { "ahead of" }
    )]
    Clock {
        /// How far the clock is ahead, in milliseconds; negative if it is behind.
        ahead: crate::time::Millis,
    },
    /// The database URL has a scheme that no store supports.
    #[error(
        "the database URL must begin with `postgres://` or `postgresql://`; leave it unset to use SQLite"
    )]
    Url,
    /// A row holds data that this version can't read or write.
    #[error("invalid {what} in the database: {why}")]
    Corrupt {
        /// The kind of data, such as `status of a task`.
        what: &'static str,
        /// The reason.
        why: String,
    },
}

impl Error {
    /// Returns whether the error may pass without a change of data or settings.
    ///
    /// The database is restarting, unreachable or overloaded. The failed write may have been kept
    /// nevertheless.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Closed | Self::Unanswered => true,
            Self::Shared(error) => error.is_temporary(),
            Self::Database(error) => match error {
                sqlx::Error::Io(_)
                | sqlx::Error::Tls(_)
                | sqlx::Error::PoolTimedOut
                | sqlx::Error::PoolClosed
                | sqlx::Error::WorkerCrashed => true,
                sqlx::Error::Database(error) => error.code().is_some_and(|code| is_passing(&code)),
                _ => false,
            },
            _ => false,
        }
    }
}

/// Returns whether a database error code means a temporary error.
///
/// PostgreSQL: connections (08), rollbacks (40), resources (53), operator intervention, a restart or a timeout (57).
/// SQLite: busy (5) and locked (6), in the low byte.
fn is_passing(code: &str) -> bool {
    if code.len() == 5 {
        return ["08", "40", "53", "57"].iter().any(|class| code.starts_with(class));
    }
    code.parse().is_ok_and(|code: u32| matches!(code & 0xff, 5 | 6))
}

/// The result of a store method.
pub type Result<T> = std::result::Result<T, Error>;

/// Opens the store and migrates its schema.
///
/// With a URL, the store is PostgreSQL. Without one, it is SQLite in `service.db` of the data folder.
///
/// # Errors
/// Fails if the URL has another scheme, if the data folder or the database can't be opened, or if its schema
/// can't be migrated.
pub async fn open(database_url: Option<&str>, data_dir: &Path) -> Result<SharedStore> {
    let Some(url) = database_url else {
        let folder = || data_dir.display().to_string();
        private::folder(data_dir).map_err(|why| Error::Folder { folder: folder(), why })?;
        let file = data_dir.join("service.db");
        private::file(&file).map_err(|why| Error::File { file: file.display().to_string(), why })?;
        return Ok(Arc::new(sqlite::Sqlite::open(&file).await?));
    };
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        Ok(Arc::new(postgres::Postgres::connect(url).await?))
    } else {
        Err(Error::Url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_is_told_from_what_does_not() {
        for code in ["08006", "40001", "53300", "57014", "57P01", "57P03", "5", "6", "517"] {
            assert!(is_passing(code), "{code}");
        }
        for code in ["23505", "42P01", "1", "13", "2067", ""] {
            assert!(!is_passing(code), "{code}");
        }
        assert!(Error::Database(sqlx::Error::PoolTimedOut).is_temporary());
        assert!(!Error::Database(sqlx::Error::RowNotFound).is_temporary());
    }
}
