//! The store in SQLite: a file in the data folder that needs no setup.
//!
//! The write-ahead log runs with `synchronous = FULL`: a commit is on disk when the call returns. `NORMAL`
//! syncs only at checkpoints, so that a power cut would lose accepted tasks. Writes share the cost of a sync;
//! see `writer`. Readers have connections of their own and never wait for writers.

mod catalogue;
mod events;
mod health;
mod keys;
mod queue;
mod tasks;
mod writer;

use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use async_trait::async_trait;
use sqlx::migrate::Migrator;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::sync::Notify;

use super::catalogue::Resources;
use super::migrations::migrations;
use super::{Identity, Result};

/// The migrations of the schema.
pub static MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| {
    migrations! { "sqlite":
        "0001" keys,
        "0002" tasks,
        "0003" events,
        "0010" catalogue,
        "0011" resources,
        "0030" quotas,
    }
});

/// How long a write waits for another process, such as `asset-service keys create`.
const BUSY: Duration = Duration::from_secs(10);

/// The most reading connections.
const READERS: u32 = 8;

/// A store in a SQLite file.
pub struct Sqlite {
    writer: writer::Writer,
    readers: SqlitePool,
    resources: Resources,
    tasks_woken: Notify,
    events_woken: Notify,
}

impl Sqlite {
    /// Opens or creates the file and migrates its schema.
    ///
    /// # Errors
    /// Fails if the file can't be opened or if its schema is newer than this version's.
    pub async fn open(path: &Path) -> Result<Self> {
        let options = options(path);
        let mut connection = options.connect().await?;
        if let Err(error) = MIGRATIONS.run(&mut connection).await {
            connection.close().await.ok();
            return Err(error.into());
        }
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
            .connect_lazy_with(options.clone().read_only(true));
        let writer = writer::Writer::start(connection, options);
        Ok(Self {
            writer,
            readers,
            resources: Resources::default(),
            tasks_woken: Notify::new(),
            events_woken: Notify::new(),
        })
    }
}

#[async_trait]
impl Identity for Sqlite {
    /// Returns `proposed`, because the database file lies in the folder of its files.
    async fn files_id(&self, proposed: Option<&str>) -> Result<Option<String>> {
        Ok(proposed.map(str::to_owned))
    }
}

fn options(path: &Path) -> SqliteConnectOptions {
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
