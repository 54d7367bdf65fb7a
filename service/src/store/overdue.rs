//! Counts the waits for the database that ended at a time limit.

use std::io::ErrorKind;

use super::Error;

/// The limit of a response that did not come.
pub(super) const RESPONSE: &str = "response";

/// An error that may mean that the database took too long.
pub(super) trait Overdue {
    /// Returns which limit was reached.
    fn limit(&self) -> Option<&'static str>;
}

impl Overdue for sqlx::Error {
    fn limit(&self) -> Option<&'static str> {
        match self {
            Self::PoolTimedOut => Some("connection"),
            Self::Io(error) if error.kind() == ErrorKind::TimedOut => Some(RESPONSE),
            Self::Database(error) => match error.code()?.as_ref() {
                // PostgreSQL: cancelled; SQLite: interrupted.
                "57014" | "9" => Some("statement"),
                // SQLite: another process writes.
                "5" => Some("lock"),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Overdue for Error {
    fn limit(&self) -> Option<&'static str> {
        let Self::Database(error) = self else { return None };
        error.limit()
    }
}

/// Counts a wait that ended at this limit.
pub(super) fn count(limit: &'static str) {
    metrics::counter!("database_timeouts_total", "limit" => limit).increment(1);
}

/// Counts the error if it means that the database took too long.
pub(super) fn noted<E: Overdue>(error: E) -> E {
    if let Some(limit) = error.limit() {
        count(limit);
    }
    error
}

/// Counts an error as [`noted`] does.
pub(super) fn counted<T, E: Overdue>(ended: Result<T, E>) -> Result<T, E> {
    ended.map_err(noted)
}
