//! The errors of the store.

use std::sync::Arc;

use crate::log::redact::without_values;

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
    #[error("{0} exists already; move it away")]
    Occupied(String),
    /// Other processes use the database.
    #[error("other processes of the service use the PostgreSQL database; stop them first")]
    InUse,
    /// The rows can't be copied into a database of the other kind.
    #[error("can't copy the rows: {0}")]
    Transfer(String),
    /// The backup has no copy of this kind of database: this file is missing.
    #[error(
        "the backup has no {0}; pass --database-url to restore a backup of PostgreSQL, and omit it for one of the embedded \
             database (`migrate --to` converts afterwards)"
    )]
    NoCopy(String),
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
    /// The schema was migrated by a newer release, or made by a build before the first release.
    #[error(
        "the database has a schema that this version doesn't know (migration {found}); a database from before the first release \
         can't be used, and for any other one use the release that migrated it, or a newer one"
    )]
    UnknownSchema {
        /// The unknown migration of the database.
        found: i64,
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
    /// If its commit failed, it is not certain whether the writes were stored.
    #[error("{0}")]
    Shared(Arc<Self>),
    /// The database did not respond within the time limit.
    ///
    /// It is not certain whether the write was stored.
    #[error("the database does not respond")]
    NoResponse,
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
    /// A file of the catalogue can't be removed.
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
    /// The database URL can't be read. The reason never contains the password.
    #[error(
        "invalid database URL: {0}; it looks like postgres://user:password@host:5432/name, or \
         postgres://user@/name?host=/var/run/postgresql for a socket, with special characters percent-encoded"
    )]
    DatabaseUrl(String),
    /// The database can't be reached, or refuses the connection.
    #[error("can't connect to PostgreSQL at {address}: {why}; {hint}")]
    Unreachable {
        /// The address from the settings.
        address: String,
        /// The cause.
        why: String,
        /// The remedy.
        hint: &'static str,
        /// Whether the same happens while the database starts.
        is_starting: bool,
    },
    /// A pooler shares the sessions of the database between clients.
    #[error(
        "a pooler such as PgBouncer is in front of the database and shares its sessions between clients; set `pool_mode = session`, \
         because the service prepares statements, sets limits of its sessions and listens for notifications"
    )]
    SharedSessions,
    /// A row holds data that this version can't read or write.
    #[error("invalid {what} in the database: {why}")]
    Corrupt {
        /// The kind of data, such as `status of a task`.
        what: &'static str,
        /// The reason.
        why: String,
    },
}

/// Converts an error of sqlx, and returns an error of a row's conversion unchanged.
///
/// The result has no source, because the message of the source may contain user text.
impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::Decode(error) => error
                .downcast()
                .map_or_else(|error| Self::Database(sqlx::Error::Decode(error)), |error| *error),
            error => Self::Database(error),
        }
    }
}

/// Passes an error of a row's conversion through sqlx.
impl From<Error> for sqlx::Error {
    fn from(error: Error) -> Self {
        Self::Decode(Box::new(error))
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
    /// The database is restarting, unreachable or overloaded. The failed write may have been stored
    /// nevertheless.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Closed | Self::NoResponse => true,
            Self::Shared(error) => error.is_temporary(),
            Self::Database(error) => match error {
                sqlx::Error::Io(_)
                | sqlx::Error::Tls(_)
                | sqlx::Error::PoolTimedOut
                | sqlx::Error::PoolClosed
                | sqlx::Error::WorkerCrashed => true,
                sqlx::Error::Database(error) => error.code().is_some_and(|code| is_temporary_code(&code)),
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
fn is_temporary_code(code: &str) -> bool {
    if is_full(code) {
        return true;
    }
    if code.len() == 5 {
        // 25006: a standby, before its connections are replaced.
        return code == "25006" || ["08", "40", "53", "57"].iter().any(|class| code.starts_with(class));
    }
    code.parse().is_ok_and(|code: u32| matches!(code & 0xff, 5 | 6 | 9))
}

/// Returns an error of the database without user text.
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
/// SQLite: an error without a code of its own (1), such as a search's.
fn holds_values(code: &str) -> bool {
    code == "1"
        || ["22", "23", "54", "P0", "XX"].iter().any(|class| code.len() == 5 && code.starts_with(class))
}

/// Returns whether a database error code means a full disk: `disk_full` of PostgreSQL, `SQLITE_FULL`.
fn is_full(code: &str) -> bool {
    matches!(code, "53100" | "13")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_errors_are_distinguished_from_permanent_ones() {
        for code in [
            "08006", "40001", "53100", "53200", "53300", "57014", "57P01", "57P03", "25006", "5", "6", "9",
            "13", "517",
        ] {
            assert!(is_temporary_code(code), "{code}");
        }
        for code in ["23505", "42P01", "1", "10", "2067", ""] {
            assert!(!is_temporary_code(code), "{code}");
        }
        assert!(Error::Database(sqlx::Error::PoolTimedOut).is_temporary());
        assert!(!Error::Database(sqlx::Error::RowNotFound).is_temporary());
    }

    #[test]
    fn an_error_of_a_conversion_passes_through_sqlx_unchanged() {
        let corrupt = Error::Corrupt { what: "status of a task", why: "it is unknown".to_owned() };
        let text = corrupt.to_string();
        let passed = Error::from(sqlx::Error::from(corrupt));
        assert!(matches!(passed, Error::Corrupt { .. }) && passed.to_string() == text, "{passed}");
        let other = Error::from(sqlx::Error::Decode("of another kind".into()));
        assert!(matches!(other, Error::Database(sqlx::Error::Decode(_))), "{other}");
    }
}
