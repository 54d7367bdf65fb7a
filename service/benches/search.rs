//! Benchmark of resource searches in the store.
//!
//! Usage: `cargo bench -p asset-service --bench search -- <folder or PostgreSQL URL> [resources] [searches]
//! [at once]`. It fills an empty database first, and keeps it for the next run.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a program that may end where something is wrong"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use asset_service::catalogue::Resource;
use asset_service::catalogue::query::ResourceQuery;
use asset_service::store::{self, SharedStore};

#[path = "support/catalogue.rs"]
mod catalogue;

use catalogue::Search;

const SEED: u64 = 1;
/// The number of resources per import batch.
const BATCH: usize = 1000;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let Some(database) = arguments.first() else {
        eprintln!("usage: search <folder or PostgreSQL URL> [resources] [searches] [at once]");
        return;
    };
    let number = |index: usize, default| {
        arguments.get(index).map_or(default, |argument| argument.parse().expect("a number"))
    };
    let (resources, searches, at_once) = (number(1, 100_000), number(2, 2000), number(3, 1));
    let url = database.starts_with("postgres").then_some(database.as_str());
    let store = store::open(url, Path::new(database), store::Schema::Migrate, store::STATEMENT)
        .await
        .expect("a store");
    let began = Instant::now();
    let found = store.search_resources(&ResourceQuery::default()).await.expect("a search");
    println!("first search: {:?}; memory {} MiB", began.elapsed(), memory());
    if found.total == 0 {
        fill(&store, resources).await;
    }
    measure(&store, searches, at_once as usize).await;
    println!("memory {} MiB", memory());
}

async fn fill(store: &SharedStore, count: u64) {
    let began = Instant::now();
    let mut batch: Vec<Resource> = Vec::with_capacity(BATCH);
    for resource in catalogue::resources(count, SEED) {
        batch.push(resource);
        if batch.len() == BATCH {
            store.put_resources(&batch).await.expect("an import");
            batch.clear();
        }
    }
    store.put_resources(&batch).await.expect("an import");
    let seconds = began.elapsed().as_secs_f64();
    println!("imported {count} in {seconds:.1} s: {:.0}/s", count as f64 / seconds);
}

async fn measure(store: &SharedStore, count: u64, at_once: usize) {
    let searches: Arc<Vec<Search>> = Arc::new(catalogue::queries(count, SEED));
    let times: Arc<Mutex<BTreeMap<&str, Vec<Duration>>>> = Arc::default();
    let next = Arc::new(AtomicUsize::new(0));
    let (began, cpu) = (Instant::now(), cpu_seconds());
    let workers: Vec<_> = (0..at_once)
        .map(|_| {
            let (store, searches, times, next) =
                (store.clone(), searches.clone(), times.clone(), next.clone());
            tokio::spawn(async move {
                while let Some(search) = searches.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let began = Instant::now();
                    // Ask as a request does.
                    let query = ResourceQuery { related: 4, ..search.query.clone() };
                    store.search_resources(&query).await.expect("a search");
                    let took = began.elapsed();
                    times.lock().expect("a lock").entry(search.kind).or_default().push(took);
                }
            })
        })
        .collect();
    for worker in workers {
        worker.await.expect("no panic");
    }
    let (rate, cpu) = (count as f64 / began.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    let each = cpu * 1000.0 / count as f64;
    println!("{count} searches, {at_once} at once: {rate:.0}/s; {each:.2} ms of a processor each");
    println!("{:24} {:>6} {:>9} {:>9} {:>9}", "", "number", "p50 ms", "p99 ms", "most ms");
    let times = times.lock().expect("a lock");
    let mut all: Vec<Duration> = Vec::new();
    for (kind, times) in &*times {
        report(kind, times.clone());
        all.extend(times);
    }
    report("all", all);
}

fn report(kind: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1000.0;
    println!("{kind:24} {:>6} {:>9.2} {:>9.2} {:>9.2}", times.len(), at(0.5), at(0.99), at(1.0));
}

/// Returns the CPU time of the process on Linux, from ticks of 10 ms.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    [11, 12].iter().filter_map(|field| fields.get(*field)?.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Returns the resident memory of the process.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or_default() / 1024
}
