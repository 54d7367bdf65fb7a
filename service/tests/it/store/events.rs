//! The outbox: queueing, claims and records of webhook events.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use asset_service::domain::{
    Attempt, ClaimedEvent, DeliveryCaps, Event, EventClaim, EventQuery, EventState, NewTask, Next,
    OutboxLimits,
};
use asset_service::store::SharedStore;
use asset_service::time::Millis;
use asset_service::trace::TraceContext;

use super::fixture::{
    ALL, Fixture, NOW, TestDatabase, at_once, caps, claim, claim_events, create, done, put_events, take,
    task, task_with_webhook,
};

/// Returns an attempt with this response status.
pub fn responded(status: u16) -> Attempt {
    Attempt { at: NOW, duration: 12, status: Some(status), error: None, response: "thanks".to_owned() }
}

/// Creates a task with this webhook, and claims it.
async fn begun(store: &SharedStore, url: &str) -> asset_service::domain::Claimed {
    begun_by("A", store, url).await
}

async fn begun_by(key_id: &str, store: &SharedStore, url: &str) -> asset_service::domain::Claimed {
    create(store, task_with_webhook(key_id, url)).await;
    let claim = asset_service::domain::Claim { running_per_key: 1000, ..claim("me", NOW, 1) };
    take(store, &claim).await.remove(0)
}

/// Creates and ends a task with this webhook; only its terminal event is pending.
async fn ended(store: &SharedStore, url: &str) -> Event {
    let claimed = begun(store, url).await;
    assert!(store.end_task(&claimed.lease, &done(NOW)).await.unwrap());
    let query = EventQuery { task_id: Some(claimed.task.id), ..EventQuery::default() };
    store.events(&query, ALL).await.unwrap().remove(0)
}

async fn sending(store: &SharedStore, now: Millis) -> Vec<ClaimedEvent> {
    store.claim_events(&claim_events(now, now + 1000, 100, 100)).await.unwrap()
}

/// Returns the keys of events, in alphabetical order.
fn keys(claimed: &[ClaimedEvent]) -> String {
    let mut keys: Vec<_> = claimed.iter().map(|claimed| claimed.event.key_id.as_str()).collect();
    keys.sort_unstable();
    keys.concat()
}

async fn states(store: &SharedStore) -> Vec<(bool, EventState)> {
    let events = store.events(&EventQuery::default(), ALL).await.unwrap();
    events.iter().map(|event| (event.terminal, event.state)).collect()
}

pub async fn an_end_queues_one_terminal_event(Fixture { store, .. }: Fixture) {
    let event = ended(&store, "https://example.org/").await;
    assert!(event.terminal && event.state == EventState::Pending && event.payload == "done");
    create(&store, task("A")).await;
    let silent = take(&store, &claim("me", NOW, 1)).await.remove(0);
    assert!(store.end_task(&silent.lease, &done(NOW)).await.unwrap());
    // The task without a webhook has no events; the other one has one terminal event.
    assert_eq!(states(&store).await, [(true, EventState::Pending), (false, EventState::GivenUp)]);
}

pub async fn an_event_has_the_trace_of_its_task(Fixture { store, .. }: Fixture) {
    let context = TraceContext::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    assert!(context.is_some());
    for (key, trace) in [("A", context), ("B", None)] {
        create(&store, NewTask { trace, ..task_with_webhook(key, "https://example.org/") }).await;
        assert_eq!(take(&store, &claim("me", NOW, 9)).await.remove(0).trace, trace);
        assert_eq!(sending(&store, NOW).await.remove(0).event.trace, trace);
    }
}

pub async fn the_end_overtakes_the_beginning(Fixture { store, .. }: Fixture) {
    let claimed = begun(&store, "https://example.org/").await;
    let first = sending(&store, NOW).await.remove(0);
    assert!(store.record_attempt(&first, &responded(500), Next::RetryAt(NOW + 5000)).await.unwrap());
    assert!(store.end_task(&claimed.lease, &done(NOW)).await.unwrap());
    let due = sending(&store, NOW + 9000).await;
    assert_eq!(due.iter().map(|claimed| claimed.event.terminal).collect::<Vec<_>>(), [true]);
    // A delivered event stays delivered.
    let claimed = begun(&store, "https://example.org/").await;
    let first = sending(&store, NOW).await.remove(0);
    assert!(store.record_attempt(&first, &responded(200), Next::Delivered).await.unwrap());
    assert!(store.end_task(&claimed.lease, &done(NOW)).await.unwrap());
    assert_eq!(states(&store).await[1], (false, EventState::Delivered));
}

pub async fn an_overtaken_delivery_is_recorded(Fixture { store, .. }: Fixture) {
    for (next, state) in [
        (Next::Delivered, EventState::Delivered),
        (Next::RetryAt(NOW), EventState::GivenUp),
        (Next::GiveUp, EventState::GivenUp),
    ] {
        let claimed = begun(&store, "https://example.org/").await;
        let under_way = sending(&store, NOW).await.remove(0);
        assert!(store.end_task(&claimed.lease, &done(NOW)).await.unwrap());
        let caps = DeliveryCaps { per_lane: 1, ..caps(100) };
        let one = EventClaim { caps, ..claim_events(NOW, NOW + 1000, 100, 100) };
        assert_eq!(
            store.claim_events(&one).await.unwrap(),
            [],
            "the delivery still takes the lane's only slot"
        );
        assert_eq!(store.held_back(9, caps, NOW).await.unwrap().events, 1, "the terminal event waits for it");
        assert!(store.record_attempt(&under_way, &responded(200), next).await.unwrap());
        assert_eq!(states(&store).await[..2], [(true, EventState::Pending), (false, state)]);
        let terminal = store.claim_events(&one).await.unwrap().remove(0);
        assert!(store.record_attempt(&terminal, &responded(200), Next::Delivered).await.unwrap());
    }
}

pub async fn events_are_claimed_once(fixture: Fixture) {
    let mut queued = BTreeSet::new();
    for number in 0..40 {
        queued.insert(ended(&fixture.store, &format!("https://{}.example.org/", number % 3)).await.id);
    }
    let stores = [fixture.store.clone(), fixture.database.open().await];
    let claimed = at_once(6, |worker| {
        let store = Arc::clone(&stores[worker % 2]);
        async move {
            let mut mine = Vec::new();
            loop {
                let claimed = store.claim_events(&claim_events(NOW, NOW + 1000, 100, 4)).await.unwrap();
                if claimed.is_empty() {
                    return mine;
                }
                mine.extend(claimed.into_iter().map(|claimed| claimed.event.id));
            }
        }
    })
    .await
    .concat();
    assert_eq!(claimed.len(), queued.len());
    assert_eq!(BTreeSet::from_iter(claimed), queued);
    // When the leases expire, the events are claimed again with the same ids.
    let again = sending(&fixture.store, NOW + 1000).await;
    assert_eq!(BTreeSet::from_iter(again.into_iter().map(|claimed| claimed.event.id)), queued);
}

pub async fn hosts_have_caps(fixture: Fixture) {
    for number in 0..12 {
        let url = format!("https://{}.example.org:{}/{number}", ["a", "B", "b"][number % 3], 443 + number);
        ended(&fixture.store, &url).await;
    }
    let stores = [fixture.store.clone(), fixture.database.open().await];
    let claimed = at_once(6, |worker| {
        let store = Arc::clone(&stores[worker % 2]);
        async move { store.claim_events(&claim_events(NOW, NOW + 1000, 2, 9)).await.unwrap() }
    })
    .await
    .concat();
    let of = |host| claimed.iter().filter(|claimed| claimed.event.url.to_lowercase().contains(host)).count();
    assert!(of("//a.") <= 2 && of("//b.") <= 2);
    fixture.store.claim_events(&claim_events(NOW, NOW + 1000, 2, 9)).await.unwrap();
    let rest = fixture.store.claim_events(&claim_events(NOW, NOW + 1000, 3, 9)).await.unwrap();
    assert_eq!(rest.len(), 2, "one more event per host");
}

pub async fn lanes_have_caps(Fixture { store, .. }: Fixture) {
    for key in ["A", "A", "A", "A", "B"] {
        let claimed = begun_by(key, &store, "https://example.org/").await;
        assert!(store.end_task(&claimed.lease, &done(NOW)).await.unwrap());
    }
    let claim = |per_host| {
        let caps = DeliveryCaps { per_lane: 2, ..caps(per_host) };
        EventClaim { caps, ..claim_events(NOW, NOW + 1000, 9, 9) }
    };
    let first = store.claim_events(&claim(9)).await.unwrap();
    assert_eq!(keys(&first), "AAB", "A has its two, and B does not wait for the rest of A");
    assert_eq!(store.claim_events(&claim(9)).await.unwrap(), []);
    let late = begun_by("C", &store, "https://example.org/").await;
    assert!(store.end_task(&late.lease, &done(NOW)).await.unwrap());
    assert_eq!(store.claim_events(&claim(3)).await.unwrap(), [], "the host's cap holds over all keys");
    let held_back = async |per_lane, per_host, per_key| {
        let caps = DeliveryCaps { per_lane, per_host, reserved: 0, per_key };
        store.held_back(1, caps, NOW).await.unwrap().events
    };
    assert_eq!(held_back(2, 9, 9).await, 2, "two events of A");
    assert_eq!(held_back(9, 3, 9).await, 3, "all that are due");
    assert_eq!([held_back(9, 9, 2).await, held_back(9, 9, 3).await], [2, 0]);
    assert_eq!(keys(&store.claim_events(&claim(4)).await.unwrap()), "C");
    for claimed in first.iter().filter(|claimed| claimed.event.key_id == "A") {
        assert!(store.record_attempt(claimed, &responded(200), Next::Delivered).await.unwrap());
    }
    assert_eq!(keys(&store.claim_events(&claim(9)).await.unwrap()), "AA");
}

pub async fn a_host_reserves_slots_for_keys_without_deliveries(Fixture { store, .. }: Fixture) {
    let due = async |keys: &str| {
        for key in keys.chars() {
            let claimed = begun_by(&key.to_string(), &store, "https://example.org/").await;
            assert!(store.end_task(&claimed.lease, &done(NOW)).await.unwrap());
        }
    };
    let caps = DeliveryCaps { reserved: 2, ..caps(5) };
    let claim = EventClaim { caps, ..claim_events(NOW, NOW + 1000, 5, 9) };
    let claimed = async || store.claim_events(&claim).await.unwrap();
    let held_back = async || store.held_back(99, caps, NOW).await.unwrap().events;
    due("AAAABBBB").await;
    let first = claimed().await;
    assert_eq!(keys(&first), "AAB", "three of the five slots");
    assert_eq!((claimed().await, held_back().await), (Vec::new(), 5));
    due("CCD").await;
    let reserved = claimed().await;
    assert_eq!(keys(&reserved), "CD", "one each of the others");
    due("E").await;
    assert_eq!((claimed().await, held_back().await), (Vec::new(), 7), "the host is full");
    assert!(store.record_attempt(&first[0], &responded(200), Next::Delivered).await.unwrap());
    assert_eq!(keys(&claimed().await), "E");
    for claimed in first[1..].iter().chain(&reserved) {
        assert!(store.record_attempt(claimed, &responded(200), Next::Delivered).await.unwrap());
    }
    assert_eq!(keys(&claimed().await), "ABC", "the first of each, and no second one");
}

pub async fn keys_have_caps(Fixture { store, .. }: Fixture) {
    for number in 0..9 {
        ended(&store, &format!("https://{number}.example.org/")).await;
    }
    let other = begun_by("B", &store, "https://b.example.org/").await;
    assert!(store.end_task(&other.lease, &done(NOW)).await.unwrap());
    let claim = |per_key, now| {
        let caps = DeliveryCaps { per_key, ..caps(100) };
        EventClaim { caps, ..claim_events(now, now + 1000, 100, 100) }
    };
    let first = store.claim_events(&claim(4, NOW)).await.unwrap();
    assert_eq!(keys(&first), "AAAAB", "the cap of a key must hold over all its hosts");
    assert_eq!(keys(&store.claim_events(&claim(4, NOW)).await.unwrap()), "");
    assert_eq!(keys(&store.claim_events(&claim(6, NOW)).await.unwrap()), "AA");
    // Finished deliveries make room.
    assert_eq!(store.claim_events(&claim(100, NOW + 1000)).await.unwrap().len(), 10);
}

pub async fn a_failing_host_holds_up_no_other(Fixture { store, .. }: Fixture) {
    for _ in 0..20 {
        ended(&store, "https://slow.example.org/").await;
    }
    let quick = ended(&store, "https://quick.example.org/").await;
    let claimed = store.claim_events(&claim_events(NOW, NOW + 1000, 4, 2)).await.unwrap();
    assert!(claimed.iter().any(|claimed| claimed.event.id == quick.id));
    assert_eq!(store.claim_events(&claim_events(NOW, NOW + 1000, 4, 9)).await.unwrap().len(), 3);
    let late = ended(&store, "https://a.example.org/").await;
    let claimed = store.claim_events(&claim_events(NOW, NOW + 1000, 4, 9)).await.unwrap();
    assert_eq!(claimed.iter().map(|claimed| &claimed.event.id).collect::<Vec<_>>(), [&late.id]);
}

pub async fn a_retry_is_due_later(Fixture { store, .. }: Fixture) {
    let event = ended(&store, "https://example.org/").await;
    let first = sending(&store, NOW).await.remove(0);
    let refused = Attempt { status: None, error: Some("refused".to_owned()), ..responded(0) };
    assert!(store.record_attempt(&first, &refused, Next::RetryAt(NOW + 5000)).await.unwrap());
    assert!(sending(&store, NOW + 4999).await.is_empty());
    let second = sending(&store, NOW + 5000).await.remove(0);
    assert_eq!((second.event.id.as_str(), second.event.attempts), (event.id.as_str(), 1));
    assert_ne!(first.lease, second.lease);
    let odd = Attempt { response: "\0\u{1F980}".to_owned(), ..responded(500) };
    assert!(store.record_attempt(&second, &odd, Next::GiveUp).await.unwrap());
    assert!(sending(&store, NOW + 99_000).await.is_empty());
    let attempts = store.attempts(&event.id).await.unwrap();
    let attempts: Vec<_> = attempts.into_iter().map(|recorded| (recorded.number, recorded.attempt)).collect();
    let kept = Attempt { response: "\u{fffd}\u{1F980}".to_owned(), ..responded(500) };
    assert_eq!(attempts, [(1, refused), (2, kept)]);
    let query = EventQuery { state: Some(EventState::GivenUp), key_id: Some("A".to_owned()), task_id: None };
    let given_up = store.events(&query, ALL).await.unwrap();
    assert_eq!((given_up[0].id.as_str(), given_up[0].attempts), (event.id.as_str(), 2));
    assert_eq!(store.attempts("msg_").await.unwrap(), []);
}

pub async fn a_lost_event_lease_is_reported(Fixture { store, .. }: Fixture) {
    let event = ended(&store, "https://example.org/").await;
    let lost = sending(&store, NOW).await.remove(0);
    let held = sending(&store, NOW + 1000).await.remove(0);
    assert!(!store.record_attempt(&lost, &responded(500), Next::GiveUp).await.unwrap());
    assert_eq!(states(&store).await[0], (true, EventState::Pending));
    assert!(store.record_attempt(&held, &responded(200), Next::Delivered).await.unwrap());
    assert!(!store.record_attempt(&held, &responded(410), Next::Gone).await.unwrap());
    assert_eq!(states(&store).await[0], (true, EventState::Delivered));
    assert_eq!(store.attempts(&event.id).await.unwrap().len(), 3);
}

pub async fn attempts_at_once_are_isolated(Fixture { store, .. }: Fixture) {
    for number in 0..40 {
        ended(&store, &format!("https://{}.example.org/", number % 3)).await;
    }
    let (mut lost, mut held) = (sending(&store, NOW).await, sending(&store, NOW + 1000).await);
    assert_eq!((lost.len(), held.len()), (40, 40));
    lost.sort_by(|one, other| one.event.id.cmp(&other.event.id));
    held.sort_by(|one, other| one.event.id.cmp(&other.event.id));
    // For each event: an attempt with an expired lease, and one with a valid lease.
    let accepted = at_once(80, |number| {
        let store = Arc::clone(&store);
        let claimed = if number % 2 == 0 { lost[number / 2].clone() } else { held[number / 2].clone() };
        let next = if number % 2 == 0 { Next::GiveUp } else { [Next::Delivered, Next::Gone][number / 2 % 2] };
        async move { store.record_attempt(&claimed, &responded(200), next).await.unwrap() }
    })
    .await;
    assert!(accepted.chunks(2).all(|accepted| accepted == [false, true]));
    let count = |events: &[Event], state| events.iter().filter(|event| event.state == state).count();
    let query = EventQuery { key_id: Some("A".to_owned()), ..EventQuery::default() };
    let events = store.events(&query, ALL).await.unwrap();
    let terminal: Vec<Event> = events.into_iter().filter(|event| event.terminal).collect();
    assert_eq!((count(&terminal, EventState::Delivered), count(&terminal, EventState::Gone)), (20, 20));
    for event in terminal {
        let attempts = store.attempts(&event.id).await.unwrap();
        assert_eq!(attempts.iter().map(|recorded| recorded.number).collect::<Vec<_>>(), [1, 2]);
    }
}

pub async fn gone_stops_the_task(Fixture { store, .. }: Fixture) {
    let claimed = begun(&store, "https://example.org/").await;
    let event = sending(&store, NOW).await.remove(0);
    assert!(store.record_attempt(&event, &responded(410), Next::Gone).await.unwrap());
    assert!(store.end_task(&claimed.lease, &done(NOW)).await.unwrap());
    assert!(sending(&store, NOW + 99_000).await.is_empty());
    assert_eq!(states(&store).await, [(true, EventState::Gone), (false, EventState::Gone)]);
    // The same if the terminal event is queued already; other tasks' events are still delivered.
    let claimed = begun(&store, "https://example.org/").await;
    let event = sending(&store, NOW).await.remove(0);
    assert!(store.end_task(&claimed.lease, &done(NOW)).await.unwrap());
    assert!(store.record_attempt(&event, &responded(410), Next::Gone).await.unwrap());
    let other = ended(&store, "https://example.org/").await;
    let due = sending(&store, NOW + 99_000).await;
    assert_eq!(due.iter().map(|claimed| &claimed.event.id).collect::<Vec<_>>(), [&other.id]);
}

pub async fn replay_begins_anew(Fixture { store, .. }: Fixture) {
    let event = ended(&store, "https://example.org/").await;
    assert!(!store.replay_event(&event.id, NOW).await.unwrap(), "a pending event can't be replayed");
    assert!(!store.replay_event("msg_", NOW).await.unwrap());
    let first = sending(&store, NOW).await.remove(0);
    assert!(store.record_attempt(&first, &responded(500), Next::GiveUp).await.unwrap());
    assert!(store.replay_event(&event.id, NOW + 7).await.unwrap());
    assert!(sending(&store, NOW + 6).await.is_empty());
    let again = sending(&store, NOW + 7).await.remove(0);
    assert_eq!((again.event.id.as_str(), again.event.attempts), (event.id.as_str(), 0));
    assert!(store.record_attempt(&again, &responded(200), Next::Delivered).await.unwrap());
    let attempts = store.attempts(&event.id).await.unwrap();
    assert_eq!(attempts.iter().map(|recorded| recorded.number).collect::<Vec<_>>(), [1, 2]);
}

/// Puts this number of events of a key into the outbox, to the hosts `h0.example`, `h1.example` and so on.
async fn put(database: &TestDatabase, key_id: &str, counts: (u32, u32), due_at: Millis) {
    put_events(&database.url(), "http://h#.example/", key_id, counts, due_at).await;
}

pub async fn a_key_with_many_hosts_reaches_all(Fixture { store, database }: Fixture) {
    const HOSTS: u32 = 600;
    // Two thousand events of one host are due before those of the others, and may not be delivered now.
    put(&database, "A", (2000, 1), NOW).await;
    put(&database, "A", (HOSTS, HOSTS), NOW + 1).await;
    let caps = DeliveryCaps { per_lane: 2, per_key: 300, ..caps(2) };
    let claim = EventClaim { caps, ..claim_events(NOW + 2, NOW + 9000, 2, 64) };
    let (mut hosts, mut claims) = (BTreeSet::new(), 0);
    while hosts.len() < HOSTS as usize {
        claims += 1;
        assert!(claims < 2000, "{} hosts after {claims} claims", hosts.len());
        for claimed in store.claim_events(&claim).await.unwrap() {
            let host = claimed.event.url.clone();
            let is_first = hosts.insert(host.clone());
            assert!(is_first || host == "http://h0.example/", "{host} has one event");
            if host != "http://h0.example/" {
                assert!(store.record_attempt(&claimed, &responded(200), Next::Delivered).await.unwrap());
            }
        }
    }
    println!("{claims} claims for {HOSTS} hosts");
    // Another key does not notice.
    create(&store, task_with_webhook("B", "https://b.example/")).await;
    take(&store, &super::fixture::claim("me", NOW, 1)).await;
    let claimed = store.claim_events(&claim).await.unwrap();
    assert!(keys(&claimed).ends_with('B'));
}

pub async fn many_events_make_no_claim_slower(Fixture { store, database }: Fixture) {
    let time = async || {
        let begun = Instant::now();
        let caps = DeliveryCaps { per_lane: 8, per_key: 64, ..caps(32) };
        let claim = EventClaim { caps, ..claim_events(NOW + 1, NOW + 2, 32, 1) };
        store.claim_events(&claim).await.unwrap();
        begun.elapsed()
    };
    put(&database, "A", (200, 200), NOW).await;
    let mut few = time().await;
    for _ in 0..9 {
        few = few.min(time().await);
    }
    put(&database, "B", (50_000, 50_000), NOW).await;
    put(&database, "C", (50_000, 50_000), NOW + 99_000).await;
    // A claim that visits all lanes is never fast, and one that does not is fast as soon as the machine lets it.
    for _ in 0..1000 {
        let many = time().await;
        if many < few * 4 {
            println!("{few:?} with some hundred events, {many:?} with a hundred thousand");
            return;
        }
    }
    panic!("no claim takes less than four times {few:?}");
}

pub async fn the_outbox_of_a_key_is_counted(Fixture { store, database }: Fixture) {
    put(&database, "A", (30, 5), NOW).await;
    put(&database, "B", (1, 1), NOW).await;
    for (events, hosts, expected) in [(99, 99, (30, 5)), (30, 5, (30, 5)), (29, 4, (29, 4)), (1, 1, (1, 1))] {
        let most = OutboxLimits { events, hosts };
        let there = store.outbox("A", "https://h3.example:8443/hook", most).await.unwrap();
        assert_eq!(((there.events, there.hosts), there.has_host), (expected, true));
    }
    let most = OutboxLimits { events: 9, hosts: 9 };
    assert!(!store.outbox("A", "https://h5.example/", most).await.unwrap().has_host);
    let none = store.outbox("C", "https://h0.example/", most).await.unwrap();
    assert_eq!((none.events, none.hosts, none.has_host), (0, 0, false));
    let one = store.claim_events(&claim_events(NOW, NOW + 9, 9, 99)).await.unwrap();
    let one = one.iter().find(|claimed| claimed.event.key_id == "B").unwrap();
    assert_eq!(store.outbox("B", "https://h0.example/", most).await.unwrap().events, 1, "also in delivery");
    assert!(store.record_attempt(one, &responded(200), Next::Delivered).await.unwrap());
    assert_eq!(store.outbox("B", "https://h0.example/", most).await.unwrap().events, 0);
}
