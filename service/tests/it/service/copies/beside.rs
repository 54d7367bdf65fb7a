//! A restored copy and its original at the same time, under load for minutes: `cargo xtask soak --copy`.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use asset_service::domain::{EventQuery, EventState, Page};
use asset_service::settings::Settings;
use asset_service::store::{self, Access, Schema, SharedStore};
use futures_util::future::join_all;

use super::{SETTINGS, copy};
use crate::service::backups::run;
use crate::service::crash::order::Order;
use crate::service::outside::Outside;
use crate::service::running::{Database, Running};
use crate::service::waiting::eventually;

/// The time between two batches of requests, which create six tasks each.
const BATCH: Duration = Duration::from_secs(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it takes as long as ASSET_SERVICE_SOAK_MINUTES says: `cargo xtask soak --copy`"]
async fn on_sqlite() {
    soak(Database::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it takes as long as ASSET_SERVICE_SOAK_MINUTES says: `cargo xtask soak --copy`"]
async fn on_postgres() {
    soak(Database::Postgres).await;
}

async fn soak(database: Database) {
    let minutes = std::env::var("ASSET_SERVICE_SOAK_MINUTES").expect("a number of minutes");
    let time = Duration::from_secs_f64(minutes.parse::<f64>().expect("a number of minutes") * 60.0);
    let settings = SETTINGS.split_once('\n').unwrap().1;
    let Some(original) = database.start(settings, &["--threads", "2"]).await else { return };
    let (outside, begun) = (Outside::start().await, Instant::now());
    let mut orders = load(&original, &outside, "before", time / 10).await;
    let temporary = tempfile::tempdir().unwrap();
    let (more, restored) = tokio::join!(load(&original, &outside, "backup", time / 10), async {
        copy(database, &original, temporary.path(), &[]).await
    });
    assert!(restored.status.success());
    orders.extend(more);
    let data = temporary.path().join("copy");
    let there = original.start_on(&data, &[]);
    // First the copy only responds to reads, then it works as well, with clients and receivers of its own.
    let known: Vec<_> = orders.iter().filter_map(|order| order.task).collect();
    let (more, ()) = tokio::join!(load(&original, &outside, "beside", time * 4 / 10), async {
        while begun.elapsed() < time * 6 / 10 {
            for task in &known {
                let _ = there.client().get_sound_effect(*task).await;
            }
        }
    });
    orders.extend(more);
    let resumed = run(&data, &["resume", "--cancel-tasks", "--drop-webhooks"]);
    assert!(resumed.status.success(), "{resumed:?}");
    eventually("the copy is ready", async || (super::text(&there, "/readyz").await.0 == 200).then_some(()))
        .await;
    let own = Outside::start().await;
    let (more, of_copy) = tokio::join!(
        load(&original, &outside, "both", time * 4 / 10),
        load(&there, &own, "copy", time * 4 / 10)
    );
    orders.extend(more);
    let counts = [
        check(&original, original.data(), orders, &outside).await,
        check(&there, &data, of_copy, &own).await,
    ];
    println!(
        "{database:?}: {minutes} min; the original: {} tasks, {} webhooks; its copy: {} tasks, {} webhooks",
        counts[0].0, counts[0].1, counts[1].0, counts[1].1
    );
}

/// Sends requests to a service for so long.
async fn load(running: &Running, outside: &Outside, name: &str, time: Duration) -> Vec<Order> {
    let (client, begun, mut orders) = (running.client(), Instant::now(), Vec::new());
    for round in 0.. {
        if begun.elapsed() >= time {
            break;
        }
        let next = tokio::time::Instant::now() + BATCH;
        let mut new = Order::some(&format!("{name}.{round}"), outside);
        join_all(new.iter_mut().map(|order| order.send(&client))).await;
        orders.extend(new);
        tokio::time::sleep_until(next).await;
    }
    orders
}

async fn store_of(data: &Path) -> SharedStore {
    let settings = Settings::load(None, data).unwrap();
    store::open(settings.database_url.as_deref(), data, Schema::Expect, Access::DEFAULT).await.unwrap()
}

/// Checks the tasks and webhooks of a service by its own records; returns their numbers.
async fn check(running: &Running, data: &Path, mut orders: Vec<Order>, outside: &Outside) -> (usize, usize) {
    let (client, store) = (running.client(), store_of(data).await);
    for order in &mut orders {
        assert!(order.task.is_some(), "{order:?}");
        eventually("the task has ended and its webhook is delivered", async || {
            (order.poll(&client).await && !order.webhooks(outside).is_empty()).then_some(())
        })
        .await;
        order.check_result(&running.url).await;
        order.check_webhooks(outside);
    }
    eventually("all events are delivered", async || {
        (store.undelivered().await.unwrap().count == 0).then_some(())
    })
    .await;
    let everything = Page { offset: 0, limit: u32::MAX >> 1 };
    let mut expected = BTreeMap::new();
    for event in store.events(&EventQuery::default(), everything).await.unwrap() {
        let is_ours = orders.iter().any(|order| order.task == Some(event.task_id));
        if is_ours && event.state == EventState::Delivered {
            expected.insert(event.id, 1);
        }
    }
    // An event that the task's end overtook may have been delivered, but never twice.
    let delivered = outside.deliveries();
    for (event, count) in &delivered {
        assert_eq!(*count, 1, "{event} was delivered {count} times");
    }
    for event in expected.keys() {
        assert!(delivered.contains_key(event), "{event} is recorded as delivered");
    }
    (orders.len(), delivered.len())
}
