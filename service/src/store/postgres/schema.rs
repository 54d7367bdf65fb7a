//! Migration of the schema while other processes use the database.
//!
//! A change of a table needs a lock that conflicts with all uses of the table. While it waits for a long transaction, such
//! as that of `pg_dump`, all other processes would wait behind it. So a migration waits only briefly, pauses, and tries
//! again.

use std::time::{Duration, Instant};

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _, Executor as _};

use super::pool::{CONNECTING, within};
use super::{MIGRATIONS, reach};
use crate::store::Result;
use crate::store::migrations::{APPLIED, Schema, Versions, have_to_run, newest};

/// How long a migration waits for a lock before it pauses.
const WAIT: &str = "SET lock_timeout = '1s'";

/// How long it pauses.
const PAUSE: Duration = Duration::from_secs(2);

/// How long it tries.
const TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// Connects and migrates the schema.
///
/// # Errors
/// Fails if the database can't be reached, if this version does not know its schema, or if another transaction locks
/// a table for ten minutes.
pub async fn migrate(url: &str) -> Result<Versions> {
    migrate_by(url, &MIGRATIONS, Schema::Migrate).await
}

/// Connects as [`migrate`] does, with these migrations; an older schema is migrated or refused.
///
/// # Errors
/// Fails as [`migrate`] does, or if the schema is refused.
pub async fn migrate_by(url: &str, migrations: &Migrator, schema: Schema) -> Result<Versions> {
    let options = reach::primary(&reach::servers(url)?, None).await?;
    migrated(&options, migrations, schema).await
}

/// Migrates the schema of a database that can be reached.
pub(in crate::store) async fn migrated(
    options: &PgConnectOptions,
    migrations: &Migrator,
    schema: Schema,
) -> Result<Versions> {
    let mut connection = within(CONNECTING, options.connect()).await?;
    let versions = prepare(&mut connection, migrations, schema).await;
    connection.close().await?;
    versions
}

/// Checks the schema and migrates it if that is wanted.
async fn prepare(connection: &mut PgConnection, migrations: &Migrator, schema: Schema) -> Result<Versions> {
    let is_empty: bool = sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations') IS NULL")
        .fetch_one(&mut *connection)
        .await?;
    let applied = match is_empty {
        true => Vec::new(),
        false => sqlx::query_as(APPLIED).fetch_all(&mut *connection).await?,
    };
    if have_to_run(migrations, &applied, schema)? {
        run(connection, migrations).await?;
    }
    Ok(Versions { before: applied.last().map(|(version, _)| *version), now: newest(migrations) })
}

async fn run(connection: &mut PgConnection, migrations: &Migrator) -> Result<()> {
    connection.execute(WAIT).await?;
    let begun = Instant::now();
    loop {
        match migrations.run(&mut *connection).await {
            Err(error) if is_locked(&error) && begun.elapsed() < TIMEOUT => {
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
