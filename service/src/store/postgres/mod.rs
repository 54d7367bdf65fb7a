//! The store in PostgreSQL: for several processes, or several machines.
//!
//! Tasks and events are claimed with `FOR UPDATE SKIP LOCKED`. What is counted in a claim (how many tasks of a key are
//! under way) must not be counted by two claims at once, so that claims of one kind take turns by an advisory lock: they
//! take a millisecond and as many tasks as there are workers free. All else waits for nobody.

mod catalogue;
mod creation;
mod events;
mod health;
mod keys;
mod queue;
mod shared;
mod skew;
mod tasks;
mod wake;

use std::str::FromStr as _;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use async_trait::async_trait;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions as _, Connection as _, Executor as _, Transaction};

use super::catalogue::Resources;
use super::migrations::migrations;
use super::{Identity, NewTask, Result};
use crate::time::Clock;

use shared::Shared;

/// The versions of the schema.
pub static MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| {
    migrations! { "postgres":
        "0001" keys,
        "0002" tasks,
        "0003" events,
        "0004" identity,
        "0010" catalogue,
        "0011" resources,
    }
});

/// The most connections.
const CONNECTIONS: u32 = 16;

/// How long a call waits for a connection, when the database is busy or being restarted.
const PATIENCE: Duration = Duration::from_secs(15);

/// From when on a connection that was idle is tried before it is used.
const IDLE: Duration = Duration::from_secs(1);

/// What holds for each connection. A transaction whose process stands still is ended after so long, and its locks are free:
/// claims take turns. And no statement here is worth compiling, which takes PostgreSQL seconds where it estimates badly.
const SESSION: &str = "SET idle_in_transaction_session_timeout = '5s'; SET jit = off";

/// What a claim begins with: it waits for its turn. The statement that follows sees what the claim before it has committed.
///
/// It is planned once for each connection, whatever PostgreSQL thinks of the tables: it has no good idea of rows that wait for
/// milliseconds. A scan by bitmap would read the index entries of all that was claimed lately again each time; other scans
/// of an index mark those that are over.
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

/// The store in a PostgreSQL database.
pub struct Postgres {
    pool: PgPool,
    resources: Resources,
    creations: Shared<NewTask>,
    endings: Shared<queue::Ending>,
    recordings: Shared<events::Recording>,
    wakes: wake::Wakes,
    skew: Arc<skew::Skew>,
    watch: tokio::task::JoinHandle<()>,
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.watch.abort();
    }
}

impl Postgres {
    /// Connects, and brings the schema up to date.
    ///
    /// # Errors
    /// The database can't be reached, its schema is newer than this version's, or its clock is another one than this
    /// machine's.
    pub async fn connect(url: &str) -> Result<Self> {
        Self::connect_by(url, Clock::System).await
    }

    /// The same by this clock, on which nothing depends but whether it agrees with the database's.
    ///
    /// # Errors
    /// As [`Self::connect`].
    pub async fn connect_by(url: &str, clock: Clock) -> Result<Self> {
        let options =
            PgConnectOptions::from_str(url)?.application_name("asset-service").disable_statement_logging();
        let pool = PgPoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(PATIENCE)
            .test_before_acquire(false)
            .before_acquire(|connection, metadata| {
                Box::pin(async move {
                    if metadata.idle_for > IDLE {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            })
            .after_connect(|connection, _| {
                Box::pin(async move { connection.execute(SESSION).await.map(drop) })
            })
            .connect_with(options)
            .await?;
        let skew = skew::Skew::of(&pool, clock).await?;
        MIGRATIONS.run(&pool).await?;
        Ok(Self {
            resources: Resources::default(),
            creations: Shared::start(&pool),
            endings: Shared::start(&pool),
            recordings: Shared::start(&pool),
            wakes: wake::Wakes::start(&pool),
            watch: Arc::clone(&skew).watch(),
            skew,
            pool,
        })
    }

    /// Compares this machine's clock with the database's, as happens each minute.
    ///
    /// # Errors
    /// They differ, or the database can't be reached.
    pub async fn compare_clocks(&self) -> Result<()> {
        self.skew.look().await
    }
}

#[async_trait]
impl Identity for Postgres {
    async fn files_id(&self, proposed: Option<&str>) -> Result<Option<String>> {
        if let Some(id) = proposed {
            sqlx::query("INSERT INTO identity (files_id) VALUES ($1) ON CONFLICT DO NOTHING")
                .bind(id)
                .execute(&self.pool)
                .await?;
        }
        let id = sqlx::query_scalar("SELECT files_id FROM identity").fetch_optional(&self.pool).await?;
        Ok(id)
    }
}

/// The transaction of a claim that has its [`turn`]. It has begun before that is asked for: where the turn is refused, the
/// connection goes back without a transaction.
async fn claiming(pool: &PgPool, turn: &'static str) -> Result<Transaction<'static, sqlx::Postgres>> {
    let mut transaction = pool.begin().await?;
    transaction.execute(turn).await?;
    Ok(transaction)
}

/// Whether a statement changed its one row.
fn changed(result: &sqlx::postgres::PgQueryResult) -> bool {
    result.rows_affected() == 1
}
