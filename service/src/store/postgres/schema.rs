//! Migration of the schema while other processes use the database.
//!
//! A change of a table needs a lock that conflicts with all uses of the table. While it waits for a long transaction, such
//! as that of `pg_dump`, everybody else would wait behind it. So a migration waits only briefly, gives way, and tries
//! again.

use std::time::{Duration, Instant};

use sqlx::migrate::MigrateError;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _, Executor as _};

use super::pool::{CONNECTING, within};
use super::{MIGRATIONS, reach};
use crate::store::Result;
use crate::store::migrations::{self, Schema, Versions};

/// How long a migration waits for a lock before it gives way.
const WAIT: &str = "SET lock_timeout = '1s'";

/// How long it gives way.
const PAUSE: Duration = Duration::from_secs(2);

/// How long it tries.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

/// Connects and migrates the schema.
///
/// # Errors
/// Fails if the database can't be reached, if its schema is newer than this version's, or if another transaction locks
/// a table for ten minutes.
pub async fn migrate(url: &str) -> Result<Versions> {
    let options = reach::options(url)?;
    reach::check(&options).await?;
    migrated(&options, Schema::Migrate).await
}

pub(in crate::store) async fn migrated(options: &PgConnectOptions, schema: Schema) -> Result<Versions> {
    let mut connection = within(CONNECTING, options.connect()).await?;
    let versions = prepare(&mut connection, schema).await;
    connection.close().await?;
    versions
}

/// Checks the schema and migrates it if that is wanted.
async fn prepare(connection: &mut PgConnection, schema: Schema) -> Result<Versions> {
    let is_empty: bool = sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations') IS NULL")
        .fetch_one(&mut *connection)
        .await?;
    let applied: Vec<i64> = if is_empty {
        Vec::new()
    } else {
        let applied = "SELECT version FROM _sqlx_migrations WHERE success ORDER BY version";
        sqlx::query_scalar(applied).fetch_all(&mut *connection).await?
    };
    if migrations::have_to_run(&MIGRATIONS, &applied, schema)? {
        run(connection).await?;
    }
    Ok(Versions { before: applied.last().copied(), now: migrations::newest(&MIGRATIONS) })
}

async fn run(connection: &mut PgConnection) -> Result<()> {
    connection.execute(WAIT).await?;
    let begun = Instant::now();
    loop {
        match MIGRATIONS.run(&mut *connection).await {
            Err(error) if is_locked(&error) && begun.elapsed() < PATIENCE => {
                tracing::warn!(%error, "another transaction uses a table that has to be migrated; retrying");
                tokio::time::sleep(PAUSE).await;
            }
            ended => return Ok(ended?),
        }
    }
}

/// Returns whether a lock was not available in time. The migration had no effect then.
fn is_locked(error: &MigrateError) -> bool {
    let (MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) = error else {
        return false;
    };
    error.as_database_error().and_then(|error| error.code()).is_some_and(|code| code == "55P03")
}
