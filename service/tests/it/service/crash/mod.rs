//! Crashes the process at chosen points while clients create tasks.
//!
//! No accepted task may be lost. No task may show two results to a client, and all deliveries of one
//! webhook event have the same event id.
//!
//! `CRASH_ROUNDS=200 cargo test … crash` runs that many rounds on each store. A round is one crash. Six
//! rounds, one per crash point, are a storm, and after each storm the test checks everything.

pub mod order;

use std::time::{Duration, Instant};

use asset_service::domain::{Page, TaskQuery};
use futures_util::future::join_all;

use self::order::Order;
use super::outside::Outside;
use super::running::{Database, Running};
use crate::files::s3::S3;
use crate::service::waiting::TIMEOUT;

/// Short leases and ages, so that leftovers are recovered and swept soon.
///
/// There is no backoff, and no limit slows the clients down.
const SETTINGS: &str = "
[worker]
lease-seconds = 1
max-attempts = 100
backoff-seconds = 0
[webhooks]
deadline-seconds = 1
[retention]
sweep-seconds = 1
orphan-seconds = 2
[tiers.default]
burst = 100000
per-second = 100000.0
";

/// The points where the process dies.
const POINTS: [&str; 6] =
    ["after-create", "after-claim", "after-file", "before-end", "after-end", "after-send"];

/// The time between two batches of requests, with which other processes may be done before the crash.
const BATCH: Duration = Duration::from_secs(2);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_sqlite() {
    storms(Database::Sqlite, None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgres() {
    storms(Database::Postgres, None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_a_bucket() {
    storms(Database::Postgres, Some(S3::start().await)).await;
}

/// Runs storms on a database, with the files in a folder or on this server.
async fn storms(database: Database, server: Option<S3>) {
    let rounds = std::env::var("CRASH_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    let storms = rounds.unwrap_or(POINTS.len()).div_ceil(POINTS.len());
    for number in 0..storms {
        let Some(setting) = database.setting().await else { return };
        let begun = Instant::now();
        let orders = storm(number, &setting, server.as_ref()).await;
        if storms > 1 {
            println!("{database:?}: storm {number}: {} tasks, {:?}", orders, begun.elapsed());
        }
    }
}

/// Runs six crashes, checks what they left, and returns the number of tasks.
///
/// With a bucket, two other processes with folders of their own take over what the crashed one leaves.
async fn storm(number: usize, setting: &str, server: Option<&S3>) -> usize {
    let outside = Outside::start().await;
    let bucket = format!("s3://storm-{number}");
    let files = server.map(|_| format!("files = \"{bucket}\"\n")).unwrap_or_default();
    let environment: Vec<_> = server.into_iter().flat_map(S3::environment).collect();
    let settings = format!("{setting}{files}{SETTINGS}");
    let start = || Running::start_with(&settings, &["--threads", "2"], &environment);
    let mut running = start();
    let others: Vec<_> = server.map(|_| [start(), start()]).into_iter().flatten().collect();
    let mut orders: Vec<Order> = Vec::new();
    for round in 0..POINTS.len() {
        // Each storm orders the points differently, and each point triggers at its first, second or third
        // time.
        let point = POINTS[(round * [1, 5][number % 2] + number) % POINTS.len()];
        let point = format!("{point}:{}", 1 + (number / 2 + round) % 3);
        // Work left by the last crash may trigger the next one before the process listens.
        let crash = [("ASSET_SERVICE_CRASH_AT", point.as_str())];
        let environment = [&environment[..], &crash[..]].concat();
        let listens = running.kill_and_restart_with(&["--threads", "2"], &environment);
        let (begun, mut batches) = (Instant::now(), 0);
        while !running.has_ended() {
            if listens && (batches == 0 || !others.is_empty() && begun.elapsed() > BATCH * batches) {
                let client = running.impatient_client();
                join_all(orders.iter_mut().map(|order| order.poll(&client))).await;
                let mut new = Order::some(&format!("{number}.{round}.{batches}"), &outside);
                join_all(new.iter_mut().map(|order| order.send(&client))).await;
                orders.extend(new);
                batches += 1;
            }
            assert!(begun.elapsed() < TIMEOUT, "{point} was not reached");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    assert!(running.kill_and_restart_with(&["--threads", "2"], &environment), "the service did not start");
    let files = |area: &str| match server {
        Some(server) => server.objects(&format!("storm-{number}/{area}/")).len(),
        None => running.files(area).len(),
    };
    repeat_requests(&running, &files, &mut orders, &outside).await;
    assert_eq!(server.map_or(0, S3::unfinished), 0);
    orders.len()
}

/// Clients repeat all requests, accepted or not; then everything must end.
async fn repeat_requests(
    running: &Running,
    files: &dyn Fn(&str) -> usize,
    orders: &mut [Order],
    outside: &Outside,
) {
    let client = running.client();
    for order in orders.iter_mut() {
        let accepted = order.task;
        order.send(&client).await;
        assert!(order.task.is_some(), "{order:?}: a repeated request must be accepted");
        assert!(
            accepted.is_none() || accepted == order.task,
            "{order:?}: a repeated request must return the same task"
        );
    }
    let begun = Instant::now();
    for order in orders.iter_mut() {
        while !order.poll(&client).await {
            assert!(begun.elapsed() < TIMEOUT, "{order:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        order.check_result(&running.url).await;
        while order.webhooks(outside).is_empty() {
            assert!(begun.elapsed() < TIMEOUT, "{order:?}: no webhook arrived");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        order.check_webhooks(outside);
    }
    let (store, all) = (running.store().await, Page { offset: 0, limit: u32::MAX >> 1 });
    let tasks = store.all_tasks(&TaskQuery::default(), all).await.unwrap().len();
    assert_eq!(tasks, orders.len(), "each request must create one task");
    let sounds = orders.iter().filter(|order| order.kind.makes_file()).count();
    loop {
        let (results, inputs) = (files("results"), files("inputs"));
        // Completed tasks no longer need their inputs, so the sweep removes them.
        if (results, inputs) == (sounds, 0) {
            break;
        }
        assert!(begun.elapsed() < TIMEOUT, "orphaned files remain: {results} results and {inputs} inputs");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // Deliveries may repeat, but with the same event id and the same payload.
    for order in orders {
        order.check_webhooks(outside);
    }
}
