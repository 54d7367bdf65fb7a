//! The floor of create-task: plain inserts of the same rows.
//!
//! They go into the same database, with the same durability and the same number of callers.
//!
//! PostgreSQL syncs concurrent commits together, so callers with one connection each are the floor. SQLite
//! has one writer. If it commits each row in its own transaction, each waits for the disk; that floor is shown
//! and easy to exceed. The floor with the target batches as the service does: one writer inserts all rows
//! that have arrived in one transaction.

use std::time::{Duration, Instant};

use asset_service::domain::NewTask;
use futures_util::future::join_all;
use sqlx::postgres::PgPoolOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, PgPool, SqliteConnection};
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use crate::database::Database;
use crate::rounds::Turn;

const INSERT: &str = "
    INSERT INTO tasks (id, key_id, family, model, status, demand, size, engine, folder, webhook_url, created_at, updated_at, work)
    VALUES ($1, $2, $3, '', 0, 'built-in improve-prompt', 32767, $4, $5, $6, $7, $8, $9)";

/// Inserts rows.
pub struct Inserter {
    runtime: Runtime,
    row: NewTask,
    callers: usize,
    method: Method,
}

enum Method {
    Postgres(PgPool),
    /// Sends rows to one writer, with a channel for the confirmation.
    Sqlite(mpsc::Sender<(NewTask, oneshot::Sender<()>)>),
}

impl Inserter {
    /// Creates callers with a connection each, or with a batching writer on SQLite.
    pub fn together(database: &Database, row: NewTask, callers: usize) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let method = match &database.url {
            Some(url) => {
                let connections = u32::try_from(callers).expect("a number of connections");
                let pool = PgPoolOptions::new().max_connections(connections).test_before_acquire(false);
                Method::Postgres(runtime.block_on(pool.connect(url)).expect("a database"))
            }
            None => return Self::in_sqlite(database, row, callers, 256),
        };
        Self { runtime, row, callers, method }
    }

    /// Creates callers of one writer, which inserts at most this many rows in a transaction.
    pub fn in_sqlite(database: &Database, row: NewTask, callers: usize, most: usize) -> Self {
        let (runtime, (send, queue)) = (Runtime::new().expect("a runtime"), mpsc::channel(callers));
        let connection = runtime.block_on(connect(database));
        runtime.spawn(collect(connection, queue, most));
        Self { runtime, row, callers, method: Method::Sqlite(send) }
    }

    /// Inserts for this time.
    pub fn turn(&self, length: Duration) -> Turn {
        let begun = Instant::now();
        let callers = (0..self.callers).map(async |_| {
            let mut latencies = Vec::new();
            while begun.elapsed() < length {
                let before = Instant::now();
                self.method.insert(another(&self.row)).await;
                latencies.push(before.elapsed());
            }
            latencies
        });
        let latencies = self.runtime.block_on(join_all(callers)).concat();
        Turn { time: begun.elapsed(), latencies }
    }
}

impl Method {
    async fn insert(&self, row: NewTask) {
        match self {
            Self::Postgres(pool) => {
                let query = bound(sqlx::query(INSERT), &row);
                query.execute(pool).await.expect("it is inserted");
            }
            Self::Sqlite(writer) => {
                let (done, inserted) = oneshot::channel();
                writer.send((row, done)).await.expect("a writer");
                inserted.await.expect("it is inserted");
            }
        }
    }
}

/// Writes the rows that have arrived, at most this many, in one transaction.
async fn collect(
    mut connection: SqliteConnection,
    mut queue: mpsc::Receiver<(NewTask, oneshot::Sender<()>)>,
    most: usize,
) {
    let mut batch = Vec::new();
    while queue.recv_many(&mut batch, most).await > 0 {
        let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await.expect("a transaction");
        for (row, _) in &batch {
            bound(sqlx::query(INSERT), row).execute(&mut *transaction).await.expect("it is inserted");
        }
        transaction.commit().await.expect("it is committed");
        for (_, done) in batch.drain(..) {
            let _ = done.send(());
        }
    }
}

/// Connects with the same durability as the service.
async fn connect(database: &Database) -> SqliteConnection {
    SqliteConnectOptions::new()
        .filename(database.folder.join("service.db"))
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(Duration::from_secs(10))
        .pragma("cache_size", "-32768")
        .pragma("wal_autocheckpoint", "4000")
        .disable_statement_logging()
        .connect()
        .await
        .expect("a database")
}

fn another(row: &NewTask) -> NewTask {
    let mut row = row.clone();
    row.task.id = Uuid::now_v7();
    row.task.folder = format!("{:032x}", rand::random::<u128>());
    row
}

type Query<'q, DB> = sqlx::query::Query<'q, DB, <DB as sqlx::Database>::Arguments>;

fn bound<'q, DB>(query: Query<'q, DB>, row: &'q NewTask) -> Query<'q, DB>
where
    DB: sqlx::Database,
    Uuid: sqlx::Encode<'q, DB> + sqlx::Type<DB>,
    &'q str: sqlx::Encode<'q, DB> + sqlx::Type<DB>,
    Option<&'q str>: sqlx::Encode<'q, DB> + sqlx::Type<DB>,
    i64: sqlx::Encode<'q, DB> + sqlx::Type<DB>,
{
    let task = &row.task;
    query
        .bind(task.id)
        .bind(task.key_id.as_str())
        .bind(task.family.as_str())
        .bind(task.engine.as_str())
        .bind(task.folder.as_str())
        .bind(task.webhook_url.as_deref())
        .bind(task.created_at)
        .bind(task.updated_at)
        .bind(row.work.as_str())
}
