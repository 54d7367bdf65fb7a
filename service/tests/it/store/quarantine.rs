//! Tasks that were in progress when a process died: which of them count an attempt, and when they are tried again.

use std::collections::{BTreeMap, BTreeSet};

use asset_service::domain::{Claim, Claimed, TaskQuery, TaskStatus};
use asset_service::store::SharedStore;
use asset_service::time::Millis;
use uuid::Uuid;

use super::fixture::{
    ALL, Fixture, NOW, claim, claim_events, counted, create, done, failed, refunded, take, task,
    task_with_webhook,
};

fn ids(claimed: &[Claimed]) -> BTreeSet<Uuid> {
    claimed.iter().map(|claimed| claimed.task.id).collect()
}

pub async fn one_quarantined_task_is_tried_at_a_time(fixture: Fixture) {
    let store = &fixture.store;
    let mut quarantined = BTreeSet::new();
    for key in ["A", "B", "C"] {
        quarantined.insert(create(store, task(key)).await.id);
    }
    assert_eq!(ids(&take(store, &claim("one", NOW, 9)).await), quarantined);
    let (own, other) = (create(store, task("A")).await.id, create(store, task("D")).await.id);

    let second = take(store, &claim("two", NOW + 1000, 9)).await;
    assert_eq!(second.len(), 2, "a quarantined task, and a task of a key without any");
    assert!(quarantined.contains(&second[0].task.id) && second[1].task.id == other);
    assert_eq!((second[0].tries, second[0].crashes), (1, 1), "the attempt that was cut off does not count");
    assert_eq!((second[1].tries, second[1].crashes), (1, 0));
    assert_eq!(take(store, &claim("two", NOW + 1000, 9)).await, [], "one at a time");
    let another = take(&fixture.database.open().await, &claim("three", NOW + 1000, 9)).await;
    assert_eq!(another.len(), 1, "each process tries one");

    // An end, a failure and a trial that is long enough make room.
    assert!(store.end_task(&second[0].lease, &done(NOW)).await.unwrap());
    assert!(store.release_task(&another[0].lease, counted(NOW + 5000)).await.unwrap());
    let third = take(store, &claim("two", NOW + 1000, 1)).await.remove(0);
    assert_eq!(third.crashes, 1);
    assert!(store.release_task(&third.lease, refunded(NOW)).await.unwrap());
    let third = take(store, &claim("two", NOW + 1000, 1)).await.remove(0);
    assert_eq!(third.crashes, 1, "it was handed back, and not tried");
    assert!(store.end_quarantine(&third.lease).await.unwrap());
    let rest = take(store, &claim("two", NOW + 1000, 9)).await;
    assert_eq!(ids(&rest), BTreeSet::from([own]), "the key has no quarantined task any more");
    let cleared = take(store, &claim("three", NOW + 5000, 9)).await.into_iter();
    let cleared: Vec<_> = cleared.filter(|claimed| claimed.task.id == another[0].task.id).collect();
    assert_eq!((cleared[0].tries, cleared[0].crashes), (2, 0), "its second attempt is one as usual");
}

pub async fn a_task_that_was_alone_counts_at_once(Fixture { store, .. }: Fixture) {
    let id = create(&store, task("A")).await.id;
    for tries in 1..=3 {
        let claimed = take(&store, &claim(&format!("process {tries}"), NOW + 1000 * tries, 9)).await;
        assert_eq!((claimed[0].task.id, i64::from(claimed[0].tries)), (id, tries));
    }
    assert_eq!(take(&store, &claim("last", NOW + 9000, 9)).await, []);
    assert_eq!(store.exhausted(&claim("last", NOW + 9000, 9)).await.unwrap().len(), 1);
}

pub async fn a_process_that_extends_leases_is_not_dead(Fixture { store, .. }: Fixture) {
    let id = create(&store, task("A")).await.id;
    create(&store, task("B")).await;
    let claimed = take(&store, &claim("one", NOW, 9)).await;
    for (late, expected) in [(1000, None), (1999, None), (2249, Some(2))] {
        assert!(store.heartbeat(&claimed[1].lease, NOW + late + 500).await.unwrap());
        let again = take(&store, &claim("two", NOW + late, 9)).await;
        let again = again.first().map(|again| (again.task.id, again.tries, again.crashes));
        assert_eq!(again, expected.map(|tries| (id, tries, 0)), "{late}");
    }
    assert!(store.end_task(&claimed[1].lease, &done(NOW)).await.unwrap(), "its other task continues");
}

pub async fn operators_see_quarantined_tasks(Fixture { store, .. }: Fixture) {
    for key in ["A", "B"] {
        create(&store, task(key)).await;
    }
    take(&store, &claim("one", NOW, 9)).await;
    let crashes = async || {
        let listed = store.all_tasks(&TaskQuery::default(), ALL).await.unwrap();
        listed.iter().map(|listed| listed.crashes).collect::<Vec<_>>()
    };
    assert_eq!(crashes().await, [0, 0]);
    let trial = take(&store, &claim("two", NOW + 1000, 9)).await.remove(0);
    assert_eq!(crashes().await, [1, 1]);
    assert!(store.end_quarantine(&trial.lease).await.unwrap());
    assert_eq!(crashes().await.iter().sum::<u32>(), 1);
}

/// Runs processes until nothing is left; each dies when it has a task of `killers`. Returns how many died.
async fn run(store: &SharedStore, killers: &BTreeSet<Uuid>) -> u32 {
    let (mut crashes, mut now): (u32, Millis) = (0, NOW);
    loop {
        let owner = format!("process {crashes}");
        for over in store.exhausted(&claim(&owner, now, 99)).await.unwrap() {
            assert!(store.end_task(&over.lease, &failed(now)).await.unwrap());
        }
        let claimed = take(store, &Claim { running_per_key: 4, ..claim(&owner, now, 6) }).await;
        if claimed.is_empty() {
            return crashes;
        }
        if claimed.iter().any(|claimed| killers.contains(&claimed.task.id)) {
            (crashes, now) = (crashes + 1, now + 1000);
            assert!(crashes < 200, "it does not come to an end");
            continue;
        }
        for claimed in claimed {
            assert!(store.end_task(&claimed.lease, &done(now)).await.unwrap());
        }
    }
}

async fn statuses(store: &SharedStore) -> BTreeMap<Uuid, TaskStatus> {
    let listed = store.all_tasks(&TaskQuery::default(), ALL).await.unwrap();
    listed.into_iter().map(|listed| (listed.task.id, listed.task.status)).collect()
}

pub async fn only_the_task_that_kills_is_exhausted(Fixture { store, .. }: Fixture) {
    for number in 0..9 {
        create(&store, task(["A", "B", "C"][number % 3])).await;
    }
    let killers = BTreeSet::from([create(&store, task("A")).await.id]);
    for number in 0..9 {
        create(&store, task(["A", "B", "C"][number % 3])).await;
    }
    assert_eq!(run(&store, &killers).await, 4, "one death among others, and one for each attempt");
    for (id, status) in statuses(&store).await {
        let expected = if killers.contains(&id) { TaskStatus::Failed } else { TaskStatus::Completed };
        assert_eq!(status, expected);
    }
}

/// A key sends tasks that kill, again and again, while other keys have work.
pub async fn many_tasks_that_kill_exhaust_no_other(Fixture { store, .. }: Fixture) {
    let mut killers = BTreeSet::new();
    for number in 0..20 {
        killers.insert(create(&store, task("BAD")).await.id);
        create(&store, task(["A", "B", "C"][number % 3])).await;
    }
    let crashes = run(&store, &killers).await;
    assert!(
        (60..=80).contains(&crashes),
        "{crashes}: three attempts of each, and a death for each four of them"
    );
    for (id, status) in statuses(&store).await {
        let expected = if killers.contains(&id) { TaskStatus::Failed } else { TaskStatus::Completed };
        assert_eq!(status, expected);
    }
}

/// The process that had begun the tasks lives on, as does the original.
pub async fn tasks_of_a_copy_are_not_quarantined(Fixture { store, .. }: Fixture) {
    let created = [
        create(&store, task_with_webhook("A", "https://example.org/")).await.id,
        create(&store, task("A")).await.id,
    ];
    let held = take(&store, &claim("of the original", NOW, 9)).await;
    assert_eq!(store.claim_events(&claim_events(NOW, NOW + 9000, 1, 9)).await.unwrap().len(), 1);
    store.detach("a copy", None).await.unwrap();
    assert!(!store.heartbeat(&held[0].lease, NOW + 9000).await.unwrap(), "its lease is void here");
    let again = take(&store, &claim("of the copy", NOW, 9)).await;
    assert_eq!(ids(&again), BTreeSet::from(created), "both at once");
    for claimed in again {
        assert_eq!((claimed.tries, claimed.crashes), (1, 0));
    }
    assert_eq!(store.claim_events(&claim_events(NOW, NOW + 9000, 1, 9)).await.unwrap().len(), 1);
}
