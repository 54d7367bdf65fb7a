//! The store in SQLite: a file in the data folder that needs no setup.
//!
//! The write-ahead log runs with `synchronous = FULL`: a commit is on disk when the call returns. `NORMAL`
//! syncs only at checkpoints, so that a power cut would lose accepted tasks. Writes share the cost of a sync;
//! see `writer`. Readers have connections of their own and never wait for writers.

mod bounded;
mod catalogue;
mod deaths;
mod events;
mod health;
mod identity;
mod keys;
mod queue;
mod spending;
mod tasks;
mod writer;

use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use sqlx::migrate::Migrator;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::sync::Notify;

use super::catalogue::Resources;
use super::deaths::Suspects;
use super::ends::Ends;
use super::migrations::{self, Schema, Versions, migrations};
use super::{Result, STATEMENT};

use bounded::Bounded;

/// The migrations of the schema.
pub static MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| {
    migrations! { "sqlite":
        "0001" keys,
        "0002" tasks,
        "0003" events,
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
        "0072" suspects,
        "0075" quiescence,
        "0080" usage,
        "0081" unused_files,
    }
});

/// How long a write waits for another process, such as `asset-service keys create`.
const BUSY: Duration = Duration::from_secs(10);

/// The most reading connections.
const READERS: u32 = 8;

/// A store in a SQLite file.
pub struct Sqlite {
    ends: Ends,
    writer: writer::Writer,
    readers: SqlitePool,
    searches: Bounded,
    resources: Resources,
    tasks_woken: Notify,
    events_woken: Notify,
    suspects: Suspects,
}

impl Sqlite {
    /// Opens or creates the file and migrates its schema.
    ///
    /// # Errors
    /// Fails if the file can't be opened or if its schema is newer than this version's.
    pub async fn open(path: &Path) -> Result<Self> {
        Self::open_with(path, Schema::Migrate, STATEMENT).await
    }

    /// Opens or creates the file; an older schema is migrated or refused.
    ///
    /// A search or a list ends after the time of `statement`.
    ///
    /// # Errors
    /// Fails if the file can't be opened, or if its schema is newer or refused.
    pub async fn open_with(path: &Path, schema: Schema, statement: Duration) -> Result<Self> {
        let options = options(path);
        let mut connection = options.connect().await?;
        if let Err(error) = prepare(&mut connection, schema).await {
            connection.close().await.ok();
            return Err(error);
        }
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
            .connect_lazy_with(options.clone().read_only(true));
        let ends = Ends::default();
        let writer = writer::Writer::start(connection, options, &ends);
        Ok(Self {
            ends,
            writer,
            searches: Bounded::new(readers.clone(), statement),
            readers,
            resources: Resources::default(),
            tasks_woken: Notify::new(),
            events_woken: Notify::new(),
            suspects: Suspects::default(),
        })
    }
}

/// Opens or creates the file and migrates its schema.
///
/// # Errors
/// Fails if the file can't be opened or if its schema is newer than this version's.
pub async fn migrate(path: &Path) -> Result<Versions> {
    let mut connection = options(path).connect().await?;
    let versions = prepare(&mut connection, Schema::Migrate).await;
    connection.close().await?;
    versions
}

/// Copies the database to a new file, as of one moment.
///
/// # Errors
/// Fails if the file can't be opened or the copy can't be written.
pub async fn backup(path: &Path, copy: &Path) -> Result<()> {
    let mut connection = options(path).read_only(true).create_if_missing(false).connect().await?;
    let copied = sqlx::query("VACUUM INTO ?").bind(copy.display().to_string()).execute(&mut connection).await;
    connection.close().await?;
    copied?;
    Ok(())
}

/// Checks the schema and migrates it if that is wanted.
pub(super) async fn prepare(connection: &mut SqliteConnection, schema: Schema) -> Result<Versions> {
    let is_empty = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_master WHERE name = '_sqlx_migrations')";
    let is_empty: bool = sqlx::query_scalar(is_empty).fetch_one(&mut *connection).await?;
    let applied: Vec<i64> = if is_empty {
        Vec::new()
    } else {
        let applied = "SELECT version FROM _sqlx_migrations WHERE success ORDER BY version";
        sqlx::query_scalar(applied).fetch_all(&mut *connection).await?
    };
    if migrations::have_to_run(&MIGRATIONS, &applied, schema)? {
        MIGRATIONS.run(connection).await?;
    }
    Ok(Versions { before: applied.last().copied(), now: migrations::newest(&MIGRATIONS) })
}

pub(super) fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY)
        .foreign_keys(true)
        .disable_statement_logging()
        // 32 MiB of cache for each connection, and a log of at most 64 MiB after a checkpoint.
        .pragma("cache_size", "-32768")
        .pragma("wal_autocheckpoint", "4000")
        .pragma("journal_size_limit", "67108864")
}

#[cfg(test)]
mod tests {
    use sqlx::Row as _;

    use super::*;
    use crate::store::{KeyRecord, Keys as _, WebhookSecret};

    #[tokio::test]
    async fn a_full_disk_passes() {
        let folder = tempfile::tempdir().unwrap();
        let store = Sqlite::open(&folder.path().join("service.db")).await.unwrap();
        let limit = async |pages: u32| {
            let set = store.writer.run(pages, |db, pages| {
                Box::pin(async move {
                    let set = sqlx::AssertSqlSafe(format!("PRAGMA max_page_count = {pages}"));
                    sqlx::query(set).execute(db).await?;
                    Ok(())
                })
            });
            set.await.unwrap();
        };
        let secret = WebhookSecret { bytes: vec![7; 24], created_at: 1, expires_at: None };
        let key = KeyRecord {
            id: "AAAA0001".to_owned(),
            name: "long ".repeat(1_000_000),
            secret_hash: vec![7; 32],
            replaced: None,
            enterprise: false,
            tier: "default".to_owned(),
            created_at: 1,
            expires_at: None,
            revoked_at: None,
        };
        limit(1).await;
        let error = store.insert_key(&key, &secret).await.unwrap_err();
        assert!(error.is_full() && error.is_temporary(), "{error}");
        limit(100_000).await;
        store.insert_key(&key, &secret).await.unwrap();
    }

    #[tokio::test]
    async fn one_index_step_finds_the_next_lane() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = options(&folder.path().join("service.db")).connect().await.unwrap();
        MIGRATIONS.run(&mut db).await.unwrap();
        for (claim, step) in [
            (queue::CLAIMABLE, "tasks_lanes ((families,size,key_id)>(?,?,?))"),
            (events::DUE_KEYS, "events_due (key_id>?)"),
            (events::LANES, "events_by_lane (key_id=? AND host>?)"),
        ] {
            let explain = sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {claim}"));
            let plan = sqlx::query(explain).fetch_all(&mut db).await.unwrap();
            let plan: Vec<String> = plan.iter().map(|row| row.get("detail")).collect();
            assert!(plan.iter().any(|line| line.ends_with(step)), "{plan:#?}");
        }
    }
}
