//! Rows of both databases, and their conversion into records.

mod events;
mod keys;
mod tasks;

use std::time::Duration;

pub(super) use events::{NewEvent, event_columns, event_id, host, next, outbox};
pub(super) use keys::{KeyRow, key_columns};
pub(super) use tasks::{
    HasEnded, IdempotentRow, QueuedRow, TaskRow, ignored, listed_columns, outcome, queued_columns,
    task_columns, traceparent, usage,
};

use super::{Error, Result};
use crate::log::redact::without_values;
use crate::time::{Millis, millis};

/// Declares a struct whose fields are read from the columns of the same names, `with` a nested row, or reads a declared one.
///
/// After `=>` comes the conversion of a column into its field.
///
/// `#[derive(FromRow)]` would compile sqlx again for the build machine, with TLS.
macro_rules! row {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident { $($(#[$doc:meta])* $field_vis:vis $field:ident: $type:ty),* $(,)? }
        $(with $nested_vis:vis $nested:ident: $nested_type:ty)?
    ) => {
        $(#[$meta])*
        $vis struct $name {
            $($(#[$doc])* $field_vis $field: $type,)*
            $($nested_vis $nested: $nested_type,)?
        }

        $crate::store::row::row! { $name { $($field: $type),* } $(with $nested: $nested_type)? }
    };
    (
        $name:ident { $($field:ident: $type:ty $(=> |$column:ident| $converted:expr)?),* $(,)? }
        $(with $nested:ident: $nested_type:ty)?
    ) => {
        impl<'row, R: sqlx::Row> sqlx::FromRow<'row, R> for $name
        where
            &'static str: sqlx::ColumnIndex<R>,
            $($type: sqlx::Decode<'row, R::Database> + sqlx::Type<R::Database>,)*
            $($nested_type: sqlx::FromRow<'row, R>,)?
        {
            fn from_row(row: &'row R) -> sqlx::Result<Self> {
                Ok(Self {
                    $($field: {
                        let value: $type = row.try_get(stringify!($field))?;
                        $(let $column = value; let value = $converted;)?
                        value
                    },)*
                    $($nested: sqlx::FromRow::from_row(row)?,)?
                })
            }
        }
    };
}
pub(super) use row;

/// Returns a time of engines for its column.
pub(super) fn engine_time(time: Option<Duration>) -> Option<Millis> {
    time.map(millis)
}

/// Replaces zero bytes in text from outside, which PostgreSQL can't store.
pub(super) fn text(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// Converts a number for a signed column; too large ones become the maximum.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Converts a number that is not negative; too large ones become the default.
pub(super) fn unsigned<N, U: TryFrom<N> + Default>(number: N) -> U {
    U::try_from(number).unwrap_or_default()
}

/// Converts a time of engines from its column.
pub(super) fn duration(time: Millis) -> Duration {
    Duration::from_millis(unsigned(time))
}

/// Converts a number of rows for `LIMIT`.
pub(super) fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn json<T: serde::de::DeserializeOwned>(what: &'static str, text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| invalid(what, &error))
}

/// Returns the error of a value, whose text the message must not hold.
fn invalid(what: &'static str, error: &serde_json::Error) -> Error {
    Error::Corrupt { what, why: without_values(&error.to_string()).to_owned() }
}

fn unknown(what: &'static str, number: i16) -> Error {
    Error::Corrupt { what, why: format!("this version does not know the number {number}") }
}
