//! What operators change and see of the whole service.

use std::time::Duration;

use asset_service::domain::{AuditRecord, EventQuery, Page, QueueLength, Role, Stored, TaskStatus};
use asset_service::store::sqlite::Sqlite;
use asset_service::store::{Access, Administration as _, Events as _, Health as _, Keys as _, Schema};

use super::fixture::{
    ALL, Fixture, NOW, TestDatabase, claim, create, done, key, put_events, secret, take, task,
};

pub async fn families_are_paused_once(Fixture { store, .. }: Fixture) {
    assert!(store.pause("voiceover").await.unwrap() && store.pause("lip-sync").await.unwrap());
    assert!(!store.pause("voiceover").await.unwrap());
    assert_eq!(store.paused().await.unwrap(), ["lip-sync", "voiceover"]);
    assert!(store.unpause("voiceover").await.unwrap() && !store.unpause("voiceover").await.unwrap());
    assert_eq!(store.paused().await.unwrap(), ["lip-sync"]);
}

pub async fn a_change_has_a_record_before_it_ends(Fixture { store, .. }: Fixture) {
    let first = store.begin_change(NOW, "AAAA0001", "cancel tasks", "a b").await.unwrap();
    let second = store.begin_change(NOW + 1, "command line", "create key", "nul\0").await.unwrap();
    store.end_change(second, "done").await.unwrap();
    let record = |at, who: &str, action: &str, target: &str, result: Option<&str>| AuditRecord {
        at,
        who: who.to_owned(),
        action: action.to_owned(),
        target: target.to_owned(),
        result: result.map(str::to_owned),
    };
    let expected = [
        record(NOW + 1, "command line", "create key", "nul\u{fffd}", Some("done")),
        record(NOW, "AAAA0001", "cancel tasks", "a b", None),
    ];
    assert_eq!(store.audit(ALL).await.unwrap(), expected);
    assert_eq!(store.audit(Page { offset: 1, limit: 1 }).await.unwrap(), expected[1..]);
    store.end_change(first, "refused").await.unwrap();
    assert_eq!(store.audit(ALL).await.unwrap()[1].result.as_deref(), Some("refused"));
    // The log is kept as long as the usage of keys.
    let day = 24 * 60 * 60 * 1000;
    store.sweep_tasks(0, NOW + 400 * day, 1, false).await.unwrap();
    assert_eq!(store.audit(ALL).await.unwrap().len(), 2);
    store.sweep_tasks(0, NOW + 402 * day, 1, false).await.unwrap();
    assert_eq!(store.audit(ALL).await.unwrap(), []);
}

pub async fn a_key_has_another_tier_and_a_last_use(Fixture { store, .. }: Fixture) {
    let mut operator = key("AAAA0001");
    operator.role = Role::Operator;
    store.insert_key(&operator, &secret(1)).await.unwrap();
    assert!(store.set_tier("AAAA0001", "gold").await.unwrap());
    assert!(!store.set_tier("AAAA0002", "gold").await.unwrap());
    store.note_use("AAAA0001", NOW + 7).await.unwrap();
    let changed = store.key("AAAA0001").await.unwrap().unwrap();
    assert_eq!((changed.tier.as_str(), changed.last_used_at), ("gold", Some(NOW + 7)));
    assert_eq!(changed.role, Role::Operator);
    store.revoke_key("AAAA0001", NOW).await.unwrap();
    assert!(!store.set_tier("AAAA0001", "default").await.unwrap());
}

pub async fn tasks_are_counted_by_family_and_status(Fixture { store, .. }: Fixture) {
    assert_eq!(
        (store.queues().await.unwrap(), store.stored().await.unwrap()),
        (Vec::new(), Stored::default())
    );
    let first = create(&store, task("A")).await;
    create(&store, task("B")).await;
    create(&store, task("B")).await;
    let claimed = take(&store, &claim("me", NOW + 5, 2)).await;
    assert!(store.end_task(&claimed[0].lease, &done(NOW + 9)).await.unwrap());
    let of = |status, tasks, oldest| QueueLength { family: first.family.clone(), status, tasks, oldest };
    let queues = store.queues().await.unwrap();
    assert_eq!(queues[0], of(TaskStatus::Created, 1, queues[0].oldest));
    assert_eq!(queues[1..], [of(TaskStatus::InProgress, 1, NOW + 5)]);
    assert_eq!(store.depth().await.unwrap(), (1, 1));
    assert_eq!(store.stored().await.unwrap().tasks, [1, 1, 1, 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_operators_read_of_all_keys_has_a_time_limit_in_sqlite() {
    let Fixture { database, .. } = Fixture::sqlite().await.unwrap();
    put_events(&database.url(), "http://h#/", "AAAA0001", (5000, 5000), NOW).await;
    database
        .run(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
             INSERT INTO keys (id, name, tier, enterprise, secret_hash, created_at)
             SELECT 'K' || i, '', '', 0, x'00', i FROM n;
             INSERT INTO stored (key_id, bytes) SELECT id, 1 FROM keys;",
        )
        .await;
    let TestDatabase::Folder(folder) = &database else { unreachable!("it is SQLite") };
    let access = Access { statement: Duration::ZERO, ..Access::DEFAULT };
    let store = Sqlite::open_with(&folder.path().join("service.db"), Schema::Expect, access).await.unwrap();
    let of_nobody = EventQuery { key_id: Some("AAAA0002".to_owned()), ..EventQuery::default() };
    for (read, ended) in [
        ("keys", store.keys().await.err()),
        ("events", store.events(&of_nobody, ALL).await.err()),
        ("stored", store.stored().await.err()),
        ("undelivered", store.undelivered().await.err()),
    ] {
        assert!(ended.as_ref().is_some_and(|error| error.is_temporary()), "{read}: {ended:?}");
    }
}
