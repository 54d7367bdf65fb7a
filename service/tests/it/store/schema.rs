//! Migrations of the schema keep existing data.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use asset_service::domain::Created;
use asset_service::store::{Error, Schema, Versions};

use super::fixture::{
    Fixture, NEXT, NOW, TestDatabase, claim, claim_events, create, idempotency, key, secret, take, task,
    task_with_webhook,
};
use super::shape::{breaking_changes, shape, shape_after};

pub async fn a_reopened_store_has_everything(fixture: Fixture) {
    let store = &fixture.store;
    store.insert_key(&key("AAAA0001"), &secret(1)).await.unwrap();
    let begun = create(store, task_with_webhook("AAAA0001", "https://example.org/")).await;
    take(store, &claim("me", NOW, 1)).await;
    let mut waiting = task("AAAA0001");
    waiting.idempotency = Some(idempotency("one", 1));
    let waiting = create(store, waiting).await;

    let store = fixture.database.open().await;
    assert_eq!(store.keys().await.unwrap(), [key("AAAA0001")]);
    assert_eq!(store.depth().await.unwrap(), (1, 1));
    let repeat = store.idempotent("AAAA0001", &idempotency("one", 1), NOW).await.unwrap();
    assert_eq!(repeat, Created::Repeat(Box::new(waiting)));
    let events = store.claim_events(&claim_events(NOW, NOW + 1000, 1, 9)).await.unwrap();
    assert_eq!(events.iter().map(|claimed| claimed.event.task_id).collect::<Vec<_>>(), [begun.id]);
}

/// The last migration of the previous release, whose processes may run at the same time as those of this one.
const PREVIOUS: i64 = 1;

/// The last migration of this release.
const CURRENT: i64 = 1;

pub async fn only_a_migration_changes_an_old_schema(fixture: Fixture) {
    let (store, database) = (&fixture.store, &fixture.database);
    let created = create(store, task("A")).await;
    for _ in 0..2 {
        let refused = database.try_next(Schema::Expect).await.err().unwrap();
        assert!(matches!(refused, Error::OlderSchema { found: CURRENT, needed: NEXT }), "{refused}");
    }
    let migrated = database.try_next(Schema::Migrate).await.unwrap();
    assert_eq!(migrated, Versions { before: Some(CURRENT), now: NEXT });
    assert!(database.try_next(Schema::Expect).await.is_ok());
    // A process of this release continues meanwhile.
    assert_eq!(store.any_task(created.id).await.unwrap().unwrap(), created);
    create(store, task("A")).await;
    assert_eq!(take(store, &claim("me", NOW, 9)).await.len(), 2);
    // An empty database has no users yet.
    assert!(database.empty().await.try_open(Schema::Expect).await.is_ok());
}

pub async fn a_newer_schema_is_refused(fixture: Fixture) {
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                 VALUES (9999, 'newer', TRUE, '', 0)";
    fixture.database.run(newer).await;
    for schema in [Schema::Expect, Schema::Migrate] {
        let refused = fixture.database.try_open(schema).await.err().unwrap();
        assert!(matches!(refused, Error::UnknownSchema { found: 9999 }), "{refused}");
    }
}

pub async fn a_migration_does_not_block_others_behind_a_long_transaction(fixture: Fixture) {
    let TestDatabase::Url(url) = &fixture.database else { return };
    let pool = sqlx::PgPool::connect(url).await.unwrap();
    // As `pg_dump` does.
    let mut long = pool.begin().await.unwrap();
    sqlx::query("SELECT count(*) FROM tasks").execute(&mut *long).await.unwrap();
    let others = async {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(12) {
            let asked = Instant::now();
            sqlx::query("UPDATE tasks SET engine = engine").execute(&pool).await.unwrap();
            assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        long.rollback().await.unwrap();
        Instant::now()
    };
    let migration = async { (fixture.database.try_next(Schema::Migrate).await, Instant::now()) };
    let (ended, (versions, migrated)) = tokio::join!(others, migration);
    assert!(migrated > ended, "it waits for the transaction");
    assert_eq!(versions.unwrap().now, NEXT);
    create(&fixture.store, task("A")).await;
    pool.close().await;
}

/// Changes that must be refused: for each database, the statement and what is wrong with it.
const REFUSED: [&[(&str, &str)]; 2] = [
    &[
        ("CREATE UNIQUE INDEX once ON keys (name)", "keys: adds unique index once"),
        ("DROP INDEX tasks_begun", "tasks: removes index tasks_begun"),
        ("ALTER TABLE keys RENAME COLUMN name TO title", "keys: removes column name"),
        ("ALTER TABLE tasks DROP COLUMN engine", "tasks: removes column engine"),
        ("ALTER TABLE keys ADD COLUMN age INTEGER CHECK (age > 0)", "keys: adds constraint CHECK"),
        ("ALTER TABLE tasks ADD COLUMN of TEXT REFERENCES keys (id)", "tasks: adds constraint of of"),
        (
            "CREATE TABLE notes (id TEXT PRIMARY KEY, key_id TEXT REFERENCES keys (id))",
            "notes: adds constraint of key_id",
        ),
        ("DROP TABLE attempts", "attempts: removes column number"),
        (
            "CREATE TRIGGER refuse BEFORE INSERT ON keys BEGIN SELECT raise(ABORT, 'no'); END",
            "keys: adds trigger refuse",
        ),
    ],
    &[
        ("CREATE UNIQUE INDEX once ON keys (name)", "keys: adds unique index once"),
        ("DROP INDEX tasks_begun", "tasks: removes index tasks_begun"),
        ("ALTER TABLE keys RENAME COLUMN name TO title", "keys: removes column name"),
        ("ALTER TABLE tasks DROP COLUMN engine", "tasks: removes column engine"),
        ("ALTER TABLE keys ADD COLUMN age INTEGER NOT NULL", "keys: adds column age"),
        ("ALTER TABLE keys ALTER COLUMN expires_at SET NOT NULL", "keys: changes column expires_at"),
        ("ALTER TABLE keys ALTER COLUMN name DROP NOT NULL", "keys: changes column name"),
        ("ALTER TABLE tasks ALTER COLUMN attempt TYPE BIGINT", "tasks: changes column attempt"),
        ("ALTER TABLE keys ADD CONSTRAINT named CHECK (name <> '')", "keys: adds constraint named"),
        ("ALTER TABLE keys ADD CONSTRAINT once UNIQUE (name)", "keys: adds constraint once"),
        (
            "ALTER TABLE tasks ADD CONSTRAINT owned FOREIGN KEY (key_id) REFERENCES keys (id)",
            "tasks: adds constraint owned",
        ),
        (
            "CREATE TABLE notes (id TEXT PRIMARY KEY, key_id TEXT COLLATE \"C\" REFERENCES keys (id))",
            "notes: adds constraint notes_key_id_fkey",
        ),
        ("DROP TABLE attempts", "attempts: removes column number"),
    ],
];

/// A migration adds; only a later release removes.
pub async fn the_previous_release_can_use_the_schema(fixture: Fixture) {
    let kind = usize::from(matches!(fixture.database, TestDatabase::Url(_)));
    let url = fixture.database.url();
    let (before, now) = (shape(&fixture.database.of_version(PREVIOUS).await.url()).await, shape(&url).await);
    assert!(before.len() > 80, "{before:#?}");
    assert_eq!(breaking_changes(&before, &now), BTreeSet::new());

    for (change, expected) in REFUSED[kind] {
        let broken = breaking_changes(&now, &shape_after(&url, change).await.expect(change));
        assert!(broken.iter().any(|broken| broken.starts_with(expected)), "{change}: {broken:?}");
    }
    let harmless = "ALTER TABLE keys ADD COLUMN note TEXT; ALTER TABLE keys ADD COLUMN age INTEGER NOT NULL DEFAULT 0;
                    CREATE INDEX keys_notes ON keys (note); CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)";
    assert_eq!(breaking_changes(&now, &shape_after(&url, harmless).await.unwrap()), BTreeSet::new());
    assert_eq!(shape(&url).await, now, "the changes were not kept");
}
