//! PostgreSQL only: wake-ups of other processes, and a restart under load.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use asset_service::domain::{Created, NewTask, Payload};
use asset_service::store::postgres::Postgres;
use asset_service::store::{Access, Error, Schema, SharedStore};
use asset_service::time::Clock;
use sqlx::{Connection as _, Executor as _};

use super::cluster::Cluster;
use super::fixture::{Fixture, NOW, TestDatabase, at_once, claim, create, done, idempotency, take, task};

/// Waits until a store's loop is woken while another process creates tasks.
pub async fn woken(store: SharedStore, other: &SharedStore) {
    let waiting = tokio::spawn(async move { store.tasks_woken().notified().await });
    for _ in 0..300 {
        create(other, task("A")).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        if waiting.is_finished() {
            return;
        }
    }
    panic!("the loop was not woken");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_processes_are_woken() {
    let Some(Fixture { store, database }) = Fixture::postgres().await else { return };
    woken(store, &database.open().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_in_mid_flight_loses_nothing() {
    let Some(cluster) = Cluster::start() else { return };
    let url = cluster.database().await;
    let store: SharedStore = Arc::new(Postgres::connect(&url).await.expect("a store"));
    create(&store, task("A")).await;
    let begun = take(&store, &claim("me", NOW, 1)).await.remove(0);

    // Clients repeat a creation until it is accepted, across the restart.
    let restarted = Arc::new(AtomicBool::new(false));
    let clients = at_once(8, |client| {
        let (store, restarted) = (Arc::clone(&store), Arc::clone(&restarted));
        async move {
            let (mut accepted, mut failures, mut since) = (Vec::new(), 0, 0);
            while since < 10 {
                since += u32::from(restarted.load(Ordering::SeqCst));
                let mut new = task("B");
                new.idempotency = Some(idempotency(&format!("{client} {}", accepted.len()), 1));
                accepted.push(loop {
                    match store.create_task(&new).await {
                        Ok(Created::New) => break new.task.id,
                        // The creation was accepted, but the response was lost.
                        Ok(Created::Repeat(task)) => break task.id,
                        Ok(other) => panic!("{other:?}"),
                        Err(_) => failures += 1,
                    }
                    tokio::time::sleep(Duration::from_millis(20)).await;
                });
            }
            (accepted, failures)
        }
    });
    let restart = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        cluster.restart();
        cluster.connected().await;
        restarted.store(true, Ordering::SeqCst);
    };
    let (clients, ()) = tokio::join!(clients, restart);

    let accepted: Vec<_> = clients.iter().flat_map(|(accepted, _)| accepted).collect();
    assert!(clients.iter().any(|(_, failures)| *failures > 0), "nobody noticed");
    for id in &accepted {
        assert!(store.any_task(**id).await.expect("a task").is_some());
    }
    let (waiting, _) = store.depth().await.expect("a count");
    assert_eq!(waiting, accepted.len() as u64, "each creation must make one task");
    // The old lease is still valid, and notifications work again.
    assert!(store.end_task(&begun.lease, &done(NOW)).await.expect("an end"));
    let other: SharedStore = Arc::new(Postgres::connect(&url).await.expect("a store"));
    woken(store, &other).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_that_is_refused_its_turn_leaves_its_connection_as_it_was() {
    let Some(Fixture { store, database }) = Fixture::postgres().await else { return };
    let TestDatabase::Url(url) = &database else { return };
    // Another process hangs while it holds the lock.
    let mut other = sqlx::PgConnection::connect(url).await.unwrap();
    let turn = "BEGIN; SELECT pg_advisory_xact_lock(x'6173736574000001'::bigint)";
    other.execute(turn).await.unwrap();
    let separator = if url.contains('?') { '&' } else { '?' };
    let impatient = format!("{url}{separator}options[lock_timeout]=50");
    let impatient: SharedStore = Arc::new(Postgres::connect(&impatient).await.unwrap());
    let payload: Payload = Arc::new(|_| String::new());
    for _ in 0..5 {
        let refused = impatient.claim_tasks(&claim("me", NOW, 1), &payload).await;
        assert!(matches!(refused, Err(Error::Database(_))), "{refused:?}");
    }
    for _ in 0..4 {
        create(&impatient, task("A")).await;
    }
    other.execute("ROLLBACK").await.unwrap();
    assert_eq!(take(&store, &claim("me", NOW, 4)).await.len(), 4);
}

/// Waits until this number of other connections wait for a lock.
async fn until_locked(other: &mut sqlx::PgConnection, count: i64) {
    let waiting = "SELECT count(*) FROM pg_stat_activity
                   WHERE datname = current_database() AND wait_event_type = 'Lock'";
    for _ in 0..3000 {
        // Within a transaction, the view shows the same each time.
        other.execute("SELECT pg_stat_clear_snapshot()").await.unwrap();
        if sqlx::query_scalar::<_, i64>(waiting).fetch_one(&mut *other).await.unwrap() == count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{count} connections should wait for a lock");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_locked_row_fails_only_the_write_that_needs_it() {
    let Some(Fixture { database: TestDatabase::Url(url), .. }) = Fixture::postgres().await else { return };
    let access = Access { statement: Duration::from_secs(4), ..Access::DEFAULT };
    let store = Postgres::connect_with(&url, Clock::System, Schema::Expect, access);
    let store: SharedStore = Arc::new(store.await.unwrap());
    let of_key = |key: &str| NewTask { daily_quota: Some(9), ..task(key) };
    create(&store, of_key("A")).await;
    let mut other = sqlx::PgConnection::connect(&url).await.unwrap();
    other.execute("BEGIN; UPDATE quotas SET used = used").await.unwrap();
    let begin = |new: NewTask| {
        let store = Arc::clone(&store);
        tokio::spawn(async move { store.create_task(&new).await })
    };
    // They have both turns, so the next two writes share a transaction.
    let first = begin(of_key("A"));
    until_locked(&mut other, 1).await;
    let second = begin(of_key("A"));
    until_locked(&mut other, 2).await;
    let (locked, free) = (begin(of_key("A")), begin(of_key("B")));
    assert!(matches!(free.await.unwrap(), Ok(Created::New)));
    for locked in [first, second, locked] {
        let error = locked.await.unwrap().unwrap_err();
        // PostgreSQL's own error says that nothing was written.
        assert!(matches!(&error, Error::Database(sqlx::Error::Database(_))), "{error:?}");
        assert!(error.is_temporary());
    }
    other.execute("ROLLBACK").await.unwrap();
    create(&store, of_key("A")).await;
}
