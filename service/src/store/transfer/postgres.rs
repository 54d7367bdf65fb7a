//! PostgreSQL as source and as target of a copy.

use std::time::Duration;

use futures_util::StreamExt as _;
use sqlx::postgres::{PgConnection, PgRow};
use sqlx::{AssertSqlSafe, Executor as _, Row as _};

use super::sqlite::{Rows, quoted};
use super::{Column, Kind, ONLY_IN_POSTGRES, Table, Value};
use crate::store::catalogue::tokens_of;
use crate::store::postgres::{MIGRATIONS, reach, schema};
use crate::store::{Error, Result, Schema};

/// How many times a database is asked whether other processes use it, and the pause between two queries.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(300);

/// A PostgreSQL database. Its writes take effect at [`Self::commit`].
pub(super) struct Postgres {
    url: String,
    connection: PgConnection,
}

both! { Postgres }

impl Postgres {
    pub(super) async fn open(url: &str) -> Result<Self> {
        Ok(Self { url: url.to_owned(), connection: reach::connect(url).await? })
    }

    /// Fails unless the schema is this program's.
    pub(super) async fn is_current(&self) -> Result<()> {
        let server = reach::primary(&reach::servers(&self.url)?, None).await?;
        schema::migrated(&server, &MIGRATIONS, Schema::Expect).await.map(drop)
    }

    /// Migrates the schema.
    ///
    /// A database with rows is refused before: it may be one that an older release uses.
    pub(super) async fn prepare(&mut self) -> Result<()> {
        for table in self.tables().await? {
            self.is_empty(&table).await?;
        }
        schema::migrate(&self.url).await.map(drop)
    }

    /// Fails if another process of the service uses the database.
    pub(super) async fn is_alone(&mut self) -> Result<()> {
        for _ in 0..TRIES {
            let others: i64 = sqlx::query_scalar(
                "SELECT count(*) FROM pg_stat_activity
                 WHERE datname = current_database() AND application_name = 'asset-service' AND pid <> pg_backend_pid()",
            )
            .fetch_one(&mut self.connection)
            .await?;
            if others == 0 {
                return Ok(());
            }
            // PostgreSQL takes a moment to notice the end of a process.
            tokio::time::sleep(PAUSE).await;
        }
        Err(Error::InUse)
    }

    /// Begins a transaction with a snapshot, in which no other process writes to these tables.
    pub(super) async fn begin(&mut self, tables: &[Table]) -> Result<()> {
        self.connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ").await?;
        let names: Vec<String> = tables.iter().map(|table| format!("\"{}\"", table.name)).collect();
        let names = names.join(", ");
        self.connection
            .execute(AssertSqlSafe(format!("LOCK TABLE {names} IN SHARE ROW EXCLUSIVE MODE")))
            .await?;
        Ok(())
    }

    pub(super) async fn commit(&mut self) -> Result<()> {
        self.connection.execute("COMMIT").await?;
        Ok(())
    }

    /// Returns the tables.
    pub(super) async fn tables(&mut self) -> Result<Vec<Table>> {
        let columns: Vec<(String, String, String)> = sqlx::query_as(
            "SELECT columns.table_name::text, column_name::text, data_type::text
             FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
             WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND table_name <> '_sqlx_migrations'
             ORDER BY columns.table_name, ordinal_position",
        )
        .fetch_all(&mut self.connection)
        .await?;
        let mut tables: Vec<Table> = Vec::new();
        for (table, name, declared) in columns {
            let column = Column { name, kind: kind_of(&declared) };
            match tables.last_mut() {
                Some(last) if last.name == table => last.columns.push(column),
                _ => tables.push(Table { name: table, columns: vec![column] }),
            }
        }
        Ok(tables)
    }

    /// Fails if the table has rows.
    pub(super) async fn is_empty(&mut self, table: &Table) -> Result<()> {
        let has_rows = AssertSqlSafe(format!("SELECT EXISTS (SELECT FROM \"{}\")", table.name));
        let has_rows: bool = sqlx::query_scalar(has_rows).fetch_one(&mut self.connection).await?;
        if has_rows { Err(Error::NotEmpty) } else { Ok(()) }
    }

    /// Reads the rows of a table, as SQLite would contain them.
    pub(super) fn rows(&mut self, table: &Table) -> Rows<'_> {
        let columns: Vec<String> = table.columns.iter().map(read).collect();
        let columns = columns.join(", ");
        let select = match table.name.as_str() {
            // SQLite has one row for each key.
            "stored" => "SELECT key_id, sum(bytes)::bigint FROM stored GROUP BY key_id".to_owned(),
            name => format!("SELECT {columns} FROM \"{name}\""),
        };
        let kinds: Vec<Kind> = table.columns.iter().map(|column| column.kind).collect();
        let rows = sqlx::query(AssertSqlSafe(select)).fetch(&mut self.connection);
        Rows::new(rows.map(move |row| row.and_then(|row| values(&row, &kinds))).boxed())
    }

    /// Inserts rows by one statement, with an array for each column.
    pub(super) async fn insert(&mut self, table: &Table, rows: &[Vec<Value>]) -> Result<()> {
        let mut names = quoted(table);
        let mut written: Vec<String> = table.columns.iter().enumerate().map(written).collect();
        for (_, name, value) in ONLY_IN_POSTGRES.iter().filter(|(of, ..)| *of == table.name) {
            names.push(format!("\"{name}\""));
            written.push((*value).to_owned());
        }
        let arrays: Vec<String> = table.columns.iter().enumerate().map(array).collect();
        let aliases: Vec<String> = (0..table.columns.len()).map(|index| format!("c{index}")).collect();
        let insert = format!(
            "INSERT INTO \"{}\" ({}) OVERRIDING SYSTEM VALUE SELECT {} FROM unnest({}) AS given ({})",
            table.name,
            names.join(", "),
            written.join(", "),
            arrays.join(", "),
            aliases.join(", ")
        );
        let mut query = sqlx::query(AssertSqlSafe(insert));
        for (index, column) in table.columns.iter().enumerate() {
            let values = rows.iter().map(|row| row.get(index).unwrap_or(&Value::Null));
            query = match column.kind {
                Kind::Integer | Kind::Boolean => query.bind(values.map(Value::integer).collect::<Vec<_>>()),
                Kind::Real => query.bind(values.map(Value::real).collect::<Vec<_>>()),
                Kind::Bytes | Kind::Uuid => query.bind(values.map(Value::bytes).collect::<Vec<_>>()),
                Kind::Text | Kind::Other => query.bind(values.map(Value::text).collect::<Vec<_>>()),
            };
        }
        query.execute(&mut self.connection).await?;
        Ok(())
    }

    /// Switches the triggers on or off, which must not count the copied rows again.
    pub(super) async fn set_triggers(&mut self, tables: &[Table], on: bool) -> Result<()> {
        let state = if on { "ENABLE" } else { "DISABLE" };
        for Table { name, .. } in tables {
            let alter = AssertSqlSafe(format!("ALTER TABLE \"{name}\" {state} TRIGGER USER"));
            self.connection.execute(alter).await?;
        }
        Ok(())
    }

    /// Adds what SQLite does not have: the id of the files, the numbers that identities continue with, and tokens.
    pub(super) async fn complete(&mut self, tables: &[Table], files_id: Option<&str>) -> Result<()> {
        if let Some(id) = files_id {
            sqlx::query(
                "INSERT INTO identity (files_id) VALUES ($1)
                         ON CONFLICT (one) DO UPDATE SET files_id = excluded.files_id, folder = NULL",
            )
            .bind(id)
            .execute(&mut self.connection)
            .await?;
        }
        for table in tables.iter().filter(|table| table.columns.iter().any(|column| column.name == "seq")) {
            let name = &table.name;
            let advance = format!(
                "SELECT setval(pg_get_serial_sequence('\"{name}\"', 'seq'), max(seq)) FROM \"{name}\"
                 HAVING max(seq) > 0 AND pg_get_serial_sequence('\"{name}\"', 'seq') IS NOT NULL"
            );
            sqlx::query(AssertSqlSafe(advance)).execute(&mut self.connection).await?;
        }
        let mut last = i64::MIN;
        loop {
            let next = "SELECT seq, kind, record FROM audio WHERE seq > $1 ORDER BY seq LIMIT 500";
            let rows: Vec<(i64, String, String)> =
                sqlx::query_as(next).bind(last).fetch_all(&mut self.connection).await?;
            let Some((seq, ..)) = rows.last() else { return Ok(()) };
            last = *seq;
            for (seq, kind, record) in rows {
                sqlx::query("UPDATE audio SET tokens = array_to_tsvector($2) WHERE seq = $1")
                    .bind(seq)
                    .bind(tokens_of(&kind, &record)?)
                    .execute(&mut self.connection)
                    .await?;
            }
        }
    }
}

fn kind_of(declared: &str) -> Kind {
    match declared {
        "bigint" | "integer" | "smallint" => Kind::Integer,
        "boolean" => Kind::Boolean,
        "double precision" => Kind::Real,
        "text" => Kind::Text,
        "bytea" => Kind::Bytes,
        "uuid" => Kind::Uuid,
        _ => Kind::Other,
    }
}

/// Returns the expression that reads a column.
fn read(Column { name, kind }: &Column) -> String {
    match kind {
        Kind::Integer => format!("\"{name}\"::bigint"),
        Kind::Boolean => format!("\"{name}\"::integer::bigint"),
        Kind::Uuid => format!("uuid_send(\"{name}\")"),
        Kind::Real | Kind::Text | Kind::Bytes | Kind::Other => format!("\"{name}\""),
    }
}

/// Returns the expression that writes a column.
fn written((index, column): (usize, &Column)) -> String {
    match column.kind {
        Kind::Boolean => format!("c{index} <> 0"),
        Kind::Uuid => format!("encode(c{index}, 'hex')::uuid"),
        Kind::Integer | Kind::Real | Kind::Text | Kind::Bytes | Kind::Other => format!("c{index}"),
    }
}

/// Returns the parameter that holds a column.
fn array((index, column): (usize, &Column)) -> String {
    let kind = match column.kind {
        Kind::Integer | Kind::Boolean => "bigint",
        Kind::Real => "double precision",
        Kind::Bytes | Kind::Uuid => "bytea",
        Kind::Text | Kind::Other => "text",
    };
    format!("${}::{kind}[]", index + 1)
}

fn values(row: &PgRow, kinds: &[Kind]) -> sqlx::Result<Vec<Value>> {
    let value = |(index, kind): (usize, &Kind)| {
        Ok(match kind {
            Kind::Integer | Kind::Boolean => row.try_get::<Option<i64>, _>(index)?.map(Value::Integer),
            Kind::Real => row.try_get::<Option<f64>, _>(index)?.map(Value::Real),
            Kind::Bytes | Kind::Uuid => row.try_get::<Option<Vec<u8>>, _>(index)?.map(Value::Bytes),
            Kind::Text | Kind::Other => row.try_get::<Option<String>, _>(index)?.map(Value::Text),
        }
        .unwrap_or(Value::Null))
    };
    kinds.iter().enumerate().map(value).collect()
}
