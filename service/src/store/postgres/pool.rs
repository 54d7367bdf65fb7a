//! The connections, and a time limit on everything that waits for the database.
//!
//! A network or a proxy that stops forwarding reports no error, and PostgreSQL's own timeouts need a server that
//! responds. So each statement has a deadline here, too. A connection that misses one is closed, and so are the
//! connections that are as old, because they probably lead to the same server.

use std::io::{Error as IoError, ErrorKind};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt as _, TryStreamExt as _};
use parking_lot::Mutex;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{
    PgConnectOptions, PgConnection, PgPool, PgPoolOptions, PgQueryResult, PgRow, PgStatement, PgTypeInfo,
};
use sqlx::{AssertSqlSafe, Connection as _, Either, Execute, Executor, Postgres, SqlStr};
use tokio::time::timeout;

use super::reach;
use crate::store::Access;
use crate::store::overdue::{self, Overdue};

/// How long a call waits for a connection while the database is busy or restarting.
const TIMEOUT: Duration = Duration::from_secs(15);

/// The idle time after which a connection is tested before its next use.
const IDLE: Duration = Duration::from_secs(1);

/// The time after which a connection is replaced.
const LIFETIME: Duration = Duration::from_secs(30 * 60);

/// How long a connection may take to respond to a test.
const TEST: Duration = Duration::from_secs(5);

/// How long a connection outside of the pool may take to be opened or tested.
pub(super) const CONNECTING: Duration = Duration::from_secs(70);

/// Returns the settings of each connection.
///
/// A statement ends after its time limit, even if its caller still waits. The second timeout ends a transaction whose
/// process stalls, and frees its locks: claims take turns. JIT compilation is off: no statement here is worth it, and
/// bad estimates would trigger it.
///
/// A prepared statement has one plan, which uses indexes. PostgreSQL would plan the statements of claims anew each time, because
/// it overestimates what that saves. And a plan that was made while a table was small would read the whole table, however much
/// it has grown, until autovacuum has analysed it.
fn session(statement: Duration) -> String {
    format!(
        "SET statement_timeout = {}; SET idle_in_transaction_session_timeout = '5s'; SET jit = off; \
         SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan",
        statement.as_millis()
    )
}

/// Returns how long a statement may take here, if PostgreSQL ends it after this time.
///
/// It is longer than PostgreSQL's own limit, because the error of PostgreSQL is more specific and takes a moment to
/// arrive. It is also longer than [`TEST`]: an interrupted test would not record the failure for the other connections.
fn deadline(statement: Duration) -> Duration {
    statement + (statement / 6).max(TEST + Duration::from_secs(1))
}

/// Limits the time that work on the database may take.
pub(super) async fn within<T, E: From<sqlx::Error> + Overdue>(
    limit: Duration,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    overdue::counted(timeout(limit, work).await.unwrap_or_else(|_| Err(unanswered().into())))
}

fn unanswered() -> sqlx::Error {
    sqlx::Error::Io(IoError::new(ErrorKind::TimedOut, "the database does not respond"))
}

/// The connections of this process. Clones share them.
///
/// A statement that runs on the pool itself has a deadline. Use [`Pool::within`] for transactions.
#[derive(Debug, Clone)]
pub(super) struct Pool {
    connections: PgPool,
    /// One connection, so that each claim of tasks has the session of the last one (`lanes.rs`).
    claims: PgPool,
    last_failure: Arc<LastFailure>,
    deadline: Duration,
}

impl Pool {
    /// Connects; PostgreSQL ends a statement after the time of `access`.
    pub(super) async fn connect(options: PgConnectOptions, access: Access) -> sqlx::Result<Self> {
        let Access { statement, connections } = access;
        let session = session(statement);
        let last_failure = Arc::<LastFailure>::default();
        let pool = |connections: u32| {
            let (recorded, session) = (Arc::clone(&last_failure), session.clone());
            PgPoolOptions::new()
                .max_connections(connections)
                .max_lifetime(LIFETIME)
                .acquire_timeout(TIMEOUT)
                .test_before_acquire(false)
                .before_acquire(move |connection, metadata| {
                    let last_failure = Arc::clone(&recorded);
                    Box::pin(async move {
                        if last_failure.is_after_creation(metadata.age) {
                            return Ok(false);
                        }
                        if metadata.idle_for > IDLE {
                            last_failure.test(connection.ping()).await?;
                        }
                        Ok(true)
                    })
                })
                .after_connect(move |connection, _| {
                    let session = AssertSqlSafe(session.clone());
                    Box::pin(async move {
                        connection.execute(session).await?;
                        match reach::is_standby(connection).await? {
                            true => Err(sqlx::Error::protocol("the server is a standby")),
                            false => Ok(()),
                        }
                    })
                })
        };
        // `database-connections` counts the connection of the claims.
        let claims = pool(1).connect_lazy_with(options.clone());
        let connections = pool(connections.saturating_sub(1).max(1)).connect_with(options).await?;
        Ok(Self { connections, claims, last_failure, deadline: deadline(statement) })
    }

    /// Returns how long a statement or a short transaction may take here, with the wait for its connection.
    pub(super) fn deadline(&self) -> Duration {
        self.deadline
    }

    /// Limits the time that a statement or a short transaction may take.
    pub(super) async fn within<T, E: From<sqlx::Error> + Overdue>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        within(self.deadline, work).await
    }

    /// Returns the pools, for metrics of their connections.
    pub(super) const fn pools(&self) -> [&PgPool; 2] {
        [&self.connections, &self.claims]
    }

    /// Returns how the connections are made.
    pub(super) fn options(&self) -> Arc<PgConnectOptions> {
        self.connections.connect_options()
    }

    /// Returns whether the connections lead to a server that responds and accepts writes.
    pub(super) async fn is_writable(&self) -> bool {
        let test = async { reach::is_standby(&mut *self.acquire().await?).await };
        matches!(timeout(TEST, test).await, Ok(Ok(false)))
    }

    /// Connects to this server from now on, and replaces all connections to another one.
    pub(super) fn lead_to(&self, server: PgConnectOptions) {
        let (before, now) = (reach::address(&self.connections.connect_options()), reach::address(&server));
        if before != now {
            tracing::warn!("the database has moved from {before} to {now}");
            self.connections.set_connect_options(server.clone());
            self.claims.set_connect_options(server);
            self.last_failure.note();
        }
    }

    /// Closes the connections once they are unused.
    pub(super) async fn close(&self) {
        self.claims.close().await;
        self.connections.close().await;
    }

    /// Waits for a connection, at most [`TIMEOUT`].
    pub(super) async fn acquire(&self) -> sqlx::Result<Connection> {
        self.acquire_from(&self.connections).await
    }

    /// Waits for the connection of the claims of tasks, as [`Self::acquire`] does.
    pub(super) async fn acquire_for_claim(&self) -> sqlx::Result<Connection> {
        self.acquire_from(&self.claims).await
    }

    async fn acquire_from(&self, pool: &PgPool) -> sqlx::Result<Connection> {
        Ok(Connection { held: pool.acquire().await?, last_failure: Arc::clone(&self.last_failure) })
    }
}

/// When a connection last failed to respond.
#[derive(Debug, Default)]
struct LastFailure(Mutex<Option<Instant>>);

impl LastFailure {
    /// Returns whether a connection of this age existed when another one did not respond.
    fn is_after_creation(&self, age: Duration) -> bool {
        self.0.lock().is_some_and(|since| since.elapsed() <= age)
    }

    fn note(&self) {
        *self.0.lock() = Some(Instant::now());
    }

    /// Tests a connection; if it does not respond in time, all older ones are replaced.
    async fn test<T>(&self, test: impl Future<Output = sqlx::Result<T>>) -> sqlx::Result<T> {
        timeout(TEST, test).await.unwrap_or_else(|_| {
            self.note();
            tracing::warn!("a connection to the database does not respond; replacing all connections");
            Err(unanswered())
        })
    }
}

/// A connection of the pool, which gets it back when this is dropped.
pub(super) struct Connection {
    held: PoolConnection<Postgres>,
    last_failure: Arc<LastFailure>,
}

impl Deref for Connection {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.held
    }
}

impl DerefMut for Connection {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.held
    }
}

/// Returns the connection to the pool once it has responded, or else closes it.
///
/// The pool itself would wait forever, and have one connection less.
impl Drop for Connection {
    fn drop(&mut self) {
        let (returned, last_failure) = (self.held.return_to_pool(), Arc::clone(&self.last_failure));
        // Without a runtime the process is ending.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let returned = async {
                    returned.await;
                    Ok(())
                };
                let _ = last_failure.test(returned).await;
            });
        }
    }
}

impl<'p> Executor<'p> for &'_ Pool {
    type Database = Postgres;

    /// Runs a statement; its rows are complete when the first one is returned.
    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, sqlx::Result<Either<PgQueryResult, PgRow>>>
    where
        E: 'q + Execute<'q, Postgres>,
    {
        let pool = self.clone();
        let all = within(self.deadline, async move {
            let mut connection = pool.acquire().await?;
            connection.fetch_many(query).try_collect::<Vec<_>>().await
        });
        stream::once(all).map_ok(|rows| stream::iter(rows).map(Ok)).try_flatten().boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, sqlx::Result<Option<PgRow>>>
    where
        E: 'q + Execute<'q, Postgres>,
    {
        let pool = self.clone();
        Box::pin(within(self.deadline, async move { pool.acquire().await?.fetch_optional(query).await }))
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, sqlx::Result<PgStatement>>
    where
        'p: 'e,
    {
        let pool = self.clone();
        Box::pin(within(
            self.deadline,
            async move { pool.acquire().await?.prepare_with(sql, parameters).await },
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_leaves_time_for_a_test_and_for_the_databases_own_error() {
        for (statement, expected) in [(1, 7), (4, 10), (36, 42), (60, 70), (86_400, 100_800)] {
            assert_eq!(deadline(Duration::from_secs(statement)), Duration::from_secs(expected));
        }
    }
}
