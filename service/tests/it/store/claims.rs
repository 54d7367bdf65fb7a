//! Claims of tasks: each task once, in order, and fair between keys.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use asset_service::domain::{
    Claim, DeliveryCaps, Demand, Engines, EventState, NewTask, Offered, Only, Quick, TaskStatus,
};

use super::fixture::{
    ALL, Fixture, NOW, at_once, claim, counted, create, done, refunded, take, task, task_with_webhook,
};

pub async fn each_task_is_claimed_once(fixture: Fixture) {
    let mut created = BTreeSet::new();
    for number in 0..120 {
        created.insert(create(&fixture.store, task(&format!("K{}", number % 7))).await.id);
    }
    let stores = [fixture.store.clone(), fixture.database.open().await];
    let claimed = at_once(8, |worker| {
        let store = Arc::clone(&stores[worker % 2]);
        async move {
            let owner = format!("worker {worker}");
            let mut mine = Vec::new();
            loop {
                let claim = Claim { running_per_key: 1000, ..claim(&owner, NOW, 5) };
                let claimed = take(&store, &claim).await;
                if claimed.is_empty() {
                    return mine;
                }
                mine.extend(claimed.into_iter().map(|claimed| claimed.task.id));
            }
        }
    })
    .await
    .concat();
    assert_eq!(claimed.len(), created.len());
    assert_eq!(BTreeSet::from_iter(claimed), created);
}

pub async fn oldest_first(Fixture { store, .. }: Fixture) {
    let mut ids = Vec::new();
    for key in ["B", "A", "A", "B"] {
        ids.push(create(&store, task(key)).await.id);
    }
    let first = take(&store, &claim("me", NOW, 1)).await;
    assert_eq!(first[0].task.id, ids[0]);
    assert_eq!((first[0].lease.attempt, first[0].lease.owner.as_str()), (1, "me"));
    assert_eq!((first[0].task.status, first[0].task.updated_at), (TaskStatus::InProgress, NOW));
    let rest = take(&store, &claim("me", NOW + 1, 9)).await;
    assert_eq!(rest.iter().map(|claimed| claimed.task.id).collect::<Vec<_>>(), ids[1..]);
    assert_eq!(store.any_task(ids[1]).await.unwrap().as_ref(), Some(&rest[0].task));
    assert_eq!(rest[0].task.updated_at, NOW + 1);
    assert!(take(&store, &claim("me", NOW, 9)).await.is_empty());
}

pub async fn no_key_is_above_its_cap(Fixture { store, .. }: Fixture) {
    for _ in 0..6 {
        create(&store, task("A")).await;
    }
    let mine = take(&store, &claim("me", NOW, 3)).await;
    assert_eq!(mine.len(), 3);
    assert_eq!(take(&store, &claim("you", NOW, 3)).await.len(), 1);
    assert!(take(&store, &claim("me", NOW, 3)).await.is_empty());
    let held_back = async |running_per_key| {
        store.held_back(running_per_key, DeliveryCaps::default(), NOW).await.unwrap().tasks
    };
    assert_eq!([held_back(4).await, held_back(5).await], [2, 0]);
    assert!(store.end_task(&mine[0].lease, &done(NOW)).await.unwrap());
    assert_eq!(take(&store, &claim("me", NOW, 3)).await.len(), 1);
    // Neither a pause nor an expired lease counts against the key's cap.
    assert!(store.release_task(&mine[1].lease, counted(NOW + 5000)).await.unwrap());
    assert_eq!(take(&store, &claim("me", NOW, 3)).await.len(), 1);
    assert!(take(&store, &claim("me", NOW + 999, 9)).await.is_empty());
    for _ in 0..4 {
        let again = take(&store, &claim("me", NOW + 1249, 9)).await.remove(0);
        assert!(
            store.end_quarantine(&again.lease).await.unwrap(),
            "after a death, they are tried one at a time"
        );
    }
}

pub async fn caps_hold_over_processes(fixture: Fixture) {
    let lease_until = NOW + 99_000;
    let keys = ["A", "B", "C"];
    for number in 0..60 {
        create(&fixture.store, task(keys[number % 3])).await;
    }
    // The older half is due a bit later, so claims with different clocks would take different tasks.
    let all = Claim { running_per_key: 10, lease_until, ..claim("first", NOW, 30) };
    for claimed in take(&fixture.store, &all).await {
        assert!(fixture.store.release_task(&claimed.lease, refunded(NOW + 10)).await.unwrap());
    }
    let stores = [fixture.store.clone(), fixture.database.open().await];
    let claimed = at_once(16, |worker| {
        let store = Arc::clone(&stores[worker % 2]);
        async move {
            let now = NOW + [0, 10][worker / 2 % 2];
            take(&store, &Claim { lease_until, ..claim(&format!("worker {worker}"), now, 9) }).await
        }
    })
    .await;
    let mut running = BTreeMap::<_, u32>::new();
    for claimed in claimed.concat() {
        *running.entry(claimed.task.key_id).or_default() += 1;
    }
    assert!(running.values().all(|running| *running <= 4), "{running:?}");
    // Tasks that one claim has left are available to the next one.
    let rest = take(&fixture.store, &Claim { lease_until, ..claim("last", NOW + 10, 99) }).await;
    assert_eq!(rest.len() + running.values().map(|running| *running as usize).sum::<usize>(), 12);
}

pub async fn a_greedy_key_starves_nobody(Fixture { store, .. }: Fixture) {
    for _ in 0..40 {
        create(&store, task("GREEDY")).await;
    }
    let modest = [create(&store, task("A")).await.id, create(&store, task("Z")).await.id];
    let claimed = take(&store, &claim("me", NOW, 3)).await;
    let claimed: Vec<_> = claimed.iter().map(|claimed| claimed.task.id).collect();
    assert!(
        modest.iter().all(|id| claimed.contains(id)),
        "keys with the fewest tasks in progress must come first"
    );
    // A key at its cap is skipped, however many tasks it has waiting.
    assert_eq!(take(&store, &claim("me", NOW, 9)).await.len(), 3);
    let late = create(&store, task("M")).await;
    let claimed = take(&store, &claim("me", NOW, 9)).await;
    assert_eq!(claimed.iter().map(|claimed| claimed.task.id).collect::<Vec<_>>(), [late.id]);
}

pub async fn claims_choose_by_demand(Fixture { store, .. }: Fixture) {
    let put = async |key: &str, engines: &Engines, size: i16| {
        let demand = Demand { engines: engines.clone(), size };
        create(&store, NewTask { demand, ..task(key) }).await.id
    };
    let (voice, sound) = (Engines::built_in(["voiceover"]), Engines::built_in(["sound-effects"]));
    let two = Engines::built_in(["image-edit", "voiceover"]);
    let long = put("A", &voice, 14).await;
    let both = put("A", &two, 9).await;
    let short = put("A", &sound, 9).await;
    let other = put("B", &sound, 14).await;
    let attached = put("B", &Engines::Attached("voiceover".to_owned()), i16::MAX).await;
    let now = std::cell::Cell::new(NOW);
    // The tasks of each claim return to the queue before the next one.
    let claimed = async |only: Only| {
        now.set(now.get() + 1000);
        let claimed = take(&store, &Claim { only, max_attempts: 99, ..claim("me", now.get(), 9) }).await;
        for claimed in &claimed {
            assert!(store.release_task(&claimed.lease, refunded(now.get())).await.unwrap());
        }
        claimed.into_iter().map(|claimed| claimed.task.id).collect::<BTreeSet<_>>()
    };
    let all = Only::default;
    assert_eq!(claimed(all()).await, BTreeSet::from([long, both, short, other, attached]));
    let among = |offered| Only { among: Some(offered), ..all() };
    let threads = |families: &[&'static str]| among(Offered::BuiltIn(families.to_vec()));
    assert_eq!(claimed(threads(&["sound-effects", "image-edit"])).await, BTreeSet::from([short, other]));
    assert_eq!(claimed(threads(&["voiceover"])).await, BTreeSet::from([long]), "it needs no other family");
    assert_eq!(claimed(threads(&["voiceover", "image-edit"])).await, BTreeSet::from([long, both]));
    assert_eq!(claimed(threads(&["voice", "sound", ""])).await, BTreeSet::new(), "families are whole names");
    let lane = among(Offered::Attached(vec!["voiceover", "sound-effects"]));
    assert_eq!(claimed(lane).await, BTreeSet::from([attached]), "no built-in engine serves it");
    assert_eq!(
        claimed(Only { skipped: vec![long, other], ..all() }).await,
        BTreeSet::from([both, short, attached])
    );
    assert_eq!(
        claimed(Only { except: Some("A".to_owned()), ..all() }).await,
        BTreeSet::from([other, attached])
    );
    let quick = Quick { measured: Vec::new(), others: 11 };
    assert_eq!(claimed(Only { quick: Some(quick), ..all() }).await, BTreeSet::from([both, short]));
    let measured = vec![(sound, 14), (two, 8)];
    let quick = Quick { measured, others: 11 };
    assert_eq!(claimed(Only { quick: Some(quick), ..all() }).await, BTreeSet::from([short, other]));
}

pub async fn the_first_claim_queues_an_event(Fixture { store, .. }: Fixture) {
    let with_webhook = create(&store, task_with_webhook("A", "https://Example.org:443/hook")).await;
    create(&store, task("A")).await;
    let claimed = take(&store, &claim("me", NOW + 3, 9)).await;
    let events = store.events(&Default::default(), ALL).await.unwrap();
    assert_eq!(events.len(), 1);
    let event = &events[0];
    assert_eq!((event.task_id, event.key_id.as_str()), (with_webhook.id, "A"));
    assert_eq!(event.url, "https://Example.org:443/hook");
    assert_eq!(event.payload, format!("{} IN_PROGRESS", with_webhook.id));
    assert_eq!((event.terminal, event.state, event.attempts), (false, EventState::Pending, 0));
    assert_eq!((event.due_at, event.created_at), (NOW + 3, NOW + 3));
    let hex = event.id.strip_prefix("msg_").unwrap();
    assert!(hex.len() == 32 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
    // A second claim changes no status and queues no event.
    assert!(store.release_task(&claimed[0].lease, counted(NOW + 4)).await.unwrap());
    let again = take(&store, &claim("me", NOW + 4, 9)).await;
    assert_eq!((again[0].task.id, again[0].task.updated_at), (with_webhook.id, NOW + 3));
    assert_eq!(store.events(&Default::default(), ALL).await.unwrap().len(), 1);
}

pub async fn creation_wakes(Fixture { store, .. }: Fixture) {
    let waiting = Arc::clone(&store);
    let woken = tokio::spawn(async move { waiting.tasks_woken().notified().await });
    create(&store, task("A")).await;
    tokio::time::timeout(Duration::from_secs(20), woken).await.expect("a wake-up").unwrap();
}
