//! A transaction that stays open, such as that of `pg_dump`: what operators see of it, and what it does to claims.

use std::time::{Duration, Instant};

use asset_service::domain::Claim;
use asset_service::store::SharedStore;
use asset_service::time::Clock;
use sqlx::{Connection as _, Executor as _, PgConnection};

use super::fixture::{Fixture, TestDatabase, at_once, claim, create, done, take, task};

/// Creates, claims and ends eight tasks, 25 times per second; returns the time of each claim.
async fn claims(store: &SharedStore, time: Duration) -> Vec<Duration> {
    let (begun, mut claims) = (Instant::now(), Vec::new());
    let mut rounds = tokio::time::interval(Duration::from_millis(40));
    while begun.elapsed() < time {
        rounds.tick().await;
        let now = Clock::System.now();
        let creating = store.clone();
        at_once(8, move |number| {
            let store = creating.clone();
            async move { create(&store, task(&format!("key {number}"))).await }
        })
        .await;
        let claiming = Instant::now();
        let claimed = take(store, &Claim { lease_until: now + 30_000, ..claim("me", now, 8) }).await;
        claims.push(claiming.elapsed());
        assert_eq!(claimed.len(), 8);
        let ending = store.clone();
        at_once(8, move |number| {
            let (store, lease) = (ending.clone(), claimed[number].lease.clone());
            async move { assert!(store.end_task(&lease, &done(now)).await.unwrap()) }
        })
        .await;
    }
    claims.sort_unstable();
    claims
}

fn print(phase: &str, claims: &[Duration]) {
    let part = |part: usize| claims[(claims.len() - 1) * part / 100];
    eprintln!("{phase}: {} claims, p50 {:?}, p99 {:?}", claims.len(), part(50), part(99));
}

/// `PINNED_SECONDS=600` measures claims for two minutes before, for ten minutes while the transaction is open, and for two more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operators_see_what_a_long_transaction_keeps() {
    let Some(Fixture { store, database: TestDatabase::Url(url) }) = Fixture::postgres().await else { return };
    let seconds = std::env::var("PINNED_SECONDS").map_or(1, |seconds| seconds.parse().unwrap());
    let time = Duration::from_secs(seconds);
    print("before", &claims(&store, time / 5).await);
    let mut other = PgConnection::connect(&url).await.unwrap();
    other.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM tasks").await.unwrap();
    print("during an open transaction", &claims(&store, time).await);
    print("at the end of this time", &claims(&store, time / 5).await);
    let seen = store.old_versions().await.unwrap().unwrap();
    assert!(seen.oldest_transaction >= time, "{seen:?}");
    // PostgreSQL counts with a delay.
    let begun = Instant::now();
    loop {
        let seen = store.old_versions().await.unwrap().unwrap();
        if seen.dead.iter().any(|(table, dead)| table == "tasks" && *dead > 0) {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{seen:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    other.close().await.unwrap();
    let begun = Instant::now();
    while store.old_versions().await.unwrap().unwrap().oldest_transaction >= time {
        assert!(begun.elapsed() < Duration::from_secs(60));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
