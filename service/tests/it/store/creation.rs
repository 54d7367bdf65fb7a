//! Creation of tasks: exactly once or not at all.

use std::sync::Arc;

use asset_service::domain::{Claim, Created, NewTask};

use super::fixture::{
    ALL, Fixture, NOW, at_once, claim, create, done, failed, idempotency, take, task, task_with_webhook,
};

pub async fn a_stored_task_is_read_unchanged(Fixture { store, .. }: Fixture) {
    let mut new = task_with_webhook("A", "https://example.org/hook");
    new.work = r#"{"text": "'; DROP TABLE tasks; -- ☂"}"#.to_owned();
    new.task.model = Some("wide".to_owned());
    new.task.app = Some("aB3xY9".to_owned());
    new.task.ignored = vec!["hdr".to_owned(), "'; --".to_owned()];
    let work = new.work.clone();
    let task = create(&store, new).await;
    let found = store.task("A", &task.family, task.model.as_deref(), task.id).await.unwrap();
    assert_eq!(found.as_ref(), Some(&task));
    assert_eq!(store.work(task.id).await.unwrap(), Some(work));
    assert_eq!(store.any_task(task.id).await.unwrap(), Some(task));
}

pub async fn a_repeat_gets_the_same_task(Fixture { store, .. }: Fixture) {
    let mut new = task("A");
    new.idempotency = Some(idempotency("one", 1));
    assert_eq!(store.idempotent("A", &idempotency("one", 1), NOW).await.unwrap(), Created::New);
    let first = create(&store, new).await;
    let mut again = task("A");
    again.idempotency = Some(idempotency("one", 1));
    let repeat = Created::Repeat(Box::new(first));
    assert_eq!(store.create_task(&again).await.unwrap(), repeat);
    assert_eq!(store.idempotent("A", &idempotency("one", 1), NOW).await.unwrap(), repeat);
    assert_eq!(store.any_task(again.task.id).await.unwrap(), None);
}

pub async fn another_body_conflicts(Fixture { store, .. }: Fixture) {
    let mut new = task("A");
    new.idempotency = Some(idempotency("one", 1));
    create(&store, new).await;
    let mut other = task("A");
    other.idempotency = Some(idempotency("one", 2));
    assert_eq!(store.create_task(&other).await.unwrap(), Created::Conflict);
    assert_eq!(store.idempotent("A", &idempotency("one", 2), NOW).await.unwrap(), Created::Conflict);
    assert_eq!(store.any_task(other.task.id).await.unwrap(), None);
}

pub async fn idempotency_keys_are_forgotten(Fixture { store, .. }: Fixture) {
    let mut new = task("A");
    new.idempotency = Some(idempotency("one", 1));
    create(&store, new.clone()).await;
    let later = NOW + 86_400_000;
    assert_eq!(store.idempotent("A", &idempotency("one", 2), later).await.unwrap(), Created::New);
    let mut second = task("A");
    second.task.created_at = later;
    second.idempotency = Some(idempotency("one", 2));
    second.idempotency.as_mut().unwrap().expires_at = later + 10;
    let second = create(&store, second).await;
    let repeat = store.idempotent("A", &idempotency("one", 2), later).await.unwrap();
    assert_eq!(repeat, Created::Repeat(Box::new(second)));
    assert_eq!(store.any_task(new.task.id).await.unwrap(), Some(new.task));
}

pub async fn idempotency_keys_belong_to_a_key_and_a_path(Fixture { store, .. }: Fixture) {
    for (key, path) in [("A", "/v1/a"), ("B", "/v1/a"), ("A", "/v1/b")] {
        let mut new = task(key);
        new.idempotency = Some(idempotency("one", 1));
        new.idempotency.as_mut().unwrap().path = path.to_owned();
        create(&store, new).await;
    }
}

pub async fn creations_at_once_with_one_idempotency_key_make_one_task(fixture: Fixture) {
    let other = fixture.database.open().await;
    let stores = [fixture.store.clone(), other];
    let all = at_once(24, |number| {
        let store = Arc::clone(&stores[number % 2]);
        async move {
            let mut new = task("A");
            new.idempotency = Some(idempotency("one", 1));
            new.daily_quota = Some(5);
            (new.task.id, store.create_task(&new).await.unwrap())
        }
    })
    .await;
    let new: Vec<_> = all.iter().filter(|(_, created)| *created == Created::New).collect();
    assert_eq!(new.len(), 1);
    for (id, created) in &all {
        match created {
            Created::New => {}
            Created::Repeat(task) => assert!(task.id == new[0].0 && *id != task.id),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(fixture.store.all_tasks(&Default::default(), ALL).await.unwrap().len(), 1);
}

pub async fn the_quota_is_exact(fixture: Fixture) {
    let other = fixture.database.open().await;
    let stores = [fixture.store.clone(), other];
    let all = at_once(30, |number| {
        let store = Arc::clone(&stores[number % 2]);
        async move {
            let mut new = task("A");
            new.daily_quota = Some(7);
            store.create_task(&new).await.unwrap()
        }
    })
    .await;
    assert_eq!(all.iter().filter(|created| **created == Created::New).count(), 7);
    assert_eq!(all.iter().filter(|created| **created == Created::QuotaExhausted).count(), 23);
    // Another key and another day have their own quotas; a quota of 0 allows no task.
    let mut new = task("B");
    new.daily_quota = Some(1);
    create(&fixture.store, new).await;
    let mut tomorrow = task("A");
    tomorrow.daily_quota = Some(7);
    tomorrow.task.created_at += 86_400_000;
    create(&fixture.store, tomorrow).await;
    let mut none = task("C");
    none.daily_quota = Some(0);
    assert_eq!(fixture.store.create_task(&none).await.unwrap(), Created::QuotaExhausted);
}

pub async fn a_repeat_is_not_counted(Fixture { store, .. }: Fixture) {
    let limited = |number: &str, body| {
        let mut new = task("A");
        new.daily_quota = Some(2);
        new.idempotency = Some(idempotency(number, body));
        new
    };
    create(&store, limited("one", 1)).await;
    for _ in 0..3 {
        assert!(matches!(store.create_task(&limited("one", 1)).await.unwrap(), Created::Repeat(_)));
        assert_eq!(store.create_task(&limited("one", 2)).await.unwrap(), Created::Conflict);
    }
    create(&store, limited("two", 1)).await;
    assert_eq!(store.create_task(&limited("three", 1)).await.unwrap(), Created::QuotaExhausted);
    assert!(matches!(store.create_task(&limited("one", 1)).await.unwrap(), Created::Repeat(_)));
}

pub async fn a_refused_creation_leaves_nothing(Fixture { store, .. }: Fixture) {
    let first = create(&store, task("A")).await;
    // The id is taken: the insert fails after the quota was counted.
    let mut same = task("A");
    same.task.id = first.id;
    same.daily_quota = Some(1);
    same.idempotency = Some(idempotency("one", 1));
    store.create_task(&same).await.unwrap_err();
    assert_eq!(store.idempotent("A", &idempotency("one", 1), NOW).await.unwrap(), Created::New);
    let mut next = task("A");
    next.daily_quota = Some(1);
    create(&store, next).await;
    // Over the quota, the `Idempotency-Key` must remain unused.
    let mut above_quota = task("A");
    above_quota.daily_quota = Some(1);
    above_quota.idempotency = Some(idempotency("two", 1));
    assert_eq!(store.create_task(&above_quota).await.unwrap(), Created::QuotaExhausted);
    assert_eq!(store.idempotent("A", &idempotency("two", 1), NOW).await.unwrap(), Created::New);
    assert_eq!(store.any_task(above_quota.task.id).await.unwrap(), None);
}

pub async fn creations_at_once_are_isolated(Fixture { store, .. }: Fixture) {
    let taken = create(&store, task("A")).await;
    let all = at_once(60, |number| {
        let store = Arc::clone(&store);
        let taken = taken.id;
        async move {
            let mut new = task("A");
            if number % 10 == 3 {
                new.task.id = taken;
            }
            (new.task.id, store.create_task(&new).await.is_ok())
        }
    })
    .await;
    for (id, accepted) in all {
        assert_eq!(accepted, id != taken.id);
        assert!(store.any_task(id).await.unwrap().is_some());
    }
    assert_eq!(store.all_tasks(&Default::default(), ALL).await.unwrap().len(), 55);
}

/// Asks for more than the tests create.
const MANY: u32 = 10;

pub async fn open_tasks_and_uploads_are_counted(Fixture { store, .. }: Fixture) {
    for key in ["A", "A", "A", "B"] {
        create(&store, task(key)).await;
    }
    for (key, most, open) in [("A", MANY, 3), ("A", 2, 2), ("B", MANY, 1), ("C", MANY, 0)] {
        assert_eq!(store.usage(key, most).await.unwrap().open_tasks, open, "{key} {most}");
    }
    let tomorrow = NOW + 86_400_000;
    for (key, now, bytes, fits) in [
        ("A", NOW, 11, false),
        ("A", NOW, 6, true),
        ("A", NOW, 5, false),
        ("A", NOW, 4, true),
        ("B", NOW, 10, true),
        ("A", tomorrow, 10, true),
    ] {
        assert_eq!(store.count_upload(key, now, bytes, 10).await.unwrap(), fits, "{key} {bytes}");
    }
}

pub async fn stored_bytes_are_those_of_ended_tasks(Fixture { store, .. }: Fixture) {
    for key in ["A", "A", "B"] {
        create(&store, task(key)).await;
    }
    let stored = async |key| store.usage(key, MANY).await.unwrap().stored_bytes;
    let claimed = take(&store, &claim("me", NOW, 9)).await;
    assert_eq!(stored("A").await, 0);
    // An end with 7 bytes.
    let ended = done(NOW);
    let ends = claimed.iter().map(|claimed| store.end_task(&claimed.lease, &ended));
    assert!(futures_util::future::join_all(ends).await.into_iter().all(Result::unwrap));
    assert!(!store.end_task(&claimed[0].lease, &done(NOW)).await.unwrap(), "it has ended");
    assert_eq!((stored("A").await, stored("B").await, stored("C").await), (14, 7, 0));
    let of_a = claimed.iter().find(|claimed| claimed.task.key_id == "A").unwrap();
    assert!(store.delete_task(of_a.task.id).await.unwrap());
    assert_eq!((stored("A").await, stored("B").await), (7, 7));
    assert_eq!(store.sweep_tasks(NOW + 1, NOW + 1, 9, false).await.unwrap().len(), 2);
    assert_eq!((stored("A").await, stored("B").await), (0, 0));
}

pub async fn inputs_are_stored_until_their_task_is_completed(Fixture { store, .. }: Fixture) {
    for (key, daily_quota) in [("A", None), ("A", Some(9)), ("A", None), ("B", None)] {
        create(&store, NewTask { input_bytes: 100, daily_quota, ..task(key) }).await;
    }
    let stored = async |key| store.usage(key, MANY).await.unwrap().stored_bytes;
    assert_eq!((stored("A").await, stored("B").await), (300, 100));
    let of_a = async || take(&store, &Claim { running_per_key: 9, ..claim("me", NOW, 9) }).await;
    let claimed = of_a().await;
    let [first, second, third, _] = &claimed[..] else { panic!("{claimed:?}") };
    assert!(store.end_task(&first.lease, &done(NOW)).await.unwrap());
    let of_first = if first.task.key_id == "A" { (207, 100) } else { (300, 7) };
    assert_eq!((stored("A").await, stored("B").await), of_first);
    assert!(store.end_task(&second.lease, &failed(NOW)).await.unwrap());
    assert!(store.cancel_task(third.task.id, true, &failed(NOW)).await.unwrap());
    assert_eq!((stored("A").await, stored("B").await), of_first, "the inputs of failed tasks stay");
    assert_eq!(store.sweep_tasks(NOW + 1, NOW + 1, 9, false).await.unwrap().len(), 3);
    assert_eq!(stored("A").await + stored("B").await, 100, "one task is in progress");
}

pub async fn results_that_outlive_their_task_stay_counted(Fixture { store, .. }: Fixture) {
    for _ in 0..2 {
        create(&store, NewTask { input_bytes: 100, ..task("A") }).await;
    }
    let claimed = take(&store, &claim("me", NOW, 9)).await;
    assert!(store.end_task(&claimed[0].lease, &done(NOW)).await.unwrap());
    assert!(store.end_task(&claimed[1].lease, &failed(NOW)).await.unwrap());
    let stored = async || store.usage("A", MANY).await.unwrap().stored_bytes;
    assert_eq!(stored().await, 107);
    assert_eq!(store.sweep_tasks(NOW + 1, NOW + 1, 9, true).await.unwrap().len(), 2);
    assert_eq!(stored().await, 7);
    assert_eq!(store.sweep_retained(9).await.unwrap(), [claimed[0].task.folder.clone()]);
    assert_eq!(stored().await, 0);
    assert_eq!(store.sweep_retained(9).await.unwrap(), [""; 0]);
}
