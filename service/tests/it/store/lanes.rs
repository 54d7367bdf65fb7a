//! PostgreSQL only: a claim reads the changes since the last claim of its process, and misses nothing.
//!
//! In each test, a session has passed the position of a task in its lane when the task becomes claimable.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use asset_service::domain::{Claim, Claimed, Demand, Lease, NewTask, Only, Release, RemainingWork};
use asset_service::store::postgres::Postgres;
use asset_service::store::{Access, Schema, SharedStore};
use asset_service::time::{Clock, Millis};
use sqlx::{Connection as _, Executor as _, PgConnection};
use uuid::Uuid;

use super::fixture::{
    Fixture, NOW, TestDatabase, at_once, claim, counted, create, done, refunded, take, task,
};

/// Creates a task as the transaction of another process does, and returns its id.
const CREATE: &str = "
    INSERT INTO tasks (id, key_id, family, model, status, created_at, updated_at, demand, size, engine, folder, work)
    VALUES (gen_random_uuid(), 'A', 'sound-effects', '', 0, 0, 0, 'built-in sound-effects', 32767, '',
            gen_random_uuid()::text, '{}') RETURNING id";

/// A process with one connection for all but claims, and another process.
struct Processes {
    one: SharedStore,
    other: SharedStore,
    url: String,
}

impl Processes {
    async fn start() -> Option<Self> {
        let Fixture { store: other, database: TestDatabase::Url(url) } = Fixture::postgres().await? else {
            return None;
        };
        Some(Self { one: session(&url).await, other, url })
    }

    async fn transaction(&self) -> PgConnection {
        let mut connection = PgConnection::connect(&self.url).await.unwrap();
        connection.execute("BEGIN; SELECT pg_current_xact_id()").await.unwrap();
        connection
    }

    /// The other process claims a task.
    async fn held(&self, new: NewTask) -> Lease {
        create(&self.other, new).await;
        take(&self.other, &claim("other", NOW, 1)).await.remove(0).lease
    }

    /// Two tasks of a lane are created and end, and a third waits.
    async fn pass(&self) {
        for _ in 0..3 {
            create(&self.other, task("A")).await;
        }
        for _ in 0..2 {
            let Claimed { lease, .. } = take(&self.one, &claim("me", NOW, 1)).await.remove(0);
            assert!(self.one.end_task(&lease, &done(NOW)).await.unwrap());
        }
        self.look(NOW).await;
    }

    /// Claims nothing.
    async fn look(&self, now: Millis) {
        let only = Only { except: Some("A".to_owned()), ..Only::default() };
        assert!(take(&self.one, &Claim { only, ..claim("me", now, 9) }).await.is_empty());
    }

    /// Returns the next task, and ends it.
    async fn next(&self, now: Millis) -> Uuid {
        let Claimed { lease, .. } = take(&self.one, &claim("me", now, 1)).await.remove(0);
        assert!(self.one.end_task(&lease, &done(now)).await.unwrap());
        lease.task_id
    }
}

async fn session(url: &str) -> SharedStore {
    let access = Access { connections: 1, ..Access::DEFAULT };
    Arc::new(Postgres::connect_with(url, Clock::System, Schema::Migrate, access).await.unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_transaction_that_commits_late() {
    let Some(processes) = Processes::start().await else { return };
    let held = processes.held(task("A")).await;
    let (mut creation, mut release) = (processes.transaction().await, processes.transaction().await);
    let created: Uuid = sqlx::query_scalar(CREATE).fetch_one(&mut creation).await.unwrap();
    let released =
        sqlx::query("UPDATE tasks SET lease_owner = NULL, due_at = 0 WHERE id = $1").bind(held.task_id);
    released.execute(&mut release).await.unwrap();
    processes.pass().await;
    creation.execute("COMMIT").await.unwrap();
    assert_eq!(processes.next(NOW).await, created);
    release.execute("COMMIT").await.unwrap();
    assert_eq!(processes.next(NOW).await, held.task_id);
    processes.next(NOW).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_that_is_returned() {
    let Some(processes) = Processes::start().await else { return };
    for not_before in [NOW, NOW + 50] {
        let held = processes.held(task("A")).await;
        processes.pass().await;
        assert!(processes.other.release_task(&held, counted(not_before)).await.unwrap());
        if not_before > NOW {
            create(&processes.other, task("A")).await;
            assert_ne!(processes.next(NOW + 49).await, held.task_id);
        }
        assert_eq!(processes.next(not_before).await, held.task_id);
        processes.next(NOW).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_is_set_back() {
    let Some(processes) = Processes::start().await else { return };
    let held = processes.held(task("A")).await;
    processes.pass().await;
    assert!(processes.other.release_task(&held, counted(NOW + 50)).await.unwrap());
    processes.look(NOW + 60).await;
    assert_ne!(processes.next(NOW + 10).await, held.task_id);
    assert_eq!(processes.next(NOW + 55).await, held.task_id);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_that_enters_another_lane() {
    let Some(processes) = Processes::start().await else { return };
    let quick = || {
        let new = task("A");
        NewTask { demand: Demand { size: 3, ..new.demand.clone() }, ..new }
    };
    let (slow, staged) = (processes.held(quick()).await, processes.held(quick()).await);
    processes.pass().await;
    assert!(processes.other.release_task(&slow, Release { is_slow: true, ..refunded(NOW) }).await.unwrap());
    assert_eq!(processes.next(NOW).await, slow.task_id);
    let rest =
        RemainingWork { work: "rest".to_owned(), demand: task("A").demand, engine_time: None, now: NOW };
    assert!(processes.other.advance_task(&staged, &rest).await.unwrap());
    assert_eq!(processes.next(NOW).await, staged.task_id);
    processes.next(NOW).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_that_expires() {
    let Some(processes) = Processes::start().await else { return };
    let (lost, extended) = (processes.held(task("A")).await, processes.held(task("B")).await);
    assert!(processes.other.heartbeat(&extended, NOW + 9000).await.unwrap());
    processes.pass().await;
    // The claim itself returns the task, while other transactions have begun before it.
    let _others = [processes.transaction().await, processes.transaction().await];
    processes.look(NOW + 1999).await;
    assert_eq!(processes.next(NOW + 2249).await, lost.task_id);

    // A claim that is committed when its lease has expired.
    let mut late = processes.transaction().await;
    let held: Uuid = sqlx::query_scalar(
        "UPDATE tasks SET status = 1, attempt = 1, lease_owner = 'late', due_at = $1 WHERE status = 0 RETURNING id",
    )
    .bind(NOW + 1000)
    .fetch_one(&mut late)
    .await
    .unwrap();
    processes.look(NOW + 3000).await;
    late.execute("COMMIT").await.unwrap();
    assert_eq!(processes.next(NOW + 3250).await, held);
    // The clock of the other process was set back.
    assert!(processes.other.heartbeat(&extended, NOW + 3000).await.unwrap());
    assert_eq!(processes.next(NOW + 3500).await, extended.task_id);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_that_was_locked() {
    let Some(processes) = Processes::start().await else { return };
    let locked = create(&processes.other, task("A")).await.id;
    let mut other = processes.transaction().await;
    sqlx::query("SELECT FROM tasks WHERE id = $1 FOR UPDATE").bind(locked).execute(&mut other).await.unwrap();
    let others = [create(&processes.other, task("A")).await.id, create(&processes.other, task("A")).await.id];
    let claimed = take(&processes.one, &claim("me", NOW, 9)).await;
    assert_eq!(claimed.iter().map(|claimed| claimed.task.id).collect::<Vec<_>>(), others);
    other.execute("COMMIT").await.unwrap();
    assert_eq!(processes.next(NOW).await, locked);
}

/// The ids of transactions begin anew in another cluster.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_of_a_restored_database() {
    let Some(processes) = Processes::start().await else { return };
    let restored = create(&processes.other, task("A")).await.id;
    let restore = "ALTER TABLE tasks DISABLE TRIGGER task_changed; UPDATE tasks SET changed = '9000000000'";
    TestDatabase::Url(processes.url.clone()).run(restore).await;
    let one = session(&processes.url).await;
    assert_eq!(take(&one, &claim("me", NOW, 9)).await[0].task.id, restored);
}

/// A session that claims rarely would read all changes since its last claim.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_claims_of_a_process_have_the_same_session() {
    let Some(Processes { other, url, .. }) = Processes::start().await else { return };
    let mut database = PgConnection::connect(&url).await.unwrap();
    let mut sessions = BTreeSet::new();
    for _ in 0..5 {
        let creating = other.clone();
        at_once(8, move |number| {
            let store = creating.clone();
            async move { store.usage(&format!("K{number}"), 9).await.unwrap() }
        })
        .await;
        // As if the claim of another process took long.
        database.execute("SELECT pg_advisory_lock(x'6173736574000001'::bigint)").await.unwrap();
        let claiming = other.clone();
        let claiming = tokio::spawn(async move { take(&claiming, &claim("me", NOW, 1)).await });
        let waiting = loop {
            let waiting = "SELECT pid FROM pg_locks JOIN pg_database ON pg_database.oid = database
                           WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted";
            let waiting: Option<i32> =
                sqlx::query_scalar(waiting).fetch_optional(&mut database).await.unwrap();
            match waiting {
                Some(session) => break session,
                None => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        };
        sessions.insert(waiting);
        database.execute("SELECT pg_advisory_unlock(x'6173736574000001'::bigint)").await.unwrap();
        claiming.await.unwrap();
    }
    assert_eq!(sessions.len(), 1, "{sessions:?}");
}

/// Creates, claims and ends 2,400 tasks as fast as the database does.
const LOAD: &str = "DO $$ BEGIN FOR round IN 1..300 LOOP
    INSERT INTO tasks (id, key_id, family, model, status, created_at, updated_at, demand, size, engine, folder, work)
    SELECT gen_random_uuid(), 'K' || number, 'sound-effects', '', 0, 0, 0, 'built-in sound-effects', 32767, '',
           gen_random_uuid()::text, '{}' FROM generate_series(1, 8) AS number;
    COMMIT;
    UPDATE tasks SET status = 1, attempt = 1, lease_owner = 'me', due_at = 1 WHERE status = 0;
    COMMIT;
    UPDATE tasks SET status = 2, lease_owner = NULL WHERE status = 1;
    COMMIT;
END LOOP; END $$";

/// Returns how many pages a claim of eight tasks reads, from all indexes and rows of tasks.
async fn pages_per_claim(one: &SharedStore, database: &mut PgConnection) -> i64 {
    const CLAIMS: i64 = 20;
    for number in 0..CLAIMS * 8 + 8 {
        create(one, task(&format!("K{}", number % 8))).await;
    }
    // Each of them searches for processes that have died.
    let claim = |number: i64, limit| {
        let now = NOW + number * 250;
        Claim { lease_until: now + 30_000, ..claim("me", now, limit) }
    };
    // The session of the claims reports its statistics at the end of a transaction, and at most once per second.
    let mut claimed = Vec::new();
    let mut read = async |claimed: &mut Vec<Claimed>| -> i64 {
        tokio::time::sleep(Duration::from_millis(1100)).await;
        claimed.extend(take(one, &claim(0, 1)).await);
        let pages = "SELECT heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit
                     FROM pg_statio_user_tables WHERE relname = 'tasks'";
        sqlx::query_scalar(pages).fetch_one(&mut *database).await.unwrap()
    };
    // It reads the changes since the last claim.
    claimed.extend(take(one, &claim(0, 8)).await);
    let before = read(&mut claimed).await;
    for number in 1..CLAIMS {
        claimed.extend(take(one, &claim(number, 8)).await);
    }
    let after = read(&mut claimed).await;
    for Claimed { lease, .. } in claimed {
        assert!(one.end_task(&lease, &done(NOW)).await.unwrap());
    }
    (after - before) / CLAIMS
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_transaction_makes_no_claim_read_more() {
    let Some(Processes { one, url, .. }) = Processes::start().await else { return };
    let mut database = PgConnection::connect(&url).await.unwrap();
    let before = pages_per_claim(&one, &mut database).await;
    let mut long = PgConnection::connect(&url).await.unwrap();
    long.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM tasks").await.unwrap();
    // At its end, the session reports its own pages.
    let mut load = PgConnection::connect(&url).await.unwrap();
    load.execute(LOAD).await.unwrap();
    // As autovacuum does: its statistics know of no task that waits or is in progress.
    load.execute("VACUUM (ANALYZE) tasks").await.unwrap();
    load.close().await.unwrap();
    let during = pages_per_claim(&one, &mut database).await;
    eprintln!("pages per claim: {before}, during a long transaction {during}");
    // Claims that searched each lane from its first row would read thousands.
    assert!(during < before * 4, "{before} pages before, {during} during the transaction");
}
