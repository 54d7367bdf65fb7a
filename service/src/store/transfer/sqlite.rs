//! SQLite as source and as target of a copy.

use std::path::{Path, PathBuf};

use futures_util::stream::BoxStream;
use futures_util::{StreamExt as _, TryStreamExt as _};
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, Row as _, TypeInfo as _,
    ValueRef as _,
};

use super::{Column, Kind, Sum, Table, Value};
use crate::private;
use crate::store::catalogue::tokens_of;
use crate::store::sqlite::{MIGRATIONS, options, prepare};
use crate::store::{Error, Result, Schema};

/// A SQLite database.
pub(super) struct Sqlite {
    connection: SqliteConnection,
    /// The statements that create the triggers, which must not count the copied rows again.
    triggers: Vec<String>,
}

both! { Sqlite }

/// The rows of a table.
pub(super) struct Rows<'a>(BoxStream<'a, sqlx::Result<Vec<Value>>>);

impl<'a> Rows<'a> {
    pub(super) fn new(rows: BoxStream<'a, sqlx::Result<Vec<Value>>>) -> Self {
        Self(rows)
    }

    /// Returns the next rows, at most `limit`; `None` after the last one.
    pub(super) async fn next(&mut self, limit: usize) -> Result<Option<Vec<Vec<Value>>>> {
        let rows: Vec<_> = self.0.by_ref().take(limit).try_collect().await?;
        Ok((!rows.is_empty()).then_some(rows))
    }

    /// Returns the sum of the rows.
    pub(super) async fn sum(mut self) -> Result<Sum> {
        let mut sum = Sum::default();
        while let Some(row) = self.0.try_next().await? {
            sum.add(&row);
        }
        Ok(sum)
    }
}

impl Sqlite {
    pub(super) async fn open(file: &Path) -> Result<Self> {
        let connection = options(file).create_if_missing(false).connect().await?;
        Ok(Self { connection, triggers: Vec::new() })
    }

    /// Opens a file that no process writes, such as a backup's.
    pub(super) async fn open_copy(file: &Path) -> Result<Self> {
        let options =
            sqlx::sqlite::SqliteConnectOptions::new().filename(file).immutable(true).read_only(true);
        Ok(Self { connection: options.connect().await?, triggers: Vec::new() })
    }

    /// Fails unless the schema is this program's.
    pub(super) async fn is_current(&mut self) -> Result<()> {
        prepare(&mut self.connection, &MIGRATIONS, Schema::Expect).await.map(drop)
    }

    /// Fails if the file is damaged.
    pub(super) async fn is_intact(&mut self) -> Result<()> {
        let found: Vec<String> =
            sqlx::query_scalar("PRAGMA integrity_check(3)").fetch_all(&mut self.connection).await?;
        if found == ["ok"] {
            return Ok(());
        }
        Err(Error::Corrupt { what: "copy of the database", why: found.join("; ") })
    }

    /// Returns the tables, each one after those that it refers to.
    pub(super) async fn tables(&mut self) -> Result<Vec<Table>> {
        let names: Vec<String> = sqlx::query_scalar(
            "SELECT name FROM pragma_table_list
             WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
             AND name <> '_sqlx_migrations' ORDER BY name",
        )
        .fetch_all(&mut self.connection)
        .await?;
        let mut left = Vec::with_capacity(names.len());
        for name in names {
            let refers: Vec<String> = sqlx::query_scalar("SELECT \"table\" FROM pragma_foreign_key_list(?)")
                .bind(&name)
                .fetch_all(&mut self.connection)
                .await?;
            let columns: Vec<String> =
                sqlx::query_scalar("SELECT name FROM pragma_table_info(?) ORDER BY cid")
                    .bind(&name)
                    .fetch_all(&mut self.connection)
                    .await?;
            // The values have types of their own.
            let columns = columns.into_iter().map(|name| Column { name, kind: Kind::Other });
            left.push((Table { name, columns: columns.collect() }, refers));
        }
        Ok(in_order(left))
    }

    /// Reads the rows of a table.
    pub(super) fn rows(&mut self, table: &Table) -> Rows<'_> {
        let columns = quoted(table).join(", ");
        let select = AssertSqlSafe(format!("SELECT {columns} FROM \"{}\"", table.name));
        let rows = sqlx::query(select).fetch(&mut self.connection);
        Rows::new(rows.map(|row| row.and_then(|row| values(&row))).boxed())
    }

    pub(super) async fn close(self) -> Result<()> {
        Ok(self.connection.close().await?)
    }

    /// Begins to write; the file is of no use until [`Self::complete`].
    pub(super) async fn begin(&mut self) -> Result<()> {
        self.connection.execute("PRAGMA synchronous = OFF").await?;
        let triggers: Vec<(String, String)> =
            sqlx::query_as("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
                .fetch_all(&mut self.connection)
                .await?;
        for (name, sql) in triggers {
            self.connection.execute(AssertSqlSafe(format!("DROP TRIGGER \"{name}\""))).await?;
            self.triggers.push(sql);
        }
        Ok(())
    }

    /// Inserts rows in one transaction.
    pub(super) async fn insert(&mut self, table: &Table, rows: &[Vec<Value>]) -> Result<()> {
        let columns = quoted(table);
        let values = vec!["?"; columns.len()].join(", ");
        let insert = format!("INSERT INTO \"{}\" ({}) VALUES ({values})", table.name, columns.join(", "));
        let mut transaction = self.connection.begin().await?;
        for row in rows {
            let mut query = sqlx::query(AssertSqlSafe(insert.clone()));
            for value in row {
                query = match value {
                    Value::Null => query.bind(None::<i64>),
                    Value::Integer(number) => query.bind(*number),
                    Value::Real(number) => query.bind(*number),
                    Value::Text(text) => query.bind(text.as_str()),
                    Value::Bytes(bytes) => query.bind(bytes.as_slice()),
                };
            }
            query.execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// Adds what no table of PostgreSQL has, and the triggers.
    pub(super) async fn complete(&mut self) -> Result<()> {
        let mut transaction = self.connection.begin().await?;
        let (mut last, mut rows) = (i64::MIN, Vec::<(i64, String, String)>::new());
        loop {
            let next = "SELECT seq, kind, record FROM audio WHERE seq > ? ORDER BY seq LIMIT 500";
            rows.clear();
            rows.extend(sqlx::query_as(next).bind(last).fetch_all(&mut *transaction).await?);
            let Some((seq, ..)) = rows.last() else { break };
            last = *seq;
            for (seq, kind, record) in &rows {
                sqlx::query("INSERT INTO audio_tokens (rowid, tokens) VALUES (?, ?)")
                    .bind(seq)
                    .bind(format!("{kind} {}", tokens_of(kind, record)?.join(" ")))
                    .execute(&mut *transaction)
                    .await?;
            }
        }
        for trigger in self.triggers.drain(..) {
            transaction.execute(AssertSqlSafe(trigger)).await?;
        }
        transaction.commit().await?;
        Ok(())
    }
}

/// A database file that gets its name when it is complete.
pub(super) struct Part(PathBuf);

impl Part {
    /// Fails if the file has rows already.
    pub(super) async fn create(file: &Path) -> Result<Self> {
        if std::fs::metadata(file).is_ok_and(|there| there.len() > 0) {
            return Err(Error::Occupied(file.display().to_string()));
        }
        let part = file.with_extension("db.part");
        for leftover in ["db.part", "db.part-wal", "db.part-shm"] {
            let _ = std::fs::remove_file(file.with_extension(leftover));
        }
        let why = |why| Error::File { file: part.display().to_string(), why };
        private::file(&part).map_err(why)?;
        crate::store::sqlite::migrate(&part).await?;
        Ok(Self(part))
    }

    pub(super) async fn open(&self) -> Result<Sqlite> {
        Sqlite::open(&self.0).await
    }

    /// Gives the closed file its name.
    pub(super) fn complete(self, file: &Path) -> Result<()> {
        let synced = || {
            std::fs::File::open(&self.0)?.sync_all()?;
            std::fs::rename(&self.0, file)?;
            private::sync_folder(file.parent().unwrap_or(file))
        };
        synced().map_err(|why| Error::File { file: file.display().to_string(), why })
    }
}

/// Returns the tables, each one after those that it refers to.
fn in_order(mut left: Vec<(Table, Vec<String>)>) -> Vec<Table> {
    let mut ordered: Vec<Table> = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let names: Vec<String> = left.iter().map(|(table, _)| table.name.clone()).collect();
        let waits = |(table, refers): &(Table, Vec<String>)| {
            refers.iter().any(|name| *name != table.name && names.contains(name))
        };
        // Tables that refer to each other have no order.
        let next = left.iter().position(|table| !waits(table)).unwrap_or_default();
        ordered.push(left.remove(next).0);
    }
    ordered
}

pub(super) fn quoted(table: &Table) -> Vec<String> {
    table.columns.iter().map(|column| format!("\"{}\"", column.name)).collect()
}

fn values(row: &SqliteRow) -> sqlx::Result<Vec<Value>> {
    (0..row.len())
        .map(|index| {
            let raw = row.try_get_raw(index)?;
            if raw.is_null() {
                return Ok(Value::Null);
            }
            let kind = raw.type_info().into_owned();
            Ok(match kind.name() {
                "INTEGER" => Value::Integer(row.try_get_unchecked(index)?),
                "REAL" => Value::Real(row.try_get_unchecked(index)?),
                "BLOB" => Value::Bytes(row.try_get_unchecked(index)?),
                _ => Value::Text(row.try_get_unchecked(index)?),
            })
        })
        .collect()
}
