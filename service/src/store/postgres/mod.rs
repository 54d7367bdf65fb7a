//! The store in PostgreSQL, for several processes on one or more machines.
//!
//! Claims lock tasks and events with `FOR UPDATE SKIP LOCKED`. A claim also counts how many tasks of a key
//! are in progress, and two claims must not count at once. Claims of one kind therefore take turns by an
//! advisory lock. A claim is short and takes as many tasks as there are free workers. Nothing else waits for
//! the lock.

mod catalogue;
mod creation;
mod deaths;
mod events;
mod health;
mod identity;
mod keys;
mod pool;
mod queue;
pub(super) mod reach;
pub(super) mod schema;
mod shared;
mod skew;
mod spending;
mod tasks;
pub(super) mod tools;
mod wake;

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use sqlx::migrate::Migrator;
use sqlx::{Connection as _, Executor as _, Transaction};

use super::catalogue::Resources;
use super::deaths::Suspects;
use super::ends::Ends;
use super::migrations::{Schema, migrations};
use super::{NewTask, Result, STATEMENT};
use crate::time::Clock;

use pool::{Connection, Pool};
pub use schema::migrate;
use shared::Shared;

/// The migrations of the schema.
pub static MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| {
    migrations! { "postgres":
        "0001" keys,
        "0002" tasks,
        "0003" events,
        "0004" identity,
        "0010" catalogue,
        "0011" resources,
        "0020" event_lanes,
        "0021" task_lanes,
        "0022" clock,
        "0023" replaced_secrets,
        "0030" quotas,
        "0031" stored_bytes,
        "0040" calls,
        "0050" spending,
        "0051" price_sources,
        "0060" outages,
        "0061" sweep_turns,
        "0062" inputs_and_kept_results,
        "0063" deliveries,
        "0070" event_claims,
        "0071" old_event_lanes,
        "0072" suspects,
        "0075" quiescence,
        "0076" files_folder,
        "0080" usage,
        "0081" unused_files,
    }
});

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
    ends: Ends,
    pool: Pool,
    resources: Resources,
    creations: Shared<NewTask>,
    endings: Shared<queue::Ending>,
    recordings: Shared<events::Recording>,
    wakes: wake::Wakes,
    skew: Arc<skew::Skew>,
    watch: tokio::task::JoinHandle<()>,
    suspects: Suspects,
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.watch.abort();
    }
}

impl Postgres {
    /// Connects and migrates the schema.
    ///
    /// # Errors
    /// Fails if the database can't be reached, if its schema is newer than this version's, or if its clock
    /// differs from this machine's clock.
    pub async fn connect(url: &str) -> Result<Self> {
        Self::connect_with(url, Clock::System, Schema::Migrate, STATEMENT).await
    }

    /// Connects as [`Self::connect`] does, with another clock; an older schema is migrated or refused.
    ///
    /// The clock only serves to check that it agrees with the database's clock. PostgreSQL ends a statement after
    /// the time of `statement`. The store gives it up a sixth of that time later, at least 6 seconds later.
    ///
    /// # Errors
    /// Fails as [`Self::connect`] does, or if the schema is refused.
    pub async fn connect_with(url: &str, clock: Clock, schema: Schema, statement: Duration) -> Result<Self> {
        let options = reach::options(url)?;
        reach::check(&options).await?;
        let pool = Pool::connect(options.clone(), statement).await?;
        let skew = skew::Skew::of(&pool, clock).await?;
        // A migration has a connection of its own, because it may take longer than any other statement.
        schema::migrated(&options, schema).await?;
        let ends = Ends::default();
        Ok(Self {
            resources: Resources::default(),
            creations: Shared::start(&pool, &ends),
            endings: Shared::start(&pool, &ends),
            recordings: Shared::start(&pool, &ends),
            wakes: wake::Wakes::start(&pool, options, &ends),
            suspects: Suspects::default(),
            watch: Arc::clone(&skew).watch(&ends),
            skew,
            pool,
            ends,
        })
    }

    /// Compares this machine's clock with the database's clock.
    ///
    /// The store also does this by itself every minute.
    ///
    /// # Errors
    /// Fails if the clocks differ or if the database can't be reached.
    pub async fn compare_clocks(&self) -> Result<()> {
        self.skew.look().await
    }
}

/// Begins the transaction of a claim and waits for its [`turn`].
///
/// The transaction begins in a statement of its own. If the turn is refused, the connection thus returns to
/// the pool without an open transaction.
async fn claiming<'a>(
    connection: &'a mut Connection,
    turn: &'static str,
) -> Result<Transaction<'a, sqlx::Postgres>> {
    let mut transaction = connection.begin().await?;
    transaction.execute(turn).await?;
    Ok(transaction)
}

/// Returns whether a statement changed exactly one row.
fn changed(result: &sqlx::postgres::PgQueryResult) -> bool {
    result.rows_affected() == 1
}
