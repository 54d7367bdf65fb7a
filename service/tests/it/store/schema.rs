//! Migrations of the schema keep existing data.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use asset_service::store::{Created, Error, Schema};

use super::fixture::{
    Fixture, NOW, Place, claim, claim_events, create, idempotency, key, secret, take, task, told,
};

pub async fn a_reopened_store_has_everything(fixture: Fixture) {
    let store = &fixture.store;
    store.insert_key(&key("AAAA0001"), &secret(1)).await.unwrap();
    let begun = create(store, told("AAAA0001", "https://example.org/")).await;
    take(store, &claim("me", NOW, 1)).await;
    let mut waiting = task("AAAA0001");
    waiting.idempotency = Some(idempotency("one", 1));
    let waiting = create(store, waiting).await;

    let store = fixture.place.open().await;
    assert_eq!(store.keys().await.unwrap(), [key("AAAA0001")]);
    assert_eq!(store.depth().await.unwrap(), (1, 1));
    let repeat = store.idempotent("AAAA0001", &idempotency("one", 1), NOW).await.unwrap();
    assert_eq!(repeat, Created::Repeat(Box::new(waiting)));
    let events = store.claim_events(&claim_events(NOW, NOW + 1000, 1, 9)).await.unwrap();
    assert_eq!(events.iter().map(|claimed| claimed.event.task_id).collect::<Vec<_>>(), [begun.id]);
}

pub async fn version_1_is_brought_up_to_date(fixture: Fixture) {
    let sql = "INSERT INTO keys (id, name, secret_hash, enterprise, tier, created_at)
               VALUES ('OLD00001', 'of old', $1, FALSE, 'default', 5)";
    let fixture = fixture.migrated_from(1, sql).await;
    let keys = fixture.store.keys().await.unwrap();
    assert_eq!(keys.iter().map(|key| key.name.as_str()).collect::<Vec<_>>(), ["of old"]);
    create(&fixture.store, task("OLD00001")).await;
    assert_eq!(take(&fixture.place.open().await, &claim("me", NOW, 9)).await.len(), 1);
}

/// The last migration of the previous release, whose processes may run beside those of this one.
pub const PREVIOUS: i64 = 11;

pub async fn only_a_migration_changes_an_old_schema(fixture: Fixture) {
    let old = fixture.place.of_version(PREVIOUS).await;
    for _ in 0..2 {
        let refused = old.try_open(Schema::Expect).await.err().unwrap();
        assert!(matches!(refused, Error::OlderSchema { found: PREVIOUS, .. }), "{refused}");
    }
    old.open().await;
    assert!(old.try_open(Schema::Expect).await.is_ok());
    // An empty database has no users yet.
    assert!(old.empty().await.try_open(Schema::Expect).await.is_ok());
}

pub async fn a_newer_schema_is_refused(fixture: Fixture) {
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                 VALUES (9999, 'newer', TRUE, $1, 0)";
    fixture.place.run(newer).await;
    for schema in [Schema::Expect, Schema::Migrate] {
        let refused = fixture.place.try_open(schema).await.err().unwrap();
        assert!(matches!(refused, Error::NewerSchema { found: 9999, .. }), "{refused}");
    }
}

pub async fn a_migration_does_not_block_others_behind_a_long_transaction(fixture: Fixture) {
    let Place::Url(url) = fixture.place.of_version(PREVIOUS).await else { return };
    let pool = sqlx::PgPool::connect(&url).await.unwrap();
    // As `pg_dump` does.
    let mut long = pool.begin().await.unwrap();
    sqlx::query("SELECT count(*) FROM tasks").execute(&mut *long).await.unwrap();
    let others = async {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(8) {
            let asked = Instant::now();
            sqlx::query("UPDATE tasks SET engine = engine").execute(&pool).await.unwrap();
            assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        long.rollback().await.unwrap();
        Instant::now()
    };
    let place = Place::Url(url);
    let migration = async { (place.open().await, Instant::now()) };
    let (ended, (store, migrated)) = tokio::join!(others, migration);
    assert!(migrated > ended, "it waits for the transaction");
    create(&store, task("A")).await;
    pool.close().await;
}

/// A migration adds; only a later release removes.
///
/// All columns of the previous release must be there with the same type, and its inserts must not miss a
/// value for a new column.
pub async fn what_the_previous_release_uses_is_there(fixture: Fixture) {
    let columns = async |place: &Place| -> BTreeMap<(String, String), (String, bool)> {
        let columns = place.columns().await.into_iter();
        columns.map(|(table, name, kind, needed)| ((table, name), (kind, needed))).collect()
    };
    let before = columns(&fixture.place.of_version(PREVIOUS).await).await;
    let now = columns(&fixture.place).await;
    assert!(before.len() > 50, "{before:?}");
    for (column, (kind, _)) in &before {
        assert_eq!(now.get(column).map(|(kind, _)| kind), Some(kind), "{column:?}");
    }
    for (column, (_, needed)) in now {
        let is_of_an_old_table = before.keys().any(|(table, _)| *table == column.0);
        assert!(
            before.contains_key(&column) || !needed || !is_of_an_old_table,
            "{column:?} needs a default: the previous release does not write it"
        );
    }
}
