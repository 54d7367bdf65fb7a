//! Where keys, tasks, webhook events and the catalogue are kept: one trait, and a database behind it.
//!
//! The database is the queue: a task is accepted by the commit of its row, claimed under a lease, and ended by one
//! transaction that holds its results, its status and its webhook event. SQLite and PostgreSQL pass the same
//! conformance suite.

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
pub use identity::{Identity, Stranger, agree};
pub use keys::{KeyRecord, Keys, WebhookSecret};
pub use tasks::{
    Claim, Claimed, Created, Ended, FailureCause, Idempotency, Lease, Listed, NewTask, Page, Payload, Piece,
    Task, TaskQuery, TaskStatus, Tasks,
};

use crate::private;

/// All that the service keeps.
pub trait Store: Keys + Tasks + Events + Catalogue + Health + Identity + Send + Sync + 'static {}

impl<S: Keys + Tasks + Events + Catalogue + Health + Identity + Send + Sync + 'static> Store for S {}

/// A store that is shared.
pub type SharedStore = Arc<dyn Store>;

/// What goes wrong in a store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database can't be reached, is too busy, or refuses.
    #[error("the database failed: {0}")]
    Database(#[from] sqlx::Error),
    /// The database's schema can't be brought up to date.
    #[error("the database's schema can't be brought up to date: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// The transaction that several writes have shared failed, at its commit perhaps: whether they are kept is not certain.
    #[error("{0}")]
    Shared(Arc<Self>),
    /// The database has not answered for so long that it was given up: whether it was written is not certain.
    #[error("the database does not answer")]
    Unanswered,
    /// The store's writing end has stopped: the process is ending.
    #[error("the store is closed")]
    Closed,
    /// The data folder can't be made.
    #[error("the folder {folder} can't be made: {why}; name another one that this user may write to")]
    Folder {
        /// Which.
        folder: String,
        /// Why.
        why: std::io::Error,
    },
    /// The database's file can't be made or opened.
    #[error("the database {file} can't be made or opened: {why}")]
    File {
        /// Which.
        file: String,
        /// Why.
        why: std::io::Error,
    },
    /// This machine's clock is not the database's.
    #[error(
        "this machine's clock is at least {} seconds {} the database's: leases go by the clock, so no work is taken until it is set \
         right (NTP does)",
        .ahead.abs() / 1000,
        if *.ahead < 0 { "behind" } else { "ahead of" }
    )]
    Clock {
        /// By how many milliseconds; negative: it is behind.
        ahead: crate::time::Millis,
    },
    /// A URL of a database that this is no store for.
    #[error(
        "the database URL does not begin with `postgres://` or `postgresql://`; without one, SQLite is used"
    )]
    Url,
    /// A row holds what this version can't read.
    #[error("the {what} in the database can't be read: {why}")]
    Corrupt {
        /// Which column of what.
        what: &'static str,
        /// What is wrong with it.
        why: String,
    },
}

impl Error {
    /// Whether it passes: the database is being restarted, can't be reached, or has too much to do. What was written may
    /// have been kept all the same.
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

/// Whether a database's code tells of something that passes. PostgreSQL: connections (08), rollbacks (40), resources (53),
/// an operator or a restart (57P). SQLite: busy (5) and locked (6), in the last byte.
fn is_passing(code: &str) -> bool {
    if code.len() == 5 {
        return ["08", "40", "53", "57P"].iter().any(|class| code.starts_with(class));
    }
    code.parse().is_ok_and(|code: u32| matches!(code & 0xff, 5 | 6))
}

/// What a store's methods return.
pub type Result<T> = std::result::Result<T, Error>;

/// Opens the store: PostgreSQL where a URL is given, else SQLite in `service.db` of the data folder. The schema is brought
/// up to date.
///
/// # Errors
/// The database can't be reached or opened, or its schema can't be brought up to date.
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
        for code in ["08006", "40001", "53300", "57P01", "57P03", "5", "6", "517"] {
            assert!(is_passing(code), "{code}");
        }
        for code in ["23505", "42P01", "57014", "1", "13", "2067", ""] {
            assert!(!is_passing(code), "{code}");
        }
        assert!(Error::Database(sqlx::Error::PoolTimedOut).is_temporary());
        assert!(!Error::Database(sqlx::Error::RowNotFound).is_temporary());
    }
}
