//! The store in PostgreSQL: for several processes, or several machines.
//!
//! Tasks and events are claimed with `FOR UPDATE SKIP LOCKED`. What is counted in a claim (how many tasks of a key are
//! under way) must not be counted by two claims at once, so that claims of one kind take turns by an advisory lock: they
//! take a millisecond and as many tasks as there are workers free. All else waits for nobody.

mod catalogue;
mod events;
mod health;
mod keys;
mod queue;
mod tasks;
mod wake;

use std::str::FromStr as _;
use std::time::Duration;

use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions as _, Connection as _, Executor as _};

use super::Result;
use super::catalogue::Resources;

/// The versions of the schema.
pub static MIGRATIONS: Migrator = sqlx::migrate!("migrations/postgres");

/// The most connections.
const CONNECTIONS: u32 = 16;

/// How long a call waits for a connection, when the database is busy or being restarted.
const PATIENCE: Duration = Duration::from_secs(15);

/// From when on a connection that was idle is tried before it is used.
const IDLE: Duration = Duration::from_secs(1);

/// A transaction whose process stands still is ended after so long, and its locks are free: claims take turns.
const ABANDONED: &str = "SET idle_in_transaction_session_timeout = '5s'";

/// The store in a PostgreSQL database.
pub struct Postgres {
    pool: PgPool,
    resources: Resources,
    wakes: wake::Wakes,
}

impl Postgres {
    /// Connects, and brings the schema up to date.
    ///
    /// # Errors
    /// The database can't be reached, or its schema is newer than this version's.
    pub async fn connect(url: &str) -> Result<Self> {
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
                Box::pin(async move { connection.execute(ABANDONED).await.map(drop) })
            })
            .connect_with(options)
            .await?;
        MIGRATIONS.run(&pool).await?;
        let wakes = wake::Wakes::start(&pool);
        Ok(Self { pool, resources: Resources::default(), wakes })
    }
}

/// Whether a statement changed its one row.
fn changed(result: &sqlx::postgres::PgQueryResult) -> bool {
    result.rows_affected() == 1
}
