//! The store in SQLite: a file in the data folder that needs no setup.
//!
//! The write-ahead log runs with `synchronous = FULL`: a commit is on disk when the call returns. `NORMAL`
//! syncs only at checkpoints, so a power cut would lose accepted tasks. Writes share the cost of a sync;
//! see `writer`. Readers have connections of their own and never wait for writers.

mod audio;
#[path = "../both/mod.rs"]
mod both;
mod bounded;
mod claim;
mod events;
mod queue;
mod resources;
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

use super::catalogue::Resources;
use super::limits::SharedLimits;
use super::loops::Loops;
use super::migrations::{self, Schema, Versions, migrations};
use super::wake::Wakes;
use super::{Access, OldVersions, Result};
use crate::domain::quarantine::Quarantine;

use bounded::Bounded;
use writer::Write;

/// The names that both databases share.
use Sqlite as Database;
use sqlx::Sqlite as Driver;
use sqlx::sqlite::SqliteConnection as Connection;

/// Names the index that a statement uses. SQLite has no statistics to choose it by, and would scan all tasks.
macro_rules! index {
    ($name:literal) => {
        concat!(" INDEXED BY ", $name)
    };
}
use index;

/// Builds the condition that a column is among the values of a [`list`].
macro_rules! in_list {
    ($list:literal) => {
        concat!("IN (SELECT value FROM json_each(", $list, "))")
    };
}
use in_list;

/// SQLite locks the whole database for a write, so there are no locked rows to skip.
macro_rules! skip_locked {
    () => {
        ""
    };
}
use skip_locked;

/// The current time of the database, in milliseconds since 1970.
macro_rules! now {
    () => {
        "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
    };
}
use now;

/// Removes these files ($1) from the table of unused files.
const UNNOTE_FILES: &str =
    "DELETE FROM unused_files WHERE key IN (SELECT value FROM json_each(?)) RETURNING key";

/// Notes files as unused ($1) since the time $2.
const NOTE_FILES: &str = "
    INSERT INTO unused_files (key, since) SELECT value, ?2 FROM json_each(?1) WHERE TRUE
    ON CONFLICT (key) DO UPDATE SET since = excluded.since";

/// Converts values for `json_each`, so that one statement takes any number of them.
fn list<T: serde::Serialize>(values: &[T]) -> String {
    serde_json::json!(values).to_string()
}

/// The migrations of the schema.
pub static MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| {
    migrations! { "sqlite": "0001" schema }
});

/// How long a write waits for another process, such as `asset-service keys create`.
const BUSY: Duration = Duration::from_secs(10);

/// The maximum number of reading connections.
const READERS: u32 = 8;

/// A store in a SQLite file.
pub struct Sqlite {
    loops: Loops,
    writer: writer::Writer,
    readers: SqlitePool,
    searches: Bounded,
    resources: Resources,
    wakes: Wakes,
    quarantine: Quarantine,
}

impl Sqlite {
    /// Opens or creates the file and migrates its schema.
    ///
    /// # Errors
    /// Fails if the file can't be opened or if this version does not know its schema.
    pub async fn open(path: &Path) -> Result<Self> {
        Self::open_with(path, Schema::Migrate, Access::DEFAULT).await
    }

    /// Opens or creates the file.
    ///
    /// `schema` says whether an older schema is migrated or refused. A search or a list fails after the time
    /// of `access`.
    ///
    /// # Errors
    /// Fails if the file can't be opened, or if its schema is unknown or refused.
    pub async fn open_with(path: &Path, schema: Schema, access: Access) -> Result<Self> {
        let options = options(path);
        let mut connection = options.connect().await?;
        if let Err(error) = prepare(&mut connection, &MIGRATIONS, schema).await {
            connection.close().await.ok();
            return Err(error);
        }
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
            .connect_lazy_with(options.clone().read_only(true));
        let loops = Loops::default();
        let writer = writer::Writer::start(connection, options, &loops);
        Ok(Self {
            loops,
            writer,
            searches: Bounded::new(readers.clone(), access.statement),
            readers,
            resources: Resources::default(),
            wakes: Wakes::default(),
            quarantine: Quarantine::default(),
        })
    }
}

/// The input of a write. It must be `'static`, because it is sent to the writer's task.
trait Input: Send + Sync + 'static {}

impl<I: Send + Sync + 'static> Input for I {}

/// The functions that `both` needs from each database.
impl Sqlite {
    /// Returns the connections for statements that find their rows by a key.
    const fn reader(&self) -> &SqlitePool {
        &self.readers
    }

    /// Returns the connections for searches and lists.
    const fn searcher(&self) -> &Bounded {
        &self.searches
    }

    /// Returns the pools, for metrics of their connections.
    const fn connections(&self) -> [&SqlitePool; 1] {
        [&self.readers]
    }

    /// Returns `None`, because SQLite keeps no old versions of rows in tables.
    async fn count_old_versions(&self) -> Result<Option<OldVersions>> {
        Ok(None)
    }

    /// Returns `None`: only one `serve` uses the database, so it keeps its limits in memory.
    const fn limits(&self) -> Option<&dyn SharedLimits> {
        None
    }

    /// Returns 0: the database has this machine's clock, so neither is ahead.
    #[expect(clippy::unused_self, reason = "PostgreSQL has another clock")]
    const fn ahead(&self) -> crate::time::Millis {
        0
    }

    fn writes_waiting(&self) -> usize {
        self.writer.waiting()
    }

    /// Writes with one statement.
    async fn write<I: Input, T: Send + 'static>(&self, input: I, write: Write<I, T>) -> Result<T> {
        self.writer.run(input, write).await
    }

    /// Writes in one transaction.
    async fn transact<I: Input, T: Send + 'static>(&self, input: I, write: Write<I, T>) -> Result<T> {
        self.writer.run(input, write).await
    }

    /// Writes in one transaction, which may have many statements.
    async fn transact_at_length<I: Input, T: Send + 'static>(
        &self,
        input: I,
        write: Write<I, T>,
    ) -> Result<T> {
        self.writer.run(input, write).await
    }

    /// Returns `proposed`, because the database file is in the folder of its files.
    async fn known_files_id(&self, proposed: Option<&str>) -> Result<Option<String>> {
        Ok(proposed.map(str::to_owned))
    }

    /// Returns `None`, because the database file is copied together with the files.
    async fn known_folder(&self, _folder: &str) -> Result<Option<String>> {
        Ok(None)
    }

    /// Reads, and writes a page to the disk without changing any data.
    async fn touch(&self) -> Result<()> {
        sqlx::query("SELECT 1 FROM keys LIMIT 1").execute(&self.readers).await?;
        self.write((), |db, ()| Box::pin(touch(db))).await
    }

    async fn close_connections(&self) {
        self.writer.close();
        self.loops.first_ended().await;
        self.readers.close().await;
    }
}

/// Writes a page to the disk without changing any data.
///
/// SQLite leaves `user_version` to applications, and this one does not use it otherwise.
async fn touch(db: &mut Connection) -> Result<()> {
    sqlx::query("PRAGMA user_version = 1").execute(db).await?;
    Ok(())
}

/// Does nothing: SQLite stores no id of its files, see [`Sqlite::known_files_id`].
async fn set_files_id(_db: &mut Connection, _files_id: &str) -> Result<()> {
    Ok(())
}

/// Opens or creates the file and migrates its schema.
///
/// # Errors
/// Fails if the file can't be opened or if this version does not know its schema.
pub async fn migrate(path: &Path) -> Result<Versions> {
    migrate_by(path, &MIGRATIONS, Schema::Migrate).await
}

/// Opens or creates the file as [`migrate`] does, with these migrations.
///
/// `schema` says whether an older schema is migrated or refused.
///
/// # Errors
/// Fails as [`migrate`] does, or if the schema is refused.
pub async fn migrate_by(path: &Path, migrations: &Migrator, schema: Schema) -> Result<Versions> {
    let mut connection = options(path).connect().await?;
    let versions = prepare(&mut connection, migrations, schema).await;
    connection.close().await?;
    versions
}

/// Writes a consistent snapshot of the database to a new file.
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

/// Checks the schema, and migrates it if `schema` allows this.
pub(super) async fn prepare(
    connection: &mut SqliteConnection,
    migrations: &Migrator,
    schema: Schema,
) -> Result<Versions> {
    let is_empty = "SELECT NOT EXISTS (SELECT 1 FROM sqlite_master WHERE name = '_sqlx_migrations')";
    let is_empty: bool = sqlx::query_scalar(is_empty).fetch_one(&mut *connection).await?;
    let applied = match is_empty {
        true => Vec::new(),
        false => sqlx::query_as(migrations::APPLIED).fetch_all(&mut *connection).await?,
    };
    if migrations::have_to_run(migrations, &applied, schema)? {
        migrations.run(connection).await?;
    }
    Ok(Versions { before: applied.last().map(|(version, _)| *version), now: migrations::newest(migrations) })
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
    use crate::domain::{KeyRecord, WebhookSecret};
    use crate::store::Keys as _;

    #[tokio::test]
    async fn writes_succeed_again_after_a_full_disk() {
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
            role: crate::domain::Role::Client,
            last_used_at: None,
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
            (claim::CLAIMABLE, "tasks_lanes ((demand,size,key_id)>(?,?,?))"),
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
