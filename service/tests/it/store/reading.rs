//! Tasks are found by owner and path, listed, and swept.

use asset_service::domain::{Page, TaskQuery, TaskStatus};

use super::fixture::{
    ALL, Fixture, NOW, claim, claim_events, create, done, failed, idempotency, refunded, take, task,
    task_with_webhook,
};

pub async fn tasks_of_others_are_not_found(Fixture { store, .. }: Fixture) {
    let task = create(&store, task("A")).await;
    let found = async |key, family, model| store.task(key, family, model, task.id).await.unwrap().is_some();
    assert!(found("A", "sound-effects", None).await);
    assert!(!found("B", "sound-effects", None).await);
    assert!(!found("A", "sound-effect", None).await);
    assert!(!found("A", "sound-effects", Some("standard")).await);
    assert!(store.tasks("B", "sound-effects", None, ALL).await.unwrap().is_empty());
    assert!(store.tasks("A", "sound-effects", Some("standard"), ALL).await.unwrap().is_empty());
    assert!(store.tasks("A", "voiceover", None, ALL).await.unwrap().is_empty());
}

pub async fn lists_are_newest_first(Fixture { store, .. }: Fixture) {
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(create(&store, task("A")).await.id);
        create(&store, task("B")).await;
    }
    ids.reverse();
    let listed = async |offset, limit| {
        let tasks = store.tasks("A", "sound-effects", None, Page { offset, limit }).await.unwrap();
        tasks.into_iter().map(|task| task.id).collect::<Vec<_>>()
    };
    assert_eq!(listed(0, 100).await, ids);
    assert_eq!(listed(1, 2).await, ids[1..3]);
    assert_eq!(listed(5, 2).await, [] as [uuid::Uuid; 0]);
    assert_eq!(listed(u64::MAX, 2).await, [] as [uuid::Uuid; 0]);
}

pub async fn operators_filter(Fixture { store, .. }: Fixture) {
    let first = create(&store, task("A")).await;
    let second = create(&store, task("B")).await;
    let third = create(&store, task("A")).await;
    let claimed = take(&store, &claim("me", NOW, 1)).await;
    assert!(store.end_task(&claimed[0].lease, &failed(NOW + 1)).await.unwrap());
    let found = async |key: Option<&str>, status| {
        let query = TaskQuery { key_id: key.map(str::to_owned), status, ..TaskQuery::default() };
        let tasks = store.all_tasks(&query, ALL).await.unwrap();
        tasks.into_iter().map(|listed| listed.task.id).collect::<Vec<_>>()
    };
    assert_eq!(found(None, None).await, [third.id, second.id, first.id]);
    assert_eq!(found(Some("A"), None).await, [third.id, first.id]);
    assert_eq!(found(None, Some(TaskStatus::Created)).await, [third.id, second.id]);
    assert_eq!(found(Some("A"), Some(TaskStatus::Failed)).await, [first.id]);
    assert_eq!(found(Some("B"), Some(TaskStatus::Failed)).await, [] as [uuid::Uuid; 0]);

    let all = store.any_task(first.id).await.unwrap().unwrap();
    let code = all.error.unwrap().code;
    let count = async |query: TaskQuery| store.all_tasks(&query, ALL).await.unwrap().len();
    let text = |text: &str| Some(text.to_owned());
    let any = TaskQuery::default;
    assert_eq!(count(TaskQuery { family: text(&first.family), ..any() }).await, 3);
    assert_eq!(count(TaskQuery { family: text("voiceover"), ..any() }).await, 0);
    assert_eq!(count(TaskQuery { engine: text(&second.engine), ..any() }).await, 3);
    assert_eq!(count(TaskQuery { engine: text("other"), ..any() }).await, 0);
    assert_eq!(count(TaskQuery { error: text(&code), ..any() }).await, 1);
    // A part of a code is another code.
    let part = code.get(..code.len() - 1).unwrap();
    assert_eq!(count(TaskQuery { error: text(part), ..any() }).await, 0);
    let (before, at) = (first.created_at - 1, first.created_at);
    assert_eq!(count(TaskQuery { created_after: Some(before), ..any() }).await, 3);
    assert_eq!(count(TaskQuery { created_before: Some(at), ..any() }).await, 0);
}

pub async fn operators_see_who_holds_a_task(Fixture { store, .. }: Fixture) {
    create(&store, task("A")).await;
    let listed = async || {
        let listed = store.all_tasks(&TaskQuery::default(), ALL).await.unwrap().remove(0);
        (listed.tries, listed.worker.is_some(), listed.due_at)
    };
    assert!(matches!(listed().await, (0, false, _)));
    let asked = claim("me", NOW, 1);
    let claimed = take(&store, &asked).await.remove(0);
    assert_eq!(listed().await, (1, true, asked.lease_until));
    let details = store.listed_task(claimed.task.id).await.unwrap().unwrap();
    assert_eq!((details.worker.as_deref(), &details.engines), (Some("me"), &claimed.demand.engines));
    assert!(store.listed_task(uuid::Uuid::now_v7()).await.unwrap().is_none());
    assert!(store.release_task(&claimed.lease, refunded(NOW + 5)).await.unwrap());
    assert_eq!(listed().await, (0, false, NOW + 5), "a refunded attempt must not count");
}

pub async fn sweep_removes_ended_tasks(Fixture { store, .. }: Fixture) {
    let mut repeated = task("A");
    repeated.idempotency = Some(idempotency("one", 1));
    let mut ended = vec![create(&store, repeated).await];
    for _ in 0..2 {
        ended.push(create(&store, task("A")).await);
    }
    let claimed = take(&store, &claim("me", NOW, 3)).await;
    for (number, claimed) in (0..).zip(&claimed) {
        assert!(store.end_task(&claimed.lease, &done(NOW + number)).await.unwrap());
    }
    let begun = create(&store, task("A")).await;
    take(&store, &claim("me", NOW, 1)).await;
    let waiting = create(&store, task("A")).await;

    // A time at which all `Idempotency-Key`s have expired.
    let late = NOW + 86_400_000;
    assert_eq!(store.sweep_tasks(NOW, late, 10, false).await.unwrap(), [""; 0]);
    assert_eq!(store.sweep_tasks(NOW + 2, late, 1, false).await.unwrap(), [ended[0].folder.clone()]);
    assert_eq!(store.sweep_tasks(NOW + 2, late, 10, false).await.unwrap(), [ended[1].folder.clone()]);
    let left = store.all_tasks(&TaskQuery::default(), ALL).await.unwrap();
    assert_eq!(
        left.iter().map(|listed| listed.task.id).collect::<Vec<_>>(),
        [waiting.id, begun.id, ended[2].id]
    );
    let mut again = task("A");
    again.idempotency = Some(idempotency("one", 2));
    create(&store, again).await;
}

pub async fn sweep_waits_for_idempotency_keys(Fixture { store, .. }: Fixture) {
    let mut repeated = task("A");
    repeated.idempotency = Some(idempotency("one", 1));
    let repeated = create(&store, repeated).await;
    let plain = create(&store, task("A")).await;
    for claimed in take(&store, &claim("me", NOW, 2)).await {
        assert!(store.end_task(&claimed.lease, &done(NOW)).await.unwrap());
    }
    let expires = NOW + 86_400_000;
    assert_eq!(store.sweep_tasks(NOW + 1, expires - 1, 10, false).await.unwrap(), [plain.folder]);
    let found = store.idempotent("A", &idempotency("one", 1), expires - 1).await.unwrap();
    assert!(matches!(found, asset_service::domain::Created::Repeat(task) if task.id == repeated.id));
    assert_eq!(store.sweep_tasks(NOW + 1, expires, 10, false).await.unwrap(), [repeated.folder]);
}

pub async fn sweep_waits_for_events(Fixture { store, .. }: Fixture) {
    let task = create(&store, task_with_webhook("A", "https://example.org/")).await;
    let claimed = take(&store, &claim("me", NOW, 1)).await;
    assert!(store.end_task(&claimed[0].lease, &done(NOW + 1)).await.unwrap());
    assert_eq!(store.sweep_tasks(NOW + 9, NOW + 9, 10, false).await.unwrap(), [""; 0]);
    for event in store.claim_events(&claim_events(NOW + 9, NOW + 99, 5, 5)).await.unwrap() {
        let attempt = super::events::responded(204);
        let delivered = asset_service::domain::Next::Delivered;
        assert!(store.record_attempt(&event, &attempt, delivered).await.unwrap());
    }
    assert_eq!(store.sweep_tasks(NOW + 9, NOW + 9, 10, false).await.unwrap(), [task.folder]);
    assert_eq!(store.events(&Default::default(), ALL).await.unwrap(), []);
}

pub async fn folders_lead_to_their_tasks(Fixture { store, .. }: Fixture) {
    let first = create(&store, task("A")).await;
    let second = create(&store, task("A")).await;
    create(&store, task("A")).await;
    take(&store, &claim("me", NOW, 1)).await;
    let asked = [second.folder.clone(), "0".repeat(32), first.folder.clone()];
    let mut owners = store.folders(&asked).await.unwrap();
    owners.sort_by_key(|owner| owner.attempts == 0);
    let owners: Vec<_> =
        owners.iter().map(|owner| (owner.folder.as_str(), owner.status, owner.attempts)).collect();
    let (first, second) = (first.folder.as_str(), second.folder.as_str());
    assert_eq!(owners, [(first, TaskStatus::InProgress, 1), (second, TaskStatus::Created, 0)]);
    assert_eq!(store.folders(&[]).await.unwrap(), []);
}
