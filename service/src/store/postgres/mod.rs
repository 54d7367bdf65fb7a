//! The store in PostgreSQL, for several processes on one or more machines.
//!
//! Claims lock tasks and events with `FOR UPDATE SKIP LOCKED`. A claim also counts how many tasks of a key
//! are in progress, and two claims must not count at once. Claims of one kind therefore take turns by an
//! advisory lock. A claim is short and takes as many tasks as there are free workers. Nothing else waits for
//! the lock.

mod audio;
#[path = "../both/mod.rs"]
mod both;
mod creation;
mod events;
mod lanes;
mod limits;
mod pool;
mod primary;
mod queue;
pub(super) mod reach;
mod resources;
pub(super) mod schema;
mod shared;
mod skew;
pub(super) mod tools;
mod wake;

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use futures_util::future::BoxFuture;
use sqlx::migrate::Migrator;
use sqlx::{Connection as _, Executor as _, Transaction};

use super::catalogue::Resources;
use super::limits::SharedLimits;
use super::loops::Loops;
use super::migrations::{Schema, migrations};
use super::wake::Wakes;
use super::{Access, OldVersions, Result};
use crate::domain::NewTask;
use crate::domain::quarantine::Quarantine;
use crate::time::{Clock, Millis};

use pool::Pool;
pub use schema::{migrate, migrate_by};
use shared::Shared;

/// The migrations of the schema.
pub static MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| {
    migrations! { "postgres": "0001" schema }
});

/// The names that both databases share.
use Postgres as Database;
use sqlx::Postgres as Driver;
use sqlx::postgres::PgConnection as Connection;

/// PostgreSQL chooses the index without a hint.
macro_rules! index {
    ($name:literal) => {
        ""
    };
}
use index;

/// Builds the condition that a column is among the values of a [`list`].
macro_rules! in_list {
    ($list:literal) => {
        concat!("= ANY(", $list, ")")
    };
}
use in_list;

/// Skips the rows that other connections have locked.
macro_rules! skip_locked {
    () => {
        " FOR UPDATE SKIP LOCKED"
    };
}
use skip_locked;

/// The current time of the database, in milliseconds since 1970.
macro_rules! now {
    () => {
        "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
    };
}
use now;

/// Removes these files ($1) from the table of unused files. The order prevents deadlocks.
const UNNOTE_FILES: &str = "
    DELETE FROM unused_files WHERE key IN (
        SELECT key FROM unused_files WHERE key = ANY($1) ORDER BY key FOR UPDATE
    ) RETURNING key";

/// Notes files as unused ($1) since the time $2.
const NOTE_FILES: &str = "
    INSERT INTO unused_files (key, since) SELECT key, $2 FROM unnest($1::text[]) AS unused (key)
    ORDER BY key ON CONFLICT (key) DO UPDATE SET since = excluded.since";

/// Returns values for `ANY`, so that one statement takes any number of them.
const fn list<T>(values: &[T]) -> &[T] {
    values
}

/// A write: a function that runs on its input with the given connection.
type Write<I, T> = for<'a> fn(&'a mut Connection, &'a I) -> BoxFuture<'a, Result<T>>;

/// Builds the first statement of a claim, which waits for the claim's turn.
///
/// The statement after it sees what the previous claim has committed.
///
/// The settings make PostgreSQL plan the claim once for each connection. Statistics lag behind rows that wait
/// for milliseconds. A bitmap scan would read the index entries of all recently claimed rows again each time;
/// other index scans mark dead entries.
macro_rules! turn {
    ($lock:literal) => {
        concat!(
            "SET LOCAL plan_cache_mode = force_generic_plan; SET LOCAL enable_bitmapscan = off; ",
            "SET LOCAL enable_seqscan = off; SELECT pg_advisory_xact_lock(x'",
            $lock,
            "'::bigint)"
        )
    };
}
use turn;

/// A store in a PostgreSQL database.
pub struct Postgres {
    loops: Loops,
    pool: Pool,
    resources: Resources,
    creations: Shared<NewTask>,
    endings: Shared<queue::Ending>,
    recordings: Shared<events::Recording>,
    wakes: Wakes,
    _jobs: wake::Jobs,
    skew: Arc<skew::Skew>,
    watch: [tokio::task::JoinHandle<()>; 2],
    quarantine: Quarantine,
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.watch.iter().for_each(tokio::task::JoinHandle::abort);
    }
}

impl Postgres {
    /// Connects and migrates the schema.
    ///
    /// # Errors
    /// Fails if the database can't be reached, if this version does not know its schema, or if its clock
    /// differs from this machine's clock.
    pub async fn connect(url: &str) -> Result<Self> {
        Self::connect_with(url, Clock::System, Schema::Migrate, Access::DEFAULT).await
    }

    /// Connects as [`Self::connect`] does, with another clock.
    ///
    /// `schema` says whether an older schema is migrated or refused.
    /// The clock only serves to check that it agrees with the database's clock. PostgreSQL ends a statement after
    /// the time of `access`. The store gives it up a sixth of that time later, at least 6 seconds later.
    ///
    /// # Errors
    /// Fails as [`Self::connect`] does, or if the schema is refused.
    pub async fn connect_with(url: &str, clock: Clock, schema: Schema, access: Access) -> Result<Self> {
        let servers = reach::servers(url)?;
        let options = reach::primary(&servers, None).await?;
        reach::has_sessions(&options).await?;
        let pool = Pool::connect(options.clone(), access).await?;
        let skew = skew::Skew::of(&pool, clock).await?;
        // A migration has a connection of its own, because it may take longer than any other statement.
        schema::migrated(&options, &MIGRATIONS, schema).await?;
        let (loops, wakes) = (Loops::default(), Wakes::default());
        Ok(Self {
            resources: Resources::default(),
            creations: Shared::start(&pool, &loops),
            endings: Shared::start(&pool, &loops),
            recordings: Shared::start(&pool, &loops),
            _jobs: wake::Jobs::start(&pool, &wakes, &loops),
            wakes,
            quarantine: Quarantine::default(),
            watch: [Arc::clone(&skew).watch(&loops), primary::follow(&pool, servers, &loops)],
            skew,
            pool,
            loops,
        })
    }

    /// Compares this machine's clock with the database's clock.
    ///
    /// The store also does this every minute.
    ///
    /// # Errors
    /// Fails if the clocks differ or if the database can't be reached.
    pub async fn compare_clocks(&self) -> Result<()> {
        self.skew.measure().await
    }
}

/// The functions that `both` needs from each database.
impl Postgres {
    /// Returns the connections for statements that find their rows by a key.
    const fn reader(&self) -> &Pool {
        &self.pool
    }

    /// Returns the connections for searches and lists.
    const fn searcher(&self) -> &Pool {
        &self.pool
    }

    /// Writes with one statement.
    async fn write<I: Sync, T>(&self, input: I, write: Write<I, T>) -> Result<T> {
        self.pool.within(async { write(&mut *self.pool.acquire().await?, &input).await }).await
    }

    /// Returns the pools, for metrics of their connections.
    const fn connections(&self) -> [&sqlx::PgPool; 2] {
        self.pool.pools()
    }

    /// Counts old versions of the rows that change often, and finds the oldest transaction that may still read them.
    async fn count_old_versions(&self) -> Result<Option<OldVersions>> {
        let dead: Vec<(String, i64)> = sqlx::query_as(
            "SELECT relname::text, n_dead_tup FROM pg_stat_user_tables
             WHERE relid IN (to_regclass('tasks'), to_regclass('events'), to_regclass('stored'))",
        )
        .fetch_all(&self.pool)
        .await?;
        let seconds: f64 = sqlx::query_scalar(
            "SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)::float8 FROM pg_stat_activity
             WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid()
             AND (datname = current_database() OR backend_type = 'walsender')",
        )
        .fetch_one(&self.pool)
        .await?;
        let dead = dead.into_iter().map(|(table, dead)| (table, dead.unsigned_abs())).collect();
        let oldest_transaction = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        Ok(Some(OldVersions { dead, oldest_transaction }))
    }

    fn limits(&self) -> Option<&dyn SharedLimits> {
        Some(self)
    }

    fn ahead(&self) -> Millis {
        self.skew.ahead()
    }

    fn writes_waiting(&self) -> usize {
        self.creations.waiting() + self.endings.waiting() + self.recordings.waiting()
    }

    /// Writes in one transaction.
    async fn transact<I: Sync, T>(&self, input: I, write: Write<I, T>) -> Result<T> {
        self.pool.within(self.transact_at_length(input, write)).await
    }

    /// Writes in one transaction, which may have many statements.
    async fn transact_at_length<I: Sync, T>(&self, input: I, write: Write<I, T>) -> Result<T> {
        let mut connection = self.pool.acquire().await?;
        let mut transaction = connection.begin().await?;
        let written = write(&mut transaction, &input).await?;
        transaction.commit().await?;
        Ok(written)
    }

    async fn known_files_id(&self, proposed: Option<&str>) -> Result<Option<String>> {
        if let Some(id) = proposed {
            let insert = sqlx::query("INSERT INTO identity (files_id) VALUES ($1) ON CONFLICT DO NOTHING");
            insert.bind(id).execute(&self.pool).await?;
        }
        Ok(reach::files_id_of(&self.pool).await?)
    }

    async fn known_folder(&self, folder: &str) -> Result<Option<String>> {
        let known =
            sqlx::query_scalar("SELECT folder FROM identity").fetch_optional(&self.pool).await?.flatten();
        if known.as_deref() != Some(folder) {
            sqlx::query("UPDATE identity SET folder = $1").bind(folder).execute(&self.pool).await?;
        }
        Ok(known)
    }

    async fn touch(&self) -> Result<()> {
        // No key has this id, but a read-only database rejects the statement anyway.
        sqlx::query("UPDATE keys SET name = name WHERE id = ''").execute(&self.pool).await?;
        Ok(())
    }

    async fn close_connections(&self) {
        self.pool.close().await;
    }
}

/// Makes the rows refer to other files.
async fn set_files_id(db: &mut Connection, files_id: &str) -> Result<()> {
    sqlx::query("DELETE FROM identity").execute(&mut *db).await?;
    sqlx::query("INSERT INTO identity (files_id) VALUES ($1)").bind(files_id).execute(db).await?;
    Ok(())
}

/// Begins the transaction of a claim and waits for its [`turn`].
///
/// The transaction begins in a statement of its own. If the turn is refused, the connection thus returns to
/// the pool without an open transaction.
async fn claiming<'a>(
    connection: &'a mut pool::Connection,
    turn: &'static str,
) -> Result<Transaction<'a, sqlx::Postgres>> {
    let mut transaction = connection.begin().await?;
    transaction.execute(turn).await?;
    Ok(transaction)
}
