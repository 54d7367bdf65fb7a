//! A rolling upgrade under load: `cargo xtask soak --old <program>`.
//!
//! A process of an earlier release makes the data. A process of this release migrates them and runs beside it. Then the
//! old one stops.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use futures_util::future::join_all;

use super::crash::order::Order;
use super::outside::Outside;
use super::running::{Running, setting};
use crate::store::cluster::Cluster;

const SETTINGS: &str = "
[worker]
lease-seconds = 2
backoff-seconds = 0
[tiers.default]
burst = 100000
per-second = 100000.0
";

/// How many batches of six requests each phase sends.
const BATCHES: usize = 40;

/// How long the service may take to end all tasks.
const PATIENCE: Duration = Duration::from_secs(300);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it needs the program of an earlier release in ASSET_SERVICE_OLD: `cargo xtask soak --old`"]
async fn an_older_process_and_a_newer_one_lose_and_fail_nothing() {
    let old =
        PathBuf::from(std::env::var_os("ASSET_SERVICE_OLD").expect("the program of an earlier release"));
    let Some(cluster) = Cluster::start() else { return };
    let settings = format!("{}{SETTINGS}", setting(&cluster.database().await));
    let outside = Outside::start().await;
    let mut old = Running::start_program(&old, &settings);
    let mut orders = Vec::new();
    send("alone", &[&old], &outside, &mut orders).await;
    let new = old.beside(&[], &[]);
    send("together", &[&old, &new], &outside, &mut orders).await;
    // The old process stops while clients use the new one.
    let stop = tokio::task::spawn_blocking(move || old.terminate());
    send("after", &[&new], &outside, &mut orders).await;
    assert!(stop.await.unwrap().success());

    let (client, begun) = (new.client(), Instant::now());
    for order in &mut orders {
        while !order.look(&client).await || order.told(&outside).is_empty() {
            assert!(begun.elapsed() < PATIENCE, "{order:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        order.check_result(&new.url).await;
        order.check_told(&outside);
    }
    println!("upgrade: {} tasks, none lost, none failed", orders.len());
}

/// Sends requests to these processes in turns. Each must be accepted.
async fn send(phase: &str, to: &[&Running], outside: &Outside, orders: &mut Vec<Order>) {
    for batch in 0..BATCHES {
        let client = to[batch % to.len()].impatient_client();
        let mut new = Order::some(&format!("{phase}.{batch}"), outside);
        join_all(new.iter_mut().map(|order| order.send(&client))).await;
        assert!(new.iter().all(|order| order.task.is_some()), "{phase}: {new:?}");
        orders.extend(new);
    }
}
