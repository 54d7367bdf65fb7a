//! The benchmark's databases.
//!
//! Each is created once in the target folder, and reused while the schema and the numbers stay the same.

use std::path::{Path, PathBuf};

use asset_service::catalogue::Resource;
use asset_service::domain::{self, Claim, Content, Ended, NewTask, Task, TaskStatus};
use asset_service::store::{self, SharedStore, postgres, sqlite};
use asset_service::time::Clock;
use futures_util::stream::{self, StreamExt};
use sqlx::{AssertSqlSafe, Connection, PgConnection, SqliteConnection};
use uuid::Uuid;

use crate::catalogue;
use crate::cluster::Cluster;
use crate::process;

/// Disables the limits that would stop a client at full speed, and nothing else.
const SETTINGS: &str = "\
[http]
open = { burst = 1000000, per-second = 1000000.0, downloads = 1000 }

[tiers.default]
burst = 1000000
per-second = 1000000.0
open-tasks = 1000000000
concurrent-requests = 100000

[tiers.daily]
burst = 1000000
per-second = 1000000.0
open-tasks = 1000000000
concurrent-requests = 100000
daily-tasks = 1000000000
";

/// The seed of the catalogue.
const SEED: u64 = 1;

/// The database and the data folder of a service.
pub struct Database {
    pub folder: PathBuf,
    /// The URL, if it is PostgreSQL.
    pub url: Option<String>,
    /// The bucket of the files, unless they are in the folder.
    pub files: Option<String>,
}

/// A database with its contents.
pub struct Prepared {
    pub database: Database,
    /// The API key that owns the tasks.
    pub key: String,
    /// Another key, with a daily quota.
    pub daily_key: String,
    pub tasks: Vec<Uuid>,
}

/// Returns the folder of all databases.
pub fn home() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-service")
}

/// Returns a database with this many resources and ended tasks.
///
/// With a `cluster` it is in PostgreSQL. The rows of earlier runs are removed.
pub async fn prepared(cluster: Option<&Cluster>, resources: u32, rows: u32) -> Prepared {
    let name = format!("{}_{resources}_{rows}_{:016x}", store_name(cluster), schema(cluster));
    let folder = home().join(&name);
    let is_prepared = folder.join("prepared").exists();
    if let Some(cluster) = cluster {
        // The server may just have been started.
        cluster.connected().await.close().await.expect("an end");
    }
    let database = if is_prepared { there(cluster, &name) } else { empty(cluster, &name).await };
    if !is_prepared {
        eprintln!("creating {name}; it is kept for the next run");
        let key = new_key(&database, &[]);
        let store = open(&database).await;
        put_resources(&store, resources).await;
        let tasks = put_tasks(&store, key_id(&key), rows).await;
        drop(store);
        let ids: Vec<String> = tasks.iter().map(ToString::to_string).collect();
        write(&folder.join("tasks"), &ids.join("\n"));
        write(&folder.join("key"), &key);
        write(&folder.join("daily-key"), &new_key(&database, &["--tier", "daily"]));
        // PostgreSQL's autovacuum would do this within a minute.
        run(&database, &["VACUUM ANALYZE"], &[]).await;
        write(&folder.join("prepared"), "");
    }
    run(
        &database,
        &["DELETE FROM tasks WHERE status = 0", "DELETE FROM quotas", "VACUUM ANALYZE tasks"],
        &["DELETE FROM tasks WHERE status = 0", "DELETE FROM quotas", "PRAGMA wal_checkpoint(TRUNCATE)"],
    )
    .await;
    let text = |file: &str| std::fs::read_to_string(folder.join(file)).expect("a file of the database");
    let tasks = text("tasks").lines().map(|id| id.parse().expect("an id")).collect();
    Prepared { key: text("key"), daily_key: text("daily-key"), tasks, database }
}

/// Returns an empty database with a key; old contents are removed.
pub async fn fresh(cluster: Option<&Cluster>, name: &str) -> (Database, String) {
    let database = empty(cluster, &format!("{}_{name}", store_name(cluster))).await;
    let key = new_key(&database, &[]);
    (database, key)
}

pub fn store_name(cluster: Option<&Cluster>) -> &'static str {
    if cluster.is_some() { "postgres" } else { "sqlite" }
}

fn there(cluster: Option<&Cluster>, name: &str) -> Database {
    Database { folder: home().join(name), url: cluster.map(|cluster| cluster.url(name)), files: None }
}

async fn empty(cluster: Option<&Cluster>, name: &str) -> Database {
    let database = there(cluster, name);
    if database.folder.exists() {
        std::fs::remove_dir_all(&database.folder).expect("it can be removed");
    }
    std::fs::create_dir_all(&database.folder).expect("a folder");
    write(&database.folder.join("asset-service.toml"), SETTINGS);
    if let Some(cluster) = cluster {
        let mut connection = cluster.connected().await;
        for statement in [format!("DROP DATABASE IF EXISTS {name}"), format!("CREATE DATABASE {name}")] {
            sqlx::query(AssertSqlSafe(statement)).execute(&mut connection).await.expect("a database");
        }
        connection.close().await.expect("an end");
    }
    database
}

/// Returns a hash of the migrations' checksums, which identifies the schema.
fn schema(cluster: Option<&Cluster>) -> u64 {
    let migrations = if cluster.is_some() { &postgres::MIGRATIONS } else { &sqlite::MIGRATIONS };
    let bytes = migrations.iter().flat_map(|migration| migration.checksum.iter());
    bytes.fold(0, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)))
}

pub async fn open(database: &Database) -> SharedStore {
    store::open(database.url.as_deref(), &database.folder, store::Schema::Migrate, store::Access::DEFAULT)
        .await
        .expect("a store")
}

/// Creates a key with the command that operators use.
fn new_key(database: &Database, arguments: &[&str]) -> String {
    let mut command = process::service(database);
    let prepared =
        command.args(["keys", "create", "--name", "bench"]).args(arguments).output().expect("it runs");
    assert!(prepared.status.success(), "{}", String::from_utf8_lossy(&prepared.stderr));
    String::from_utf8(prepared.stdout).expect("text").lines().next().expect("a key").to_owned()
}

/// Returns the public part of a key.
pub fn key_id(key: &str) -> &str {
    &key[4..12]
}

async fn put_resources(store: &SharedStore, count: u32) {
    let mut resources = catalogue::resources(u64::from(count), SEED).peekable();
    while resources.peek().is_some() {
        let some: Vec<Resource> = resources.by_ref().take(1000).collect();
        store.put_resources(&some).await.expect("they are imported");
    }
}

/// Creates tasks that have ended.
async fn put_tasks(store: &SharedStore, key_id: &str, count: u32) -> Vec<Uuid> {
    let ids = create_tasks(store, count, |_| new_task(key_id, None)).await;
    end_tasks(store).await;
    ids
}

pub async fn create_tasks(store: &SharedStore, count: u32, task: impl Fn(u32) -> NewTask) -> Vec<Uuid> {
    stream::iter(0..count)
        .map(|number| {
            let task = task(number);
            async move {
                store.create_task(&task).await.expect("it is created");
                task.task.id
            }
        })
        .buffered(256)
        .collect()
        .await
}

/// Claims all waiting tasks and ends them as a worker does.
pub async fn end_tasks(store: &SharedStore) {
    loop {
        let now = Clock::System.now();
        let claim = Claim {
            owner: "bench".to_owned(),
            now,
            lease_until: now + 60_000,
            limit: 256,
            running_per_key: u32::MAX,
            max_attempts: 3,
            only: Default::default(),
        };
        let payload = std::sync::Arc::new(|task: &Task| format!("{{\"task_id\":\"{}\"}}", task.id));
        let claimed =
            store.claim_tasks(&claim, &(payload as domain::Payload)).await.expect("they are claimed");
        if claimed.is_empty() {
            return;
        }
        stream::iter(claimed)
            .for_each_concurrent(256, |claimed| async move {
                let text =
                    "A lighthouse at dusk, on a rocky coast, in the golden light of the hour, wide angle.";
                let ended = Ended {
                    results: vec![Content::Text(text.to_owned()).into()],
                    now,
                    payload: format!("{{\"task_id\":\"{}\",\"status\":\"COMPLETED\"}}", claimed.task.id),
                    ..Ended::default()
                };
                assert!(store.end_task(&claimed.lease, &ended).await.expect("it is ended"));
            })
            .await;
    }
}

pub fn new_task(key_id: &str, webhook_url: Option<String>) -> NewTask {
    let now = Clock::System.now();
    NewTask {
        task: Task {
            id: Uuid::now_v7(),
            key_id: key_id.to_owned(),
            family: "improve-prompt".to_owned(),
            model: None,
            status: TaskStatus::Created,
            results: Vec::new(),
            error: None,
            engine: "template-expansion".to_owned(),
            folder: format!("{:032x}", rand::random::<u128>()),
            webhook_url,
            app: None,
            ignored: Vec::new(),
            progress: None,
            created_at: now,
            updated_at: now,
        },
        work: "{}".to_owned(),
        demand: domain::Demand { engines: domain::Engines::built_in(["improve-prompt"]), size: i16::MAX },
        input_bytes: 0,
        idempotency: None,
        daily_quota: None,
        trace: None,
    }
}

/// Runs the statements for PostgreSQL or those for SQLite.
async fn run(database: &Database, postgres: &[&'static str], sqlite: &[&'static str]) {
    match &database.url {
        Some(url) => {
            let mut connection = PgConnection::connect(url).await.expect("a database");
            for statement in postgres {
                sqlx::query(*statement).execute(&mut connection).await.expect("it is done");
            }
            connection.close().await.expect("an end");
        }
        None => {
            let url = format!("sqlite://{}", database.folder.join("service.db").display());
            let mut connection = SqliteConnection::connect(&url).await.expect("a database");
            for statement in sqlite {
                sqlx::query(*statement).execute(&mut connection).await.expect("it is done");
            }
            connection.close().await.expect("an end");
        }
    }
}

fn write(file: &Path, text: &str) {
    std::fs::write(file, text).expect("a file of the database");
}
