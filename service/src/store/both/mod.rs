//! The operations that both databases do by the same statements.
//!
//! Each file is compiled once for each database: `super` is [`sqlite`](crate::store::sqlite) or
//! [`postgres`](crate::store::postgres). It has the types `Database`, `Connection` and `Driver`, the ways to read and to write,
//! and macros for the few words of SQL that differ. Rejected: code that is generic over sqlx's databases, because each function
//! would repeat the bounds of all its types.

#![allow(clippy::duplicate_mod, reason = "each database has statements of its own type")]

mod catalogue;
pub(super) mod events;
mod health;
mod identity;
mod keys;
pub(super) mod leases;
pub(super) mod quarantine;
mod removal;
mod spending;
pub(super) mod tasks;

use super::Driver;

/// Returns whether a statement changed exactly one row.
pub(super) fn changed(result: &<Driver as sqlx::Database>::QueryResult) -> bool {
    result.rows_affected() == 1
}
