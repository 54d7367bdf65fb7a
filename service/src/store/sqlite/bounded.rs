//! A time limit on statements whose time depends on the request: searches and lists.
//!
//! Without it, a client that disconnects or a request that has got its 503 would leave a connection busy. Setting the limit
//! takes a trip to the connection's thread, so statements that find a row by its key have none.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt as _, TryStreamExt as _};
use sqlx::pool::PoolConnection;
use sqlx::sqlite::{SqlitePool, SqliteQueryResult, SqliteRow, SqliteStatement, SqliteTypeInfo};
use sqlx::{Either, Execute, Executor, SqlStr, Sqlite};

use crate::store::overdue;

/// How many steps of SQLite's virtual machine run between two checks of the time: less than a millisecond.
const STEPS: i32 = 10_000;

/// The reading connections, with a time limit for each statement.
#[derive(Debug, Clone)]
pub(super) struct Bounded {
    readers: SqlitePool,
    longest: Duration,
}

/// A statement in progress. If this is dropped before its end, the statement ends, too.
struct Reading {
    connection: PoolConnection<Sqlite>,
    state: Arc<AtomicU8>,
}

const RUNNING: u8 = 0;
const DONE: u8 = 1;
const ABANDONED: u8 = 2;

impl Bounded {
    pub(super) const fn new(readers: SqlitePool, longest: Duration) -> Self {
        Self { readers, longest }
    }

    async fn begin(self) -> sqlx::Result<Reading> {
        let mut connection = self.readers.acquire().await?;
        let state = Arc::new(AtomicU8::new(RUNNING));
        let (watched, until) = (Arc::clone(&state), Instant::now().checked_add(self.longest));
        let may_continue = move || match watched.load(Ordering::Relaxed) {
            // Statements without a limit use the connection, too.
            DONE => true,
            ABANDONED => false,
            // A time beyond the clock's range is not a limit.
            _ => until.is_none_or(|until| Instant::now() < until),
        };
        connection.lock_handle().await?.set_progress_handler(STEPS, may_continue);
        Ok(Reading { connection, state })
    }
}

impl Reading {
    fn end(self) {
        self.state.store(DONE, Ordering::Relaxed);
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        let abandoned = self.state.compare_exchange(RUNNING, ABANDONED, Ordering::Relaxed, Ordering::Relaxed);
        if abandoned.is_ok() {
            self.connection.close_on_drop();
        }
    }
}

impl<'p> Executor<'p> for &'_ Bounded {
    type Database = Sqlite;

    /// Runs a statement; its rows are complete when the first one is returned.
    fn fetch_many<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxStream<'e, sqlx::Result<Either<SqliteQueryResult, SqliteRow>>>
    where
        E: 'q + Execute<'q, Sqlite>,
    {
        let bounded = self.clone();
        let all = async move {
            let mut reading = bounded.begin().await?;
            let rows = reading.connection.fetch_many(query).try_collect::<Vec<_>>().await;
            reading.end();
            overdue::counted(rows)
        };
        stream::once(all).map_ok(|rows| stream::iter(rows).map(Ok)).try_flatten().boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, sqlx::Result<Option<SqliteRow>>>
    where
        E: 'q + Execute<'q, Sqlite>,
    {
        let bounded = self.clone();
        Box::pin(async move {
            let mut reading = bounded.begin().await?;
            let row = reading.connection.fetch_optional(query).await;
            reading.end();
            overdue::counted(row)
        })
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [SqliteTypeInfo],
    ) -> BoxFuture<'e, sqlx::Result<SqliteStatement>>
    where
        'p: 'e,
    {
        let readers = self.readers.clone();
        Box::pin(async move { readers.acquire().await?.prepare_with(sql, parameters).await })
    }
}

#[cfg(test)]
mod tests {
    use sqlx::sqlite::SqlitePoolOptions;

    use super::*;
    use crate::store::Error;

    const ENDLESS: &str = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                           SELECT i FROM n WHERE i < 0";

    async fn read_one(readers: &Bounded) -> i64 {
        let read = sqlx::query_scalar("SELECT 1").fetch_one(readers);
        tokio::time::timeout(Duration::from_secs(20), read).await.expect("the connection is free").unwrap()
    }

    #[tokio::test]
    async fn a_statement_ends_at_its_limit_or_with_its_request() {
        let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
        let brief = Bounded::new(pool.clone(), Duration::from_millis(50));
        let late = sqlx::query(ENDLESS).fetch_all(&brief).await.err().unwrap();
        assert!(Error::Database(late).is_temporary());
        assert_eq!(read_one(&brief).await, 1);
        tokio::time::sleep(Duration::from_millis(60)).await;
        // The limit of an earlier statement does not count for one without a limit.
        let many = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
                    SELECT count(*) FROM n";
        assert_eq!(sqlx::query_scalar::<_, i64>(many).fetch_one(&pool).await.unwrap(), 100_000);

        let patient = Bounded::new(pool, Duration::MAX);
        let endless = sqlx::query(ENDLESS).fetch_all(&patient);
        assert!(tokio::time::timeout(Duration::from_millis(50), endless).await.is_err());
        assert_eq!(read_one(&patient).await, 1);
    }
}
