//! The operations that both databases do by the same statements.
//!
//! Each file is compiled once for each database: `super` is [`sqlite`](crate::store::sqlite) or
//! [`postgres`](crate::store::postgres). It has the types `Database`, `Connection` and `Driver`, the ways to read and to write,
//! and macros for the few words of SQL that differ. Rejected: code that is generic over sqlx's databases, because each function
//! would repeat the bounds of all its types.

#![allow(clippy::duplicate_mod, reason = "each database has statements of its own type")]

mod administration;
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

use sqlx::Execute as _;
use sqlx::query::Query;

use super::{Database, Driver};
use crate::store::{Result, Store};

impl Store for Database {}

/// A statement with its parameters.
pub(super) type Statement = Query<'static, Driver, <Driver as sqlx::Database>::Arguments>;

/// Returns whether a statement changed exactly one row.
pub(super) fn changed(result: &<Driver as sqlx::Database>::QueryResult) -> bool {
    result.rows_affected() == 1
}

impl Database {
    /// Writes by one statement; returns the number of changed rows.
    ///
    /// A write may be repeated, so each run has a copy of the parameters.
    async fn execute(&self, mut statement: Statement) -> Result<u64> {
        let parameters = statement.take_arguments().map_err(sqlx::Error::Encode)?.unwrap_or_default();
        self.write((statement.sql(), parameters), |db, (sql, parameters)| {
            Box::pin(async move {
                let statement = sqlx::query_with(sql.clone(), parameters.clone());
                Ok(statement.execute(db).await?.rows_affected())
            })
        })
        .await
    }

    /// Writes by one statement; returns whether it changed exactly one row.
    async fn change(&self, statement: Statement) -> Result<bool> {
        Ok(self.execute(statement).await? == 1)
    }
}
