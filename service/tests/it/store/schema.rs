//! Migrations of the schema keep existing data.

use asset_service::store::Created;

use super::fixture::{Fixture, NOW, claim, claim_events, create, idempotency, key, secret, take, task, told};

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
