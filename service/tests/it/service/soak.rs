//! Mixed load for minutes or hours, with kills, a database that restarts, and a slow disk: `cargo xtask soak`.
//!
//! Nothing may be lost, nothing may happen twice, and the memory of a process may not grow. With the files in a
//! bucket, its server is killed, suspended and slow as well, and no orphan may remain in it.

mod server;

use std::collections::{BTreeMap, HashSet};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use asset_api_client::RetryPolicy;
use asset_service::domain::{Page, TaskQuery};
use asset_service::files::{Area, FileUrls};
use asset_service::store::{self, Access, Schema};
use asset_service::tasks::sweep::{self, Walk};
use asset_service::time::Clock;
use futures_util::future::join_all;

use super::crash::order::{Kind, Order};
use super::outside::Outside;
use super::running::{Running, client_of, setting};
use crate::service::waiting::TIMEOUT;
use crate::store::cluster::Cluster;
use server::Server;

const SETTINGS: &str = "
[worker]
lease-seconds = 2
max-attempts = 100
backoff-seconds = 0
[webhooks]
deadline-seconds = 2
[retention]
sweep-seconds = 60
orphan-seconds = 3600
[tiers.default]
burst = 100000
per-second = 100000.0
";

const ARGUMENTS: [&str; 2] = ["--threads", "2"];

/// The time between two incidents.
const EVERY: Duration = Duration::from_secs(15);

/// The time between two batches of requests. Each creates six tasks, and some a long speech.
const BATCH: Duration = Duration::from_millis(500);

/// One batch of this number has a long speech.
const BATCHES_PER_SPEECH: usize = 60;

/// How much the memory may grow between the two halves of the time, in MB: allocators keep some.
const GROWTH: f64 = 24.0;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it takes as long as ASSET_SERVICE_SOAK_MINUTES says: `cargo xtask soak`"]
async fn on_sqlite() {
    let steady = Running::start_with(SETTINGS, &ARGUMENTS, &[]);
    Soak { steady, others: Vec::new(), cluster: None, url: None, server: None }.run().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it takes as long as ASSET_SERVICE_SOAK_MINUTES says: `cargo xtask soak`"]
async fn on_postgres() {
    let Some(cluster) = Cluster::start() else { return };
    let url = cluster.database().await;
    let steady = Running::start_with(&format!("{}{SETTINGS}", setting(&url)), &ARGUMENTS, &[]);
    let others = vec![steady.start_beside(&ARGUMENTS, &[])];
    Soak { steady, others, cluster: Some(cluster), url: Some(url), server: None }.run().await;
}

/// Three processes with separate folders.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it needs a server with the API of S3: `cargo xtask soak --bucket`"]
async fn on_a_bucket() {
    let Some(server) = Server::start() else { return };
    let Some(cluster) = Cluster::start() else { return };
    let url = cluster.database().await;
    let settings = format!("files = \"{}\"\n{}{SETTINGS}", server.bucket, setting(&url));
    let start = || Running::start_with(&settings, &ARGUMENTS, &[]);
    let (steady, others) = (start(), vec![start(), start()]);
    Soak { steady, others, cluster: Some(cluster), url: Some(url), server: Some(server) }.run().await;
}

/// An event in the life of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Incident {
    /// A process is killed, and restarted.
    Kill,
    /// A process is suspended for longer than its leases.
    Stop,
    /// Another program writes to the disk without pause.
    Disk,
    /// The database is killed, and restarted.
    Database,
    /// The server of the bucket is killed, and restarted some seconds later.
    BucketKill,
    /// The server of the bucket is suspended for longer than a request waits for it.
    BucketStop,
    /// The server of the bucket gets a tenth of the time.
    BucketSlow,
}

use Incident::{BucketKill, BucketSlow, BucketStop, Database, Disk, Kill, Stop};

struct Soak {
    /// If other processes run too, this one is never killed, to measure its memory.
    steady: Running,
    others: Vec<Running>,
    cluster: Option<Cluster>,
    url: Option<String>,
    server: Option<Server>,
}

impl Soak {
    async fn run(mut self) {
        let minutes = std::env::var("ASSET_SERVICE_SOAK_MINUTES").expect("a number of minutes");
        let time = Duration::from_secs_f64(minutes.parse::<f64>().expect("a number of minutes") * 60.0);
        let load = Load::start(&self).await;
        let (begun, mut incidents, mut memory) = (Instant::now(), Vec::new(), Vec::new());
        while begun.elapsed() < time {
            let next = Instant::now() + EVERY;
            // The only process on SQLite is not killed in the second half, to measure its memory.
            let is_second_half = begun.elapsed() > time / 2;
            let choice: &[Incident] = match (&self.server, &self.cluster, is_second_half) {
                (Some(_), ..) => &[Kill, BucketKill, Database, BucketSlow, Stop, BucketStop, Disk],
                (None, Some(_), _) => &[Kill, Database, Disk, Stop],
                (None, None, false) => &[Kill, Disk, Stop],
                (None, None, true) => &[Disk, Stop],
            };
            let incident = choice[incidents.len() % choice.len()];
            self.cause(incident, incidents.len(), &load).await;
            incidents.push(incident);
            while Instant::now() < next {
                memory.push((begun.elapsed(), resident(self.steady.id())));
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
        let orders = load.end().await;
        let (accepted, orders) = self.check(orders).await;
        let half = |late: bool| {
            let wanted = memory.iter().filter(|(at, _)| {
                if late { *at > time * 4 / 5 } else { (time / 2..time * 7 / 10).contains(at) }
            });
            median(wanted.filter_map(|(_, memory)| *memory).collect())
        };
        let mut counts = BTreeMap::new();
        incidents.into_iter().for_each(|incident| *counts.entry(incident).or_insert(0) += 1);
        println!(
            "{} on {}, {} processes: {minutes} min, {orders} tasks ({accepted} accepted at the first request), {counts:?}; \
             memory {:?} MB, then {:?} MB",
            self.server.as_ref().map_or("a folder", |server| &server.bucket),
            if self.cluster.is_some() { "PostgreSQL" } else { "SQLite" },
            self.urls().len(),
            half(false),
            half(true),
        );
        if let (Some(before), Some(after)) = (half(false), half(true)) {
            assert!(after <= before * 1.1 + GROWTH, "the memory grows from {before} to {after} MB");
        }
    }

    async fn cause(&mut self, incident: Incident, number: usize, load: &Load) {
        let others = self.others.len();
        let victim = match others {
            0 => &mut self.steady,
            _ => &mut self.others[number % others],
        };
        match (incident, &self.cluster, &mut self.server) {
            (Kill, ..) => {
                victim.kill_and_restart(&ARGUMENTS);
                load.turn_to(&self.urls());
            }
            (Stop, ..) => {
                signal(victim.id(), "-STOP");
                tokio::time::sleep(Duration::from_secs(4)).await;
                signal(victim.id(), "-CONT");
            }
            (Disk, ..) => {
                let disk = SlowDisk::start(self.steady.data().join("hog"));
                tokio::time::sleep(EVERY / 2).await;
                drop(disk);
            }
            (Database, Some(cluster), _) => {
                cluster.restart();
                cluster.connected().await;
            }
            (BucketKill, _, Some(server)) => server.kill_and_restart().await,
            (BucketStop, _, Some(server)) => server.stop().await,
            (BucketSlow, _, Some(server)) => server.slow_down().await,
            _ => panic!("there is nothing for {incident:?}"),
        }
    }

    fn urls(&self) -> Vec<String> {
        [&self.steady].into_iter().chain(&self.others).map(|one| one.url.clone()).collect()
    }

    /// Repeats all requests and checks that each one made one task with one end and one webhook.
    ///
    /// Returns how many were accepted at once, and their number.
    async fn check(&self, (mut orders, outside): (Vec<Order>, Outside)) -> (usize, usize) {
        let client = self.steady.client();
        let at_once = orders.iter().filter(|order| order.task.is_some()).count();
        for order in &mut orders {
            let (accepted, begun) = (order.task, Instant::now());
            order.send(&client).await;
            assert!(order.task.is_some() && (accepted.is_none() || accepted == order.task), "{order:?}");
            while !order.poll(&client).await || order.webhooks(&outside).is_empty() {
                assert!(begun.elapsed() < TIMEOUT, "{order:?}");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            order.check_result(&self.steady.url).await;
            order.check_webhooks(&outside);
        }
        let ids: HashSet<_> = orders.iter().filter_map(|order| order.task).collect();
        assert_eq!(ids.len(), orders.len(), "two requests share a task");
        let store = store::open(self.url.as_deref(), self.steady.data(), Schema::Expect, Access::DEFAULT)
            .await
            .unwrap();
        let all = Page { offset: 0, limit: u32::MAX >> 1 };
        assert_eq!(store.all_tasks(&TaskQuery::default(), all).await.unwrap().len(), orders.len());
        if let Some(server) = &self.server {
            let settings = sweep::Settings { orphan_age: Duration::ZERO, ..sweep::Settings::default() };
            let (now, mut walk) = (Clock::System.now(), Walk::beginning_at(0));
            let urls = FileUrls::new(&self.steady.url);
            let swept = sweep::once(&store, &server.files, &urls, now, &settings, &mut walk).await.unwrap();
            println!("{} orphans", swept.files);
            // Completed tasks no longer need their inputs.
            let results = orders.iter().filter(|order| order.kind.makes_file()).count();
            assert_eq!(server.count(Area::Results).await, results);
            assert_eq!(server.count(Area::Inputs).await, 0);
        }
        (at_once, orders.len())
    }
}

/// A client that sends requests to all processes in turns, also to stopped ones.
struct Load {
    urls: Arc<Mutex<Vec<String>>>,
    ends: Arc<AtomicBool>,
    sending: tokio::task::JoinHandle<(Vec<Order>, Outside)>,
}

impl Load {
    async fn start(soak: &Soak) -> Self {
        let (urls, ends) = (Arc::new(Mutex::new(soak.urls())), Arc::new(AtomicBool::new(false)));
        let (key, outside) = (soak.steady.key.clone(), Outside::start().await);
        let sending = tokio::spawn(send(Arc::clone(&urls), key, outside, Arc::clone(&ends)));
        Self { urls, ends, sending }
    }

    fn turn_to(&self, urls: &[String]) {
        urls.clone_into(&mut self.urls.lock().unwrap());
    }

    async fn end(self) -> (Vec<Order>, Outside) {
        self.ends.store(true, Ordering::Relaxed);
        self.sending.await.unwrap()
    }
}

async fn send(
    urls: Arc<Mutex<Vec<String>>>,
    key: String,
    outside: Outside,
    ends: Arc<AtomicBool>,
) -> (Vec<Order>, Outside) {
    let mut orders: Vec<Order> = Vec::new();
    for round in 0.. {
        if ends.load(Ordering::Relaxed) {
            break;
        }
        let next = tokio::time::Instant::now() + BATCH;
        let url = {
            let urls = urls.lock().unwrap();
            urls[round % urls.len()].clone()
        };
        let client = client_of(&url, &key).retry(RetryPolicy::never()).build().unwrap();
        // The ends of earlier tasks may never change.
        let earlier = orders.len().saturating_sub(30);
        join_all(orders[earlier..].iter_mut().map(|order| order.poll(&client))).await;
        let mut new = Order::some(&round.to_string(), &outside);
        if round % BATCHES_PER_SPEECH == 0 {
            new.push(Order::new(Kind::Speech, &format!("speech.{round}"), &outside));
        }
        join_all(new.iter_mut().map(|order| order.send(&client))).await;
        orders.extend(new);
        tokio::time::sleep_until(next).await;
    }
    (orders, outside)
}

/// Another program that writes to the disk and waits for it, until this is dropped.
struct SlowDisk(Arc<AtomicBool>);

impl SlowDisk {
    fn start(path: PathBuf) -> Self {
        let ends = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&ends);
        std::thread::spawn(move || {
            let block = vec![7; 8 << 20];
            while !ended.load(Ordering::Relaxed) {
                let mut file = std::fs::File::create(&path).unwrap();
                file.write_all(&block).unwrap();
                file.sync_all().unwrap();
            }
            let _ = std::fs::remove_file(&path);
        });
        Self(ends)
    }
}

impl Drop for SlowDisk {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn signal(process: u32, signal: &str) {
    assert!(Command::new("kill").arg(signal).arg(process.to_string()).status().unwrap().success());
}

/// Returns the resident memory of a process in MB, on Linux.
fn resident(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<f64>().ok()? / 1024.0)
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).map(|value| value.round())
}
