//! Webhook throughput: a full outbox, and a local receiver that responds at once.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use tokio::runtime::Runtime;

use crate::arguments::{Arguments, Part};
use crate::cluster::Cluster;
use crate::database;
use crate::process::Server;
use crate::table::Table;

/// The number of queued events per second of measuring time.
const EVENTS: u32 = 500;

/// How long the benchmark waits for the next event.
const TIMEOUT: Duration = Duration::from_secs(30);

pub fn measure(arguments: &Arguments, cluster: Option<&Cluster>, runtime: &Runtime, table: &mut Table) {
    if !arguments.wants(Part::Webhooks) {
        return;
    }
    let events = (arguments.seconds * EVENTS).max(100);
    for (name, hosts) in [("webhooks, to one host", 1), ("webhooks, to 16 hosts", 16)] {
        let (database, key) = runtime.block_on(database::fresh(cluster, "fresh"));
        let received = Arc::new(AtomicU32::new(0));
        let port = runtime.block_on(receive(Arc::clone(&received))).port();
        runtime.block_on(async {
            let store = database::open(&database).await;
            // Each address of the loopback network counts as a host.
            let url = |number: u32| Some(format!("http://127.0.0.{}:{port}/hook", 1 + number % hosts));
            let task = |number| database::new_task(database::key_id(&key), url(number));
            database::create_tasks(&store, events, task).await;
            database::end_tasks(&store).await;
        });
        let service = Server::service(&database, Some(0));
        let count = || received.load(Ordering::Relaxed);
        wait_until(&|| count() > 0);
        let (first, begun, before) = (count(), Instant::now(), service.processor());
        wait_until(&|| count() >= events);
        let time = begun.elapsed();
        let delivered = f64::from(events - first);
        let spent = service.processor().zip(before).map(|(after, before)| after - before);
        table.rate(
            name,
            delivered / time.as_secs_f64(),
            spent.map(|spent| spent.div_f64(delivered)),
            service.peak_memory(),
        );
    }
}

fn wait_until(done: &dyn Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < TIMEOUT, "no webhooks arrived in time");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Starts a receiver on all loopback addresses that counts requests.
async fn receive(received: Arc<AtomicU32>) -> SocketAddr {
    let router = Router::new().fallback(move || {
        received.fetch_add(1, Ordering::Relaxed);
        async { "ok" }
    });
    let listener = tokio::net::TcpListener::bind("0.0.0.0:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}
