//! Tasks from creation to completion, as a client sees them.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::arguments::{Arguments, Part};
use crate::cluster::Cluster;
use crate::database;
use crate::floor::SCOPE;
use crate::load::{Connection, request};
use crate::process::Server;
use crate::requests::PROMPT;
use crate::rounds::{Contestant, Turn, compare};
use crate::table::Table;

/// The number of tasks that a client has in progress.
///
/// The client polls the last task and then checks the others, so that polling takes little CPU time.
const TASKS: usize = 16;

/// The pause between polls.
const PAUSE: Duration = Duration::from_millis(5);

/// The path that creates tasks and lists them, and the body of a request.
pub type Create = (&'static str, &'static str);

pub fn measure(arguments: &Arguments, cluster: Option<&Cluster>, runtime: &Runtime, table: &mut Table) {
    if !arguments.wants(Part::Tasks) {
        return;
    }
    let (database, key) = runtime.block_on(database::fresh(cluster, "fresh"));
    let service = Server::service(&database, None);
    service.peak_memory();
    let clients = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let turn = |length| {
        clients.block_on(turn(service.address, &key, (SCOPE, PROMPT), arguments.connections, length))
    };
    let contestant = Contestant::new("service", turn, || service.processor());
    for measured in compare(arguments.seconds, vec![contestant]) {
        table.timed("tasks, from request to COMPLETED", &measured, None, service.peak_memory());
    }
}

pub async fn turn(server: SocketAddr, key: &str, create: Create, clients: usize, length: Duration) -> Turn {
    let begun = Instant::now();
    let latencies = join_all((0..clients).map(async |_| {
        let mut connection = Connection::open(server).await;
        let mut latencies = Vec::new();
        while begun.elapsed() < length {
            latencies.extend(some_tasks(&mut connection, key, create).await);
        }
        latencies
    }));
    let latencies = latencies.await.concat();
    Turn { time: begun.elapsed(), latencies }
}

/// Creates some tasks, waits for all, and returns how long each took to complete.
async fn some_tasks(connection: &mut Connection, key: &str, (path, body): Create) -> Vec<Duration> {
    let create = request("POST", path, key, Some(body));
    let mut tasks = Vec::with_capacity(TASKS);
    for _ in 0..TASKS {
        let sent = Instant::now();
        assert_eq!(connection.exchange(&create).await, 200);
        let id = data(connection)["task_id"].as_str().expect("an id").to_owned();
        tasks.push((sent, request("GET", &format!("{path}/{id}"), key, None)));
    }
    let mut latencies = Vec::with_capacity(TASKS);
    for (sent, get) in tasks.iter().rev() {
        loop {
            assert_eq!(connection.exchange(get).await, 200);
            let task = data(connection);
            assert_ne!(task["status"], "FAILED", "{task}");
            if task["status"] == "COMPLETED" {
                break latencies.push(sent.elapsed());
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
    latencies
}

fn data(connection: &Connection) -> Value {
    let mut response: Value = serde_json::from_slice(connection.body()).expect("JSON");
    response["data"].take()
}
