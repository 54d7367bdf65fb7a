//! Leases: extended, lost, released and expired.

use std::collections::BTreeMap;
use std::sync::Arc;

use asset_service::domain::{
    Claim, Claimed, Counts, Demand, Ended, Engines, EventState, NewTask, Offered, Only, Quick, Release,
    RemainingWork, Task, TaskStatus,
};
use asset_service::time::Millis;

use super::fixture::{
    ALL, Fixture, NOW, at_once, claim, claim_events, counted, create, done, failed, refunded, take, task,
    task_with_webhook,
};

pub async fn a_lease_that_ran_out_is_claimed_again(Fixture { store, .. }: Fixture) {
    let task = create(&store, task("A")).await;
    let first = take(&store, &claim("me", NOW, 9)).await;
    assert!(take(&store, &claim("you", NOW + 999, 9)).await.is_empty());
    // A process searches for expired leases every 250 milliseconds.
    let second = take(&store, &claim("you", NOW + 1249, 9)).await;
    assert_eq!(second[0].task.id, task.id);
    assert_eq!((first[0].lease.attempt, second[0].lease.attempt), (1, 2));
}

pub async fn a_heartbeat_keeps_the_lease(Fixture { store, .. }: Fixture) {
    create(&store, task("A")).await;
    let lease = take(&store, &claim("me", NOW, 9)).await.remove(0).lease;
    assert!(store.heartbeat(&lease, NOW + 3000).await.unwrap());
    assert!(take(&store, &claim("you", NOW + 2999, 9)).await.is_empty());
    // The lease has expired, but no other worker has claimed the task, so it can be extended.
    assert!(store.heartbeat(&lease, NOW + 9000).await.unwrap());
    assert!(take(&store, &claim("you", NOW + 8999, 9)).await.is_empty());
    assert!(store.end_task(&lease, &done(NOW + 9999)).await.unwrap());
}

pub async fn an_advanced_task_waits_for_its_next_part(Fixture { store, .. }: Fixture) {
    let id = create(&store, task("A")).await.id;
    // Two attempts at the first part.
    let first = take(&store, &claim("me", NOW, 9)).await.remove(0).lease;
    assert!(store.release_task(&first, counted(NOW)).await.unwrap());
    let held = take(&store, &claim("me", NOW, 9)).await.remove(0);
    assert_eq!(held.tries, 2);
    assert!(store.record_call(&held.lease, Some("{}")).await.unwrap());
    let demand = Demand { engines: Engines::Attached("lip-sync".to_owned()), size: 3 };
    let rest = RemainingWork {
        work: "the rest".to_owned(),
        demand: demand.clone(),
        engine_time: None,
        now: NOW + 5,
    };
    assert!(!store.advance_task(&first, &rest).await.unwrap(), "the lease is lost");
    assert_eq!(store.work(id).await.unwrap(), Some(held.work));

    assert!(store.advance_task(&held.lease, &rest).await.unwrap());
    assert!(!store.advance_task(&held.lease, &rest).await.unwrap(), "the lease is given up");
    assert!(take(&store, &claim("me", NOW + 4, 9)).await.is_empty(), "not before its time");
    let elsewhere =
        Only { among: Some(Offered::BuiltIn(vec!["lip-sync", "sound-effects"])), ..Only::default() };
    let other = Claim { only: elsewhere, ..claim("me", NOW + 5, 9) };
    assert!(take(&store, &other).await.is_empty(), "the next part has another demand");
    let next = take(&store, &claim("me", NOW + 5, 9)).await.remove(0);
    assert_eq!(
        (next.task.id, next.work.as_str(), next.task.status),
        (id, "the rest", TaskStatus::InProgress)
    );
    assert_eq!((next.demand, next.call, next.tries), (demand, None, 1), "attempts count anew");
    assert!(store.end_task(&next.lease, &done(NOW + 9)).await.unwrap());
}

pub async fn a_lost_lease_changes_nothing(Fixture { store, .. }: Fixture) {
    let id = create(&store, task_with_webhook("A", "https://example.org/")).await.id;
    // The same process claims twice, so the owner's name alone can't identify a lease.
    let lost = take(&store, &claim("me", NOW, 9)).await.remove(0).lease;
    let held = take(&store, &claim("me", NOW + 1000, 9)).await.remove(0);
    let events = store.events(&Default::default(), ALL).await.unwrap();

    assert!(!store.heartbeat(&lost, NOW + 99_000).await.unwrap());
    assert!(!store.release_task(&lost, refunded(NOW)).await.unwrap());
    assert!(!store.end_task(&lost, &failed(NOW + 1001)).await.unwrap());
    let mut other = held.lease.clone();
    other.owner = "you".to_owned();
    assert!(!store.heartbeat(&other, NOW + 99_000).await.unwrap());
    assert!(!store.end_task(&other, &failed(NOW + 1001)).await.unwrap());

    assert_eq!(store.any_task(id).await.unwrap(), Some(held.task));
    assert_eq!(store.events(&Default::default(), ALL).await.unwrap(), events);
    assert!(take(&store, &claim("you", NOW + 1999, 9)).await.is_empty());
    assert!(store.end_task(&held.lease, &done(NOW + 1999)).await.unwrap());
}

pub async fn a_task_ends_once(Fixture { store, .. }: Fixture) {
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(create(&store, task("A")).await.id);
    }
    let claimed = take(&store, &claim("me", NOW, 9)).await;
    assert!(store.end_task(&claimed[0].lease, &done(NOW + 5)).await.unwrap());
    assert!(store.end_task(&claimed[1].lease, &failed(NOW + 6)).await.unwrap());
    // A step of a workflow app failed after others had results.
    let partial = Ended { results: done(NOW).results, ..failed(NOW + 6) };
    assert!(store.end_task(&claimed[2].lease, &partial).await.unwrap());
    for claimed in &claimed {
        assert!(!store.end_task(&claimed.lease, &failed(NOW + 7)).await.unwrap());
        assert!(!store.heartbeat(&claimed.lease, NOW + 9000).await.unwrap());
        assert!(!store.release_task(&claimed.lease, counted(NOW)).await.unwrap());
    }
    let good = store.any_task(ids[0]).await.unwrap().unwrap();
    assert_eq!((good.status, good.updated_at, good.error), (TaskStatus::Completed, NOW + 5, None));
    assert_eq!(good.results, done(NOW).results);
    assert_eq!(Some(good.engine), done(NOW).engine);
    let bad = store.any_task(ids[1]).await.unwrap().unwrap();
    assert_eq!((bad.status, bad.updated_at, bad.results), (TaskStatus::Failed, NOW + 6, Vec::new()));
    assert_eq!(bad.error, failed(NOW).error);
    assert_eq!(bad.engine, claimed[1].task.engine);
    let mixed = store.any_task(ids[2]).await.unwrap().unwrap();
    assert_eq!((mixed.status, mixed.results), (TaskStatus::Failed, partial.results));
    assert_eq!(mixed.error, partial.error);
    assert!(take(&store, &claim("me", NOW + 99_000, 9)).await.is_empty());
}

pub async fn ends_at_once_are_isolated(Fixture { store, .. }: Fixture) {
    let (mut stale, mut ids) = (Vec::new(), Vec::new());
    for number in 0..60 {
        let url = format!("https://{}.example.org/", number % 3);
        ids.push(
            create(&store, if number % 2 == 0 { task("A") } else { task_with_webhook("A", &url) }).await.id,
        );
    }
    let all = |now| Claim { running_per_key: 1000, ..claim("me", now, 1000) };
    for claimed in take(&store, &all(NOW)).await {
        assert!(store.release_task(&claimed.lease, refunded(NOW)).await.unwrap());
        stale.push(claimed.lease);
    }
    let held: Vec<_> =
        take(&store, &all(NOW + 1000)).await.into_iter().map(|claimed| claimed.lease).collect();
    // For each task: one end with a lost lease, and two ends with the valid lease.
    let ends = at_once(3 * held.len(), |number| {
        let (store, of) = (Arc::clone(&store), number / 3);
        let lease = if number % 3 == 0 { stale[of].clone() } else { held[of].clone() };
        let ended = if number % 3 == 0 { failed(NOW + 1001) } else { done(NOW + 1001) };
        async move { (number % 3, store.end_task(&lease, &ended).await.unwrap()) }
    })
    .await;
    assert!(ends.iter().all(|(kind, held)| *kind > 0 || !held));
    for id in ids {
        assert_eq!(store.any_task(id).await.unwrap().unwrap().status, TaskStatus::Completed);
    }
    let events = store.events(&Default::default(), ALL).await.unwrap();
    let count = |state| events.iter().filter(|event| event.terminal && event.state == state).count();
    assert_eq!((count(EventState::Pending), count(EventState::GivenUp), events.len()), (30, 0, 60));
    for one in ends.chunks(3) {
        assert!(one.iter().any(|(_, held)| *held));
    }
}

pub async fn a_released_task_waits(Fixture { store, .. }: Fixture) {
    let id = create(&store, task("A")).await.id;
    let later = create(&store, task("A")).await.id;
    let claimed = take(&store, &claim("me", NOW, 1)).await;
    assert!(store.release_task(&claimed[0].lease, counted(NOW + 50)).await.unwrap());
    let task = store.any_task(id).await.unwrap().unwrap();
    assert_eq!((task.status, task.updated_at), (TaskStatus::InProgress, NOW));
    assert!(!store.heartbeat(&claimed[0].lease, NOW + 9000).await.unwrap());
    assert_eq!(take(&store, &claim("me", NOW + 49, 1)).await[0].task.id, later);
    let again = take(&store, &claim("me", NOW + 50, 1)).await;
    assert_eq!((again[0].task.id, again[0].lease.attempt), (id, 2));
}

pub async fn a_refunded_attempt_does_not_count(Fixture { store, .. }: Fixture) {
    create(&store, task("A")).await;
    let mut leases = Vec::new();
    for _ in 0..5 {
        let claimed = take(&store, &claim("me", NOW, 1)).await.remove(0);
        assert_eq!(claimed.tries, 1);
        assert!(store.release_task(&claimed.lease, refunded(NOW)).await.unwrap());
        assert!(!leases.contains(&claimed.lease), "an old lease must not become valid again");
        leases.push(claimed.lease);
    }
    for tries in 1..=3 {
        let claimed = take(&store, &claim("me", NOW, 1)).await.remove(0);
        assert_eq!((claimed.tries, claimed.lease.attempt), (tries, 5 + tries));
        assert!(store.release_task(&claimed.lease, counted(NOW)).await.unwrap());
    }
    assert!(take(&store, &claim("me", NOW, 1)).await.is_empty());
    assert_eq!(store.exhausted(&claim("me", NOW, 1)).await.unwrap().len(), 1);
}

pub async fn refunds_are_counted_by_reason(Fixture { store, .. }: Fixture) {
    let created = create(&store, task("A")).await;
    for (counts, expected) in [
        (Counts::Refusal, (1, 0, 0)),
        (Counts::Refusal, (1, 0, 1)),
        (Counts::Outage, (1, 0, 2)),
        (Counts::Nothing, (1, 1, 2)),
        (Counts::Attempt, (1, 1, 2)),
        (Counts::Attempt, (2, 1, 2)),
    ] {
        let claimed = take(&store, &claim("me", NOW, 1)).await.remove(0);
        assert_eq!((claimed.tries, claimed.outages, claimed.refusals), expected);
        assert!(store.release_task(&claimed.lease, Release::new(counts, NOW)).await.unwrap());
    }
    assert_eq!(store.any_task(created.id).await.unwrap().unwrap().status, TaskStatus::InProgress);
}

pub async fn a_slow_task_is_never_quick_again(Fixture { store, .. }: Fixture) {
    let demand = Demand { engines: Engines::built_in(["voiceover"]), size: 3 };
    create(&store, NewTask { demand, ..task("A") }).await;
    let quick = Quick { measured: Vec::new(), others: 11 };
    let quick = Claim { only: Only { quick: Some(quick), ..Only::default() }, ..claim("me", NOW, 1) };
    let lease = take(&store, &quick).await.remove(0).lease;
    assert!(store.release_task(&lease, refunded(NOW)).await.unwrap());
    let lease = take(&store, &quick).await.remove(0).lease;
    let slow = Release { is_slow: true, ..refunded(NOW) };
    assert!(store.release_task(&lease, slow).await.unwrap());
    assert!(take(&store, &quick).await.is_empty());
    let engines = take(&store, &claim("me", NOW, 1)).await.remove(0).demand.engines;
    assert_eq!(engines, Engines::built_in(["voiceover"]));
}

pub async fn an_unreadable_task_stops_no_other(Fixture { store, database }: Fixture) {
    let ids = [create(&store, task("A")).await.id, create(&store, task("B")).await.id];
    database
        .run(
            "UPDATE tasks SET demand = 'remote hologram', ignored = 'no JSON'
             WHERE seq = (SELECT min(seq) FROM tasks)",
        )
        .await;
    let waiting = store.waiting_since(NOW + 1, 9).await.unwrap();
    assert_eq!(waiting.into_iter().map(|task| task.id).collect::<Vec<_>>(), ids);
    let taken =
        |claimed: Vec<Claimed>| claimed.into_iter().map(|claimed| claimed.task.id).collect::<Vec<_>>();
    assert_eq!(taken(take(&store, &claim("me", NOW, 9)).await), ids);
    database.run("UPDATE tasks SET attempt = 3, lease_owner = NULL, due_at = 0").await;
    let exhausted_tasks = store.exhausted(&claim("me", NOW, 9)).await.unwrap();
    for claimed in &exhausted_tasks {
        assert!(store.end_task(&claimed.lease, &done(NOW)).await.unwrap());
    }
    let folders: Vec<String> = exhausted_tasks.iter().map(|claimed| claimed.task.folder.clone()).collect();
    let mut exhausted_tasks = taken(exhausted_tasks);
    exhausted_tasks.sort_unstable();
    assert_eq!(exhausted_tasks, ids);
    // The clean-up must know the owner of each folder: it removes the files of folders without one.
    database.run("UPDATE tasks SET results = 'no JSON' WHERE seq = (SELECT min(seq) FROM tasks)").await;
    assert_eq!(store.folders(&folders).await.unwrap().len(), 2);
}

pub async fn tasks_that_wait_are_listed_by_age(Fixture { store, .. }: Fixture) {
    let speech = |created_at| {
        let mut new = task("A");
        (new.task.created_at, new.demand.engines) = (created_at, Engines::Attached("voiceover".to_owned()));
        new
    };
    assert!(store.oldest_due(NOW).await.unwrap().is_empty());
    let newer = create(&store, speech(NOW + 1)).await.id;
    let older = create(&store, speech(NOW)).await.id;
    let begun = create(&store, NewTask { task: Task { created_at: NOW - 1, ..task("B").task }, ..task("B") })
        .await
        .id;
    let ids = async |before, limit| {
        let waiting = store.waiting_since(before, limit).await.unwrap();
        waiting.into_iter().map(|task| task.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(NOW + 2, 9).await, [newer, older, begun], "in the order of acceptance");
    assert_eq!(ids(NOW + 2, 1).await, [newer]);
    assert_eq!(ids(NOW, 9).await, [begun]);
    let built_in = task("B").demand.engines;
    let only = Only { among: Some(Offered::BuiltIn(vec!["sound-effects"])), ..Only::default() };
    assert_eq!(take(&store, &Claim { only, ..claim("me", NOW + 2, 9) }).await[0].task.id, begun);
    assert!(ids(NOW, 9).await.is_empty(), "it is in progress");
    let oldest =
        async |now| store.oldest_due(now).await.unwrap().into_iter().collect::<BTreeMap<String, Millis>>();
    let spoken = ("attached voiceover".to_owned(), NOW + 1);
    assert_eq!(oldest(NOW + 2).await, BTreeMap::from([spoken.clone()]), "the other one is in progress");
    assert_eq!(oldest(NOW + 9000).await, BTreeMap::from([spoken, (built_in.to_string(), NOW - 1)]));
}

pub async fn exhausted_tasks_are_taken_over(Fixture { store, .. }: Fixture) {
    // The lease of the first task expires each time, the second task is released, and a third task has
    // attempts left.
    let ids = [create(&store, task("A")).await.id, create(&store, task("B")).await.id];
    let mut now = NOW;
    for attempt in 1..=3 {
        let claimed = take(&store, &claim("me", now, 9)).await;
        assert_eq!(claimed.iter().map(|claimed| claimed.task.id).collect::<Vec<_>>(), ids);
        assert!(store.exhausted(&claim("me", now, 9)).await.unwrap().is_empty(), "attempt {attempt}");
        assert!(store.release_task(&claimed[1].lease, counted(now + 1000)).await.unwrap());
        now += 1000;
    }
    create(&store, task("A")).await;
    assert_eq!(take(&store, &claim("me", now, 9)).await.len(), 1);
    assert!(store.exhausted(&claim("me", now - 1, 9)).await.unwrap().is_empty());

    let mut exhausted_tasks = store.exhausted(&claim("me", now, 1)).await.unwrap();
    exhausted_tasks.extend(store.exhausted(&claim("you", now, 9)).await.unwrap());
    assert!(store.exhausted(&claim("me", now, 9)).await.unwrap().is_empty());
    assert_eq!(exhausted_tasks.len(), 2);
    for claimed in exhausted_tasks {
        assert!(ids.contains(&claimed.task.id));
        assert_eq!(claimed.task.status, TaskStatus::InProgress);
        assert!(store.end_task(&claimed.lease, &failed(now)).await.unwrap());
    }
    // With a smaller `max_attempts`, the third task has no attempt left.
    let claim = Claim { max_attempts: 1, ..claim("me", now + 1000, 9) };
    assert_eq!(store.exhausted(&claim).await.unwrap().len(), 1);
}

pub async fn depth_counts(Fixture { store, .. }: Fixture) {
    assert_eq!(store.depth().await.unwrap(), (0, 0));
    for _ in 0..5 {
        create(&store, task("A")).await;
    }
    let claimed = take(&store, &claim("me", NOW, 3)).await;
    assert_eq!(store.depth().await.unwrap(), (2, 3));
    assert!(store.end_task(&claimed[0].lease, &done(NOW)).await.unwrap());
    assert!(store.release_task(&claimed[1].lease, counted(NOW)).await.unwrap());
    assert_eq!(store.depth().await.unwrap(), (2, 2));
}

pub async fn a_cancelled_task_has_ended_for_all(Fixture { store, .. }: Fixture) {
    create(&store, task_with_webhook("A", "https://example.org/")).await;
    let waiting = create(&store, task("A")).await;
    let begun = take(&store, &claim("me", NOW, 1)).await.remove(0);
    assert!(!store.cancel_task(begun.task.id, false, &failed(NOW + 4)).await.unwrap(), "a worker holds it");
    for id in [begun.task.id, waiting.id] {
        assert!(store.cancel_task(id, true, &failed(NOW + 5)).await.unwrap());
        assert!(!store.cancel_task(id, true, &failed(NOW + 6)).await.unwrap());
        let task = store.any_task(id).await.unwrap().unwrap();
        assert_eq!((task.status, task.updated_at), (TaskStatus::Failed, NOW + 5));
        assert!(task.error.is_some());
    }
    assert!(!store.heartbeat(&begun.lease, NOW + 9000).await.unwrap());
    assert!(!store.end_task(&begun.lease, &done(NOW + 7)).await.unwrap());
    assert!(!store.release_task(&begun.lease, refunded(NOW)).await.unwrap());
    assert!(take(&store, &claim("me", NOW + 99_000, 9)).await.is_empty());
    let events = store.events(&Default::default(), ALL).await.unwrap();
    let payloads: Vec<_> = events.iter().map(|event| (event.terminal, event.payload.as_str())).collect();
    assert_eq!(payloads[0], (true, "failed"));
    assert_eq!(store.claim_events(&claim_events(NOW + 9, NOW + 99, 9, 9)).await.unwrap().len(), 1);
}

pub async fn only_ended_tasks_are_deleted(Fixture { store, .. }: Fixture) {
    let ended = create(&store, task_with_webhook("A", "https://example.org/")).await;
    assert!(!store.delete_task(ended.id).await.unwrap());
    let begun = take(&store, &claim("me", NOW, 1)).await.remove(0);
    assert!(!store.delete_task(ended.id).await.unwrap());
    assert!(store.end_task(&begun.lease, &done(NOW)).await.unwrap());
    assert!(store.delete_task(ended.id).await.unwrap());
    assert!(!store.delete_task(ended.id).await.unwrap());
    assert_eq!(store.any_task(ended.id).await.unwrap(), None);
    assert_eq!(store.events(&Default::default(), ALL).await.unwrap(), []);
}
