//! A separate store for each test, and test data.

use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use asset_service::domain::{
    Claim, Claimed, Content, Counts, DeliveryCaps, Demand, Ended, Engines, EventClaim, Facts, FailureCause,
    Idempotency, KeyRecord, NewTask, Only, Page, Payload, Piece, Release, Role, Task, TaskStatus,
    WebhookSecret,
};
use asset_service::engine::family::{self, Family};
use asset_service::store::postgres::{self, Postgres};
use asset_service::store::sqlite::{self, Sqlite};
use asset_service::store::{Access, Error, Schema, SharedStore, Versions};
use asset_service::time::{Clock, Millis};
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::postgres::PgConnection;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, SqlSafeStr as _};
use tempfile::TempDir;
use uuid::Uuid;

use super::cluster::Cluster;

/// The time at which tests begin, in 2026.
pub const NOW: Millis = 1_790_000_000_000;

/// The version of the next release's schema.
pub const NEXT: i64 = 9999;

/// A page with everything.
pub const ALL: Page = Page { offset: 0, limit: 1000 };

/// A store and its database.
pub struct Fixture {
    /// The store under test.
    pub store: SharedStore,
    /// The database of the store.
    pub database: TestDatabase,
}

/// A database.
pub enum TestDatabase {
    /// SQLite in a temporary folder.
    Folder(TempDir),
    /// PostgreSQL at this URL.
    Url(String),
}

impl TestDatabase {
    /// Opens the database, as another process would.
    pub async fn open(&self) -> SharedStore {
        match self {
            Self::Folder(folder) => {
                Arc::new(Sqlite::open(&folder.path().join("service.db")).await.expect("a store"))
            }
            Self::Url(url) => Arc::new(Postgres::connect(url).await.expect("a store")),
        }
    }

    /// Opens the database with or without migration.
    pub async fn try_open(&self, schema: Schema) -> Result<SharedStore, Error> {
        Ok(match self {
            Self::Folder(folder) => {
                Arc::new(Sqlite::open_with(&folder.path().join("service.db"), schema, Access::DEFAULT).await?)
            }
            Self::Url(url) => {
                Arc::new(Postgres::connect_with(url, Clock::System, schema, Access::DEFAULT).await?)
            }
        })
    }

    /// Returns an empty database of the same kind.
    pub async fn empty(&self) -> Self {
        match self {
            Self::Folder(_) => Self::folder(),
            Self::Url(_) => Self::Url(Cluster::shared().expect("a cluster").database().await),
        }
    }

    /// Returns a database of the same kind with this version of the schema.
    pub async fn of_version(&self, version: i64) -> Self {
        let database = self.empty().await;
        match &database {
            Self::Folder(folder) => {
                let pool = Self::sqlite(folder).await;
                sqlite::MIGRATIONS.run_to(version, &pool).await.expect("a schema");
                pool.close().await;
            }
            Self::Url(url) => {
                let pool = sqlx::PgPool::connect(url).await.expect("a database");
                postgres::MIGRATIONS.run_to(version, &pool).await.expect("a schema");
                pool.close().await;
            }
        }
        database
    }

    /// Checks the schema against that of the next release, and migrates it if that is wanted.
    pub async fn try_next(&self, schema: Schema) -> Result<Versions, Error> {
        let next = Migration::new(
            NEXT,
            "next".into(),
            MigrationType::Simple,
            "ALTER TABLE tasks ADD COLUMN of_the_next_release TEXT".into_sql_str(),
            false,
        );
        let after = |migrations: &Migrator| {
            Migrator::with_migrations(migrations.iter().cloned().chain([next.clone()]).collect())
        };
        match self {
            Self::Folder(folder) => {
                let file = folder.path().join("service.db");
                sqlite::migrate_by(&file, &after(&sqlite::MIGRATIONS), schema).await
            }
            Self::Url(url) => postgres::migrate_by(url, &after(&postgres::MIGRATIONS), schema).await,
        }
    }

    /// Runs statements.
    pub async fn run(&self, sql: &'static str) {
        match self {
            Self::Folder(folder) => {
                let pool = Self::sqlite(folder).await;
                sqlx::raw_sql(sql).execute(&pool).await.expect("rows");
                pool.close().await;
            }
            Self::Url(url) => {
                let pool = sqlx::PgPool::connect(url).await.expect("a database");
                sqlx::raw_sql(sql).execute(&pool).await.expect("rows");
                pool.close().await;
            }
        }
    }

    /// Returns the URL of the database.
    pub fn url(&self) -> String {
        match self {
            Self::Folder(folder) => {
                format!("sqlite://{}?mode=rwc", folder.path().join("service.db").display())
            }
            Self::Url(url) => url.clone(),
        }
    }

    async fn sqlite(folder: &TempDir) -> sqlx::SqlitePool {
        let url = format!("sqlite://{}?mode=rwc", folder.path().join("service.db").display());
        sqlx::SqlitePool::connect(&url).await.expect("a database")
    }

    fn folder() -> Self {
        Self::Folder(tempfile::tempdir().expect("a folder"))
    }
}

/// Puts events of a key into the outbox of a database, due at this time, that belong to no task.
///
/// They go to `url` with the number of their host instead of `#`.
pub async fn put_events(database: &str, url: &str, key_id: &str, (count, hosts): (u32, u32), due_at: Millis) {
    let (start, end) = url.split_once('#').expect("a `#` for the number");
    let (_, before) = start.split_once("//").expect("a URL");
    let after = end.split([':', '/']).next().expect("a host");
    let id = Uuid::now_v7().simple();
    let insert = |numbers: &str, task: &str, terminal: &str| {
        AssertSqlSafe(format!(
            "INSERT INTO events (id, task_id, key_id, url, host, payload, terminal, state, due_at, created_at)
             SELECT 'msg_{id}' || i, {task}, '{key_id}', '{start}' || (i % {hosts}) || '{end}',
                    '{before}' || (i % {hosts}) || '{after}', '{{}}', {terminal}, 0, {due_at}, {due_at}
             FROM {numbers}"
        ))
    };
    if database.starts_with("sqlite") {
        let options = SqliteConnectOptions::from_str(database).expect("a database").foreign_keys(false);
        let mut db = options.connect().await.expect("a database");
        let numbers = format!(
            "(WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {count}) SELECT i FROM n)"
        );
        sqlx::query(insert(&numbers, "randomblob(16)", "1")).execute(&mut db).await.expect("events");
        db.close().await.expect("a database");
    } else {
        let mut db = PgConnection::connect(database).await.expect("a database");
        db.execute("SET session_replication_role = replica").await.expect("no foreign keys");
        let numbers = format!("generate_series(0, {count} - 1) AS i");
        sqlx::query(insert(&numbers, "gen_random_uuid()", "TRUE")).execute(&mut db).await.expect("events");
        db.close().await.expect("a database");
    }
}

impl Fixture {
    /// Creates a store on SQLite in a temporary folder.
    pub async fn sqlite() -> Option<Self> {
        let database = TestDatabase::folder();
        Some(Self { store: database.open().await, database })
    }

    /// Creates a store on a new PostgreSQL database; `None` if it is not installed.
    pub async fn postgres() -> Option<Self> {
        let database = TestDatabase::Url(Cluster::shared()?.database().await);
        Some(Self { store: database.open().await, database })
    }
}

/// Returns a key with this id.
pub fn key(id: &str) -> KeyRecord {
    KeyRecord {
        id: id.to_owned(),
        name: format!("{id} of the test"),
        secret_hash: vec![7; 32],
        replaced: None,
        enterprise: id.ends_with('E'),
        tier: "default".to_owned(),
        created_at: NOW,
        expires_at: None,
        revoked_at: None,
        role: Role::Client,
        last_used_at: None,
    }
}

/// Returns a secret that consists of this byte.
pub fn secret(byte: u8) -> WebhookSecret {
    WebhookSecret { bytes: vec![byte; 24], created_at: NOW + i64::from(byte), expires_at: None }
}

/// Returns a new task of this key.
pub fn task(key_id: &str) -> NewTask {
    let id = Uuid::now_v7();
    NewTask {
        task: Task {
            id,
            key_id: key_id.to_owned(),
            family: "sound-effects".to_owned(),
            model: None,
            status: TaskStatus::Created,
            results: Vec::new(),
            error: None,
            engine: "procedural sound".to_owned(),
            folder: format!("{:032x}", u128::from_be_bytes(*id.as_bytes()).reverse_bits()),
            webhook_url: None,
            app: None,
            ignored: Vec::new(),
            progress: None,
            created_at: NOW,
            updated_at: NOW,
        },
        work: r#"{"text": "rain"}"#.to_owned(),
        demand: Demand { engines: Engines::built_in(["sound-effects"]), size: i16::MAX },
        input_bytes: 0,
        idempotency: None,
        daily_quota: None,
        trace: None,
    }
}

/// Makes a task one that this path lists.
pub fn listed_at(path: &str, new: NewTask) -> NewTask {
    let has_path = |family: &&&Family| family.path_of(Some("standard")) == path;
    let family = family::ALL.iter().find(has_path).expect("a family");
    let model = family.has_models().then(|| "standard".to_owned());
    NewTask { task: Task { family: family.name.to_owned(), model, ..new.task }, ..new }
}

/// Returns a new task with a webhook.
pub fn task_with_webhook(key_id: &str, url: &str) -> NewTask {
    let mut new = task(key_id);
    new.task.webhook_url = Some(url.to_owned());
    new
}

/// Returns an `Idempotency-Key` and the hash of a body.
pub fn idempotency(key: &str, body: u8) -> Idempotency {
    Idempotency {
        path: "/v1/ai/sound-effects".to_owned(),
        key: key.to_owned(),
        body_hash: vec![body; 32],
        expires_at: NOW + 86_400_000,
    }
}

/// Returns a claim of up to `limit` tasks, with leases of a second.
///
/// Its cap per key is 4, and tasks have 3 attempts.
pub fn claim(owner: &str, now: Millis, limit: u32) -> Claim {
    Claim {
        owner: owner.to_owned(),
        now,
        lease_until: now + 1000,
        limit,
        running_per_key: 4,
        max_attempts: 3,
        only: Only::default(),
    }
}

/// Returns a cap per host and practically none per key and per lane.
pub fn caps(per_host: u32) -> DeliveryCaps {
    DeliveryCaps { per_lane: 1000, per_host, reserved: 0, per_key: 1000 }
}

/// Returns a claim of events with these [`caps`].
pub fn claim_events(now: Millis, lease_until: Millis, per_host: u32, limit: u32) -> EventClaim {
    EventClaim { now, lease_until, caps: caps(per_host), limit }
}

/// Claims tasks; their events' payloads contain id and status.
pub async fn take(store: &SharedStore, claim: &Claim) -> Vec<Claimed> {
    let payload: Payload = Arc::new(|task: &Task| format!("{} {}", task.id, task.status.name()));
    store.claim_tasks(claim, &payload).await.expect("a claim")
}

/// Returns the return of a task whose attempt counts.
pub fn counted(not_before: Millis) -> Release {
    Release::new(Counts::Attempt, not_before)
}

/// Returns the return of a task whose attempt does not count.
pub fn refunded(not_before: Millis) -> Release {
    Release::new(Counts::Nothing, not_before)
}

/// Returns an end with a file and a text.
pub fn done(now: Millis) -> Ended {
    let facts = Facts { step: Some("voiceover".to_owned()), milliseconds: Some(1500), ..Facts::default() };
    let file = Piece { content: Content::File("folder/1/0.wav".to_owned()), facts };
    Ended {
        results: vec![file, Content::Text("a \"word\"".to_owned()).into()],
        error: None,
        engine: Some("test/2".to_owned()),
        result_bytes: 7,
        engine_time: Some(Duration::from_millis(1500)),
        now,
        payload: "done".to_owned(),
    }
}

/// Returns an end with a failure.
pub fn failed(now: Millis) -> Ended {
    let cause = FailureCause { code: "fetch_failed".to_owned(), message: "The file is gone.".to_owned() };
    Ended {
        results: Vec::new(),
        error: Some(cause),
        engine: None,
        result_bytes: 0,
        engine_time: None,
        now,
        payload: "failed".to_owned(),
    }
}

/// Creates a task and returns it.
pub async fn create(store: &SharedStore, new: NewTask) -> Task {
    let created = store.create_task(&new).await.expect("a task");
    assert_eq!(created, asset_service::domain::Created::New);
    new.task
}

/// Runs a future `times` times concurrently.
pub async fn at_once<T: Send + 'static, F: Future<Output = T> + Send + 'static>(
    times: usize,
    run: impl Fn(usize) -> F,
) -> Vec<T> {
    let running: Vec<_> = (0..times).map(|number| tokio::spawn(run(number))).collect();
    let mut values = Vec::new();
    for one in running {
        let value = tokio::time::timeout(Duration::from_secs(120), one).await.expect("in time");
        values.push(value.expect("no panic"));
    }
    values
}
