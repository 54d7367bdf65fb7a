//! Stores API keys, tasks, webhook events and the catalogue in a database.
//!
//! The database is the queue: a task is accepted when its row is committed, and claimed under a lease. One
//! transaction ends it and holds its results, its status and its webhook event. SQLite and PostgreSQL pass
//! the same conformance suite.

mod catalogue;
mod deaths;
mod due_events;
mod ends;
mod events;
mod health;
mod identity;
mod keys;
mod migrations;
mod overdue;
pub mod postgres;
mod removal;
mod row;
mod spending;
pub mod sqlite;
mod tasks;
pub mod transfer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use catalogue::{Catalogue, FoundResource, Imported, RelatedIcons};
pub use events::{
    Attempt, ClaimedEvent, Event, EventClaim, EventQuery, EventState, Events, Next, OutboxLimits,
    OutboxUsage, RecordedAttempt,
};
pub use health::{Caps, DatabaseClock, Health, HeldBack, Undelivered};
pub use identity::{Identity, IdentityMismatch, Quiescence, agree};
pub use keys::{KeyRecord, Keys, ReplacedSecret, WebhookSecret};
pub use migrations::{Schema, Versions};
pub use removal::Removal;
pub use spending::{Charge, Days, KeyUsage, Spending, Spent};
pub use tasks::{
    Claim, Claimed, Content, Counts, Created, Demand, Ended, Facts, FailureCause, Idempotency, Lease, Listed,
    NewTask, Only, Page, Payload, Piece, Quick, Release, Rest, Task, TaskQuery, TaskStatus, Tasks, Usage,
};

use crate::log::shown::without_values;
use crate::private;
use crate::time::Clock;

/// Everything that the service needs from a database.
pub trait Store:
    Keys + Tasks + Events + Catalogue + Removal + Health + Identity + Spending + Send + Sync + 'static
{
}

impl<S> Store for S where
    S: Keys + Tasks + Events + Catalogue + Removal + Health + Identity + Spending + Send + Sync + 'static
{
}

/// A store that several owners share.
pub type SharedStore = Arc<dyn Store>;

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database can't be reached, is overloaded, or rejects a statement.
    #[error("database error: {}", shown(.0))]
    Database(sqlx::Error),
    /// The database's schema can't be migrated.
    #[error("can't migrate the database schema: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// The database has contents already.
    #[error("the database is not empty; use an empty one")]
    NotEmpty,
    /// The file of the embedded database has contents already.
    #[error("{file} exists already; move it away")]
    Occupied {
        /// The file.
        file: String,
    },
    /// Other processes use the database.
    #[error("other processes of the service use the PostgreSQL database; stop them first")]
    InUse,
    /// The rows can't be copied into a database of the other kind.
    #[error("can't copy the rows: {why}")]
    Transfer {
        /// The cause.
        why: String,
    },
    /// The backup has no copy of this kind of database.
    #[error(
        "the backup has no {file}; pass --database-url to restore a backup of PostgreSQL, and omit it for one of the embedded \
             database (`migrate --to` converts afterwards)"
    )]
    NoCopy {
        /// The missing file.
        file: String,
    },
    /// A program of PostgreSQL is missing or has failed.
    #[error(
        "can't run `{program}`: {why}; it comes with PostgreSQL's client and must not be older than the server"
    )]
    Tool {
        /// The program.
        program: &'static str,
        /// The cause.
        why: String,
    },
    /// The schema was migrated by a newer program.
    #[error(
        "the database's schema has version {found}, but this program knows only versions up to {known}; use the \
             release that migrated it, or a newer one"
    )]
    NewerSchema {
        /// The version of the database.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// The schema has to be migrated first.
    #[error(
        "the database's schema has version {found}, but this program needs version {needed}; make a backup, then run \
             `asset-service migrate`, or start `serve`, which migrates"
    )]
    OlderSchema {
        /// The version of the database.
        found: i64,
        /// The version that this program needs.
        needed: i64,
    },
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
    /// A stored file can't be removed.
    #[error("can't remove a file of the catalogue: {0}")]
    Files(#[from] crate::files::FilesError),
    /// This machine's clock differs from the database's clock.
    #[error(
            "this machine's clock is at least {:.1} seconds {} the database's clock; leases depend on the clock, so this process claims no \
             work until the clock is correct (use NTP)",
        .ahead.abs() as f64 / 1000.0,
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
    /// The database URL can't be read.
    #[error(
        "invalid database URL: {why}; it looks like postgres://user:password@host:5432/name, or \
         postgres://user@/name?host=/var/run/postgresql for a socket, with special characters percent-encoded"
    )]
    DatabaseUrl {
        /// The reason; it never contains the password.
        why: String,
    },
    /// The database can't be reached, or refuses the connection.
    #[error("can't connect to PostgreSQL at {place}: {why}; {hint}")]
    Unreachable {
        /// Where the database should be.
        place: String,
        /// The cause.
        why: String,
        /// What to do.
        hint: &'static str,
        /// Whether the same happens while the database starts.
        is_starting: bool,
    },
    /// A row holds data that this version can't read or write.
    #[error("invalid {what} in the database: {why}")]
    Corrupt {
        /// The kind of data, such as `status of a task`.
        what: &'static str,
        /// The reason.
        why: String,
    },
}

/// The error has no source: its message may contain texts of users.
impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

impl Error {
    /// Returns whether the database may be starting.
    #[must_use]
    pub const fn is_starting(&self) -> bool {
        matches!(self, Self::Unreachable { is_starting: true, .. })
    }

    /// Returns whether the disk of the database is full.
    #[must_use]
    pub fn is_full(&self) -> bool {
        match self {
            Self::Shared(error) => error.is_full(),
            Self::Database(sqlx::Error::Database(error)) => error.code().is_some_and(|code| is_full(&code)),
            _ => false,
        }
    }

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
/// SQLite: busy (5), locked (6) and interrupted (9), in the low byte. Both: a full disk.
fn is_passing(code: &str) -> bool {
    if is_full(code) {
        return true;
    }
    if code.len() == 5 {
        return ["08", "40", "53", "57"].iter().any(|class| code.starts_with(class));
    }
    code.parse().is_ok_and(|code: u32| matches!(code & 0xff, 5 | 6 | 9))
}

/// Returns an error of the database without texts of users.
fn shown(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::ColumnDecode { index, .. } => {
            format!("can't decode the column {}", index.trim_matches('"'))
        }
        sqlx::Error::Database(error) => match error.code().filter(|code| holds_values(code)) {
            Some(code) => {
                format!("the database refused a value or a statement (code {code}); its log says more")
            }
            None => error.to_string(),
        },
        sqlx::Error::Decode(_) | sqlx::Error::Encode(_) | sqlx::Error::Protocol(_) => {
            without_values(&error.to_string()).to_owned()
        }
        _ => error.to_string(),
    }
}

/// Returns whether the message of an error with this code may contain a value that a statement was given.
///
/// PostgreSQL: data (22), constraints (23), limits of the program (54), raised (P0) and internal errors (XX).
/// SQLite: an error without a code of its own (1), such as that of a search.
fn holds_values(code: &str) -> bool {
    code == "1"
        || ["22", "23", "54", "P0", "XX"].iter().any(|class| code.len() == 5 && code.starts_with(class))
}

/// Returns whether a database error code means a full disk: `disk_full` of PostgreSQL, `SQLITE_FULL`.
fn is_full(code: &str) -> bool {
    matches!(code, "53100" | "13")
}

/// How long a statement may take, by default.
pub const STATEMENT: Duration = Duration::from_secs(60);

/// The result of a store method.
pub type Result<T> = std::result::Result<T, Error>;

/// Where the database is.
enum Location<'a> {
    /// SQLite in this file.
    File(PathBuf),
    /// PostgreSQL.
    Url(&'a str),
}

/// Opens the store.
///
/// With a URL, the store is PostgreSQL. Without one, it is SQLite in `service.db` of the data folder. A statement may take
/// as long as `statement` says.
///
/// # Errors
/// Fails if the URL has another scheme, if the data folder or the database can't be opened, or if its schema
/// is newer than this program's, or older and refused, or can't be migrated.
pub async fn open(
    database_url: Option<&str>,
    data_dir: &Path,
    schema: Schema,
    statement: Duration,
) -> Result<SharedStore> {
    Ok(match locate(database_url, data_dir)? {
        Location::File(file) => {
            create(&file, data_dir)?;
            Arc::new(sqlite::Sqlite::open_with(&file, schema, statement).await?)
        }
        Location::Url(url) => {
            Arc::new(postgres::Postgres::connect_with(url, Clock::System, schema, statement).await?)
        }
    })
}

/// Migrates the schema of the database; returns its versions.
///
/// # Errors
/// Fails as [`open`] does.
pub async fn migrate(database_url: Option<&str>, data_dir: &Path) -> Result<Versions> {
    match locate(database_url, data_dir)? {
        Location::File(file) => {
            create(&file, data_dir)?;
            sqlite::migrate(&file).await
        }
        Location::Url(url) => postgres::migrate(url).await,
    }
}

/// Copies the database into this folder, as of one moment; returns the name of the copy.
///
/// Other processes may use the database meanwhile. PostgreSQL is copied by `pg_dump`.
///
/// # Errors
/// Fails if the database can't be read, if the copy can't be written, or if `pg_dump` is missing or fails.
pub async fn backup(database_url: Option<&str>, data_dir: &Path, folder: &Path) -> Result<&'static str> {
    match locate(database_url, data_dir)? {
        Location::File(file) => {
            sqlite::backup(&file, &folder.join(SQLITE_COPY)).await?;
            Ok(SQLITE_COPY)
        }
        Location::Url(url) => {
            postgres::tools::dump(url, &folder.join(POSTGRES_COPY)).await?;
            Ok(POSTGRES_COPY)
        }
    }
}

/// Checks that this folder has a copy of this kind of database, and that the database is empty.
///
/// # Errors
/// Fails if not, or if the database can't be read.
pub async fn is_restorable(database_url: Option<&str>, data_dir: &Path, folder: &Path) -> Result<()> {
    let location = locate(database_url, data_dir)?;
    let copy = copy_of(&location, folder);
    if !copy.is_file() {
        return Err(Error::NoCopy { file: copy.display().to_string() });
    }
    let is_empty = match location {
        Location::File(file) => std::fs::metadata(&file).map_or_else(is_missing, |file| file.len() == 0),
        Location::Url(url) => postgres::tools::is_empty(url).await?,
    };
    if is_empty { Ok(()) } else { Err(Error::NotEmpty) }
}

/// Restores a copy that [`backup`] wrote into this folder. The database must be empty.
///
/// # Errors
/// Fails as [`is_restorable`] does, or if the database can't be written.
pub async fn restore(database_url: Option<&str>, data_dir: &Path, folder: &Path) -> Result<()> {
    is_restorable(database_url, data_dir, folder).await?;
    let location = locate(database_url, data_dir)?;
    let copy = copy_of(&location, folder);
    match location {
        Location::File(file) => {
            let why = |why| Error::File { file: file.display().to_string(), why };
            create(&file, data_dir)?;
            // The copy's permissions may be those of another machine.
            let copied = std::fs::File::open(&copy)
                .and_then(|mut from| std::io::copy(&mut from, &mut private::file(&file)?));
            copied.map(drop).map_err(why)
        }
        Location::Url(url) => postgres::tools::restore(url, &copy).await,
    }
}

fn copy_of(location: &Location<'_>, folder: &Path) -> PathBuf {
    folder.join(match location {
        Location::File(_) => SQLITE_COPY,
        Location::Url(_) => POSTGRES_COPY,
    })
}

/// The names of the copies in a backup.
pub(crate) const SQLITE_COPY: &str = "service.db";
pub(crate) const POSTGRES_COPY: &str = "database.dump";

fn locate<'a>(database_url: Option<&'a str>, data_dir: &Path) -> Result<Location<'a>> {
    let Some(url) = database_url else { return Ok(Location::File(data_dir.join("service.db"))) };
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        Ok(Location::Url(url))
    } else {
        Err(Error::Url)
    }
}

/// Creates the file of the embedded database and its folder, as far as they are missing.
fn create(file: &Path, data_dir: &Path) -> Result<()> {
    private::folder(data_dir).map_err(|why| Error::Folder { folder: data_dir.display().to_string(), why })?;
    private::file(file).map(drop).map_err(|why| Error::File { file: file.display().to_string(), why })
}

fn is_missing(error: std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::NotFound
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_is_told_from_what_does_not() {
        for code in [
            "08006", "40001", "53100", "53200", "53300", "57014", "57P01", "57P03", "5", "6", "9", "13",
            "517",
        ] {
            assert!(is_passing(code), "{code}");
        }
        for code in ["23505", "42P01", "1", "10", "2067", ""] {
            assert!(!is_passing(code), "{code}");
        }
        assert!(Error::Database(sqlx::Error::PoolTimedOut).is_temporary());
        assert!(!Error::Database(sqlx::Error::RowNotFound).is_temporary());
    }
}
