//! Copies all rows of a database into an empty one of the other kind.
//!
//! The tables and columns are read from both schemas, so that a new table needs nothing here. A column without a
//! counterpart has to be listed below. Both databases are read again at the end and compared.
//!
//! At most one of the two databases works at any time, even if the process is killed. The target is quiesced when it gets
//! its rows. Then the source is quiesced, and at last the target is resumed.

/// The operations that both databases do by the same statements.
macro_rules! both {
    ($database:ident) => {
        impl $database {
            /// Returns the sum of a table's rows.
            pub(super) async fn sum(&mut self, table: &super::Table) -> crate::store::Result<super::Sum> {
                self.rows(table).sum().await
            }

            pub(super) async fn is_quiesced(&mut self) -> crate::store::Result<bool> {
                let is_quiesced = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM quiescence)");
                Ok(is_quiesced.fetch_one(&mut self.connection).await?)
            }

            pub(super) async fn resume(&mut self) -> crate::store::Result<()> {
                sqlx::query("DELETE FROM quiescence").execute(&mut self.connection).await?;
                Ok(())
            }

            /// Quiesces the database from now on.
            pub(super) async fn quiesce(&mut self, reason: &str) -> crate::store::Result<()> {
                let quiesce = sqlx::query(
                    "INSERT INTO quiescence (one, since, reason) VALUES (TRUE, $1, $2)
                     ON CONFLICT (one) DO UPDATE SET since = excluded.since, reason = excluded.reason",
                );
                let quiesce = quiesce.bind(crate::time::Clock::System.now()).bind(reason);
                quiesce.execute(&mut self.connection).await?;
                Ok(())
            }
        }
    };
}

mod postgres;
mod scan;
mod sqlite;
mod tables;

use std::path::Path;

use sha2::{Digest as _, Sha256};

pub use scan::{Each, Row, scan, scan_copy};
pub use tables::{Column, Kind, Table, Value};

use super::{Error, Result};
use crate::crash;
use postgres::Postgres;
use sqlite::{Rows, Sqlite};

/// Columns of PostgreSQL that SQLite lacks, and their values after a copy from SQLite.
///
/// SQLite has the tokens of audio in a table of its own, one row of `stored` for each key, and no concurrent transactions.
pub const ONLY_IN_POSTGRES: [(&str, &str, &str); 3] = [
    ("audio", "tokens", "''::tsvector"),
    ("stored", "part", "0"),
    ("tasks", "changed", "pg_current_xact_id()"),
];

/// Tables of PostgreSQL that SQLite lacks: its file lies in the folder that the id names, and one process uses it.
pub const TABLES_ONLY_IN_POSTGRES: [&str; 3] = ["identity", "rates", "requests_in_progress"];

/// Why a target is quiesced until its source is.
const UNFINISHED: &str = "`migrate --to` was interrupted at its end. If the other database is quiesced too, `resume` this one; \
                          otherwise remove this one, and repeat the command";

/// The rows that are read and written together.
const BATCH: usize = 500;

/// The number of rows of a table, and the sum of their hashes in any order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    /// The number of rows.
    pub rows: u64,
    hashes: u128,
}

impl Sum {
    fn add(&mut self, row: &[Value]) {
        let mut hash = Sha256::new();
        for value in row {
            value.hash(&mut hash);
        }
        let digest = hash.finalize();
        let first = digest.iter().take(16).fold(0_u128, |sum, byte| (sum << 8) | u128::from(*byte));
        self.rows += 1;
        self.hashes = self.hashes.wrapping_add(first);
    }
}

/// The numbers of copied rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    /// The number of rows.
    pub rows: u64,
    /// Whether the target is quiesced, because the source was before.
    pub is_quiesced: bool,
}

/// The progress of a copy: the table, and its rows so far.
pub type Report<'a> = &'a (dyn Fn(&str, u64) + Sync);

/// Copies the embedded database into PostgreSQL.
///
/// The copy refers to the files with the id `files_id`. The embedded database is quiesced afterwards.
///
/// # Errors
/// Fails if a database can't be used, if the target has rows, or if the copy differs.
pub async fn to_postgres(
    file: &Path,
    url: &str,
    files_id: Option<&str>,
    report: Report<'_>,
) -> Result<Copied> {
    let (mut from, mut to) = (Sqlite::open(file).await?, Postgres::open(url).await?);
    from.is_current().await?;
    let is_quiesced = from.is_quiesced().await?;
    to.prepare().await?;
    let tables = tables::common(&from.tables().await?, &to.tables().await?)?;
    to.begin(&tables).await?;
    to.set_triggers(&tables, false).await?;
    let mut sums = Vec::with_capacity(tables.len());
    for table in &tables {
        to.is_empty(table).await?;
        sums.push(copy(from.rows(table), table, report, async |rows| to.insert(table, rows).await).await?);
    }
    to.complete(&tables, files_id).await?;
    to.set_triggers(&tables, true).await?;
    for (table, sum) in tables.iter().zip(&sums) {
        is_same(table, *sum, to.sum(table).await?)?;
    }
    if !is_quiesced {
        to.quiesce(UNFINISHED).await?;
    }
    to.commit().await?;
    crash::point("target-copied");
    from.quiesce("its rows were copied to PostgreSQL by `migrate --to`: set database-url").await?;
    from.close().await?;
    crash::point("source-quiesced");
    if !is_quiesced {
        to.resume().await?;
    }
    Ok(Copied { rows: sums.iter().map(|sum| sum.rows).sum(), is_quiesced })
}

/// Copies PostgreSQL into the embedded database in this file.
///
/// PostgreSQL is quiesced afterwards.
///
/// # Errors
/// Fails if a database can't be used, if other processes use PostgreSQL, if the target has rows, or if the copy differs.
pub async fn to_sqlite(url: &str, file: &Path, report: Report<'_>) -> Result<Copied> {
    let mut from = Postgres::open(url).await?;
    from.is_current().await?;
    from.is_alone().await?;
    let is_quiesced = from.is_quiesced().await?;
    let part = sqlite::Part::create(file).await?;
    let mut to = part.open().await?;
    let tables = tables::common(&to.tables().await?, &from.tables().await?)?;
    from.begin(&tables).await?;
    to.begin().await?;
    let mut sums = Vec::with_capacity(tables.len());
    for table in &tables {
        sums.push(copy(from.rows(table), table, report, async |rows| to.insert(table, rows).await).await?);
    }
    to.complete().await?;
    for (table, sum) in tables.iter().zip(&sums) {
        is_same(table, *sum, to.sum(table).await?)?;
    }
    if !is_quiesced {
        to.quiesce(UNFINISHED).await?;
    }
    to.close().await?;
    part.complete(file)?;
    crash::point("target-copied");
    from.quiesce("its rows were copied to the embedded database by `migrate --to`: remove database-url")
        .await?;
    from.commit().await?;
    crash::point("source-quiesced");
    if !is_quiesced {
        let mut to = Sqlite::open(file).await?;
        to.resume().await?;
        to.close().await?;
    }
    Ok(Copied { rows: sums.iter().map(|sum| sum.rows).sum(), is_quiesced })
}

/// Passes the rows of a table to `insert`; returns their sum.
async fn copy(
    mut rows: Rows<'_>,
    table: &Table,
    report: Report<'_>,
    mut insert: impl AsyncFnMut(&[Vec<Value>]) -> Result<()>,
) -> Result<Sum> {
    let mut sum = Sum::default();
    while let Some(batch) = rows.next(BATCH).await? {
        batch.iter().for_each(|row| sum.add(row));
        insert(&batch).await?;
        report(&table.name, sum.rows);
    }
    Ok(sum)
}

fn is_same(table: &Table, expected: Sum, found: Sum) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    Err(Error::Transfer(format!(
        "the copy of the table {} differs: it has {} rows instead of {}",
        table.name, found.rows, expected.rows
    )))
}
