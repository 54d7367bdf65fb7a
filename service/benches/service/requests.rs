//! Requests on a large store: get a task, create a task, search.

use std::time::Duration;

use asset_service::domain::{Demand, Engines, NewTask};
use tokio::runtime::Runtime;
use uuid::Uuid;

use crate::arguments::{Arguments, Part};
use crate::catalogue;
use crate::database::{self, Prepared};
use crate::floor::SCOPE;
use crate::load::{Load, request};
use crate::process::{Server, processor};
use crate::raw_insert::Inserter;
use crate::rounds::{Contestant, compare};
use crate::table::Table;

/// The target ratio of get-task to the hand-written server.
const GET_TASK: f64 = 0.9;
/// The target ratio of create-task to the raw inserts.
const CREATE_TASK: f64 = 0.7;

/// The target p99 of searches.
const SEARCH: Duration = Duration::from_millis(50);

/// The number of different searches, and their seed.
const SEARCHES: (u64, u64) = (2000, 2);

/// The body of a request to improve a prompt.
pub const PROMPT: &str = r#"{"prompt":"a lighthouse at dusk","type":"image"}"#;

pub fn measure(arguments: &Arguments, prepared: &Prepared, runtime: &Runtime, table: &mut Table) {
    // The service accepts tasks and runs none.
    let service = Server::service(&prepared.database, Some(0));
    service.peak_memory();
    // The service loads the catalogue at startup, which takes seconds of CPU time. Searches wait for it.
    let (status, _) =
        Load::new(service.address, 1, vec![request("GET", "/v1/resources", &prepared.key, None)])
            .first_response();
    assert_eq!(status, 200, "the search must succeed");
    if arguments.wants(Part::GetTask) {
        get_task(arguments, prepared, &service, table);
    }
    if arguments.wants(Part::CreateTask) {
        create_task(arguments, prepared, &service, runtime, table);
    }
    if arguments.wants(Part::Search) {
        search(arguments, prepared, &service, table);
    }
}

fn get_task(arguments: &Arguments, prepared: &Prepared, service: &Server, table: &mut Table) {
    let floor = Server::floor(&prepared.database);
    // An order that no index has.
    let ids: Vec<&Uuid> =
        (0..10_000).map(|number: usize| &prepared.tasks[number * 7919 % prepared.tasks.len()]).collect();
    let connect = |server: &Server, path: &str| {
        let requests = ids.iter().map(|id| request("GET", &format!("{path}/{id}"), &prepared.key, None));
        Load::new(server.address, arguments.connections, requests.collect())
    };
    let mut ours = connect(service, SCOPE);
    let mut by_hand = connect(&floor, SCOPE);
    let mut logged = connect(&floor, "/logged");
    let responses = (ours.first_response(), by_hand.first_response(), logged.first_response());
    for reply in [&responses.0, &responses.1, &responses.2] {
        let text = |(status, body): &(u16, Vec<u8>)| format!("{status} {}", String::from_utf8_lossy(body));
        assert_eq!(text(reply), text(&responses.0), "all servers must respond alike");
    }
    let measured = compare(
        arguments.seconds,
        vec![
            Contestant::new("service", |length| ours.turn(length), || service.processor()),
            Contestant::new("axum by hand", |length| by_hand.turn(length), || floor.processor())
                .target(GET_TASK),
            Contestant::new("axum by hand, with a log", |length| logged.turn(length), || floor.processor()),
        ],
    );
    table.compared("get-task", &measured, service.peak_memory());
}

fn create_task(
    arguments: &Arguments,
    prepared: &Prepared,
    service: &Server,
    runtime: &Runtime,
    table: &mut Table,
) {
    let Arguments { connections, seconds, .. } = *arguments;
    let connect =
        |key: &str| Load::new(service.address, connections, vec![request("POST", SCOPE, key, Some(PROMPT))]);
    let mut ours = connect(&prepared.key);
    let mut daily = connect(&prepared.daily_key);
    let row = row(&ours.first_response(), prepared, runtime);
    let together = Inserter::together(&prepared.database, row.clone(), connections);
    let one_by_one =
        prepared.database.url.is_none().then(|| Inserter::in_sqlite(&prepared.database, row, connections, 1));
    let mut contestants = vec![
        Contestant::new("service", |length| ours.turn(length), || service.processor()),
        Contestant::new("raw insert", |length| together.turn(length), || processor("self"))
            .target(CREATE_TASK),
    ];
    if let Some(inserter) = &one_by_one {
        let turn = |length| inserter.turn(length);
        contestants.push(Contestant::new("raw insert, one by one", turn, || processor("self")));
    }
    table.compared("create-task", &compare(seconds, contestants), service.peak_memory());
    let contestants = vec![
        Contestant::new("service", |length| daily.turn(length), || service.processor()),
        Contestant::new("raw insert", |length| together.turn(length), || processor("self")),
    ];
    table.compared("create-task, counted by day", &compare(seconds, contestants), service.peak_memory());
}

/// Measures searches of all kinds, in the shares that people make them.
fn search(arguments: &Arguments, prepared: &Prepared, service: &Server, table: &mut Table) {
    let (count, seed) = SEARCHES;
    let requests = catalogue::queries(count, seed).into_iter().map(|search| {
        let query =
            url::form_urlencoded::Serializer::new(String::new()).extend_pairs(search.parameters).finish();
        request("GET", &format!("/v1/resources?{query}"), &prepared.key, None)
    });
    let mut load = Load::new(service.address, arguments.connections, requests.collect());
    let contestant = Contestant::new("service", |length| load.turn(length), || service.processor());
    for measured in compare(arguments.seconds, vec![contestant]) {
        table.timed("search", &measured, Some(SEARCH), service.peak_memory());
    }
}

/// Returns the row that the service stored for this response.
fn row((status, body): &(u16, Vec<u8>), prepared: &Prepared, runtime: &Runtime) -> NewTask {
    assert_eq!(*status, 200, "{}", String::from_utf8_lossy(body));
    let reply: serde_json::Value = serde_json::from_slice(body).expect("JSON");
    let id: Uuid = reply["data"]["task_id"].as_str().and_then(|id| id.parse().ok()).expect("an id");
    let (task, work) = runtime.block_on(async {
        let store = database::open(&prepared.database).await;
        (store.any_task(id).await, store.work(id).await)
    });
    NewTask {
        task: task.expect("a store").expect("a task"),
        work: work.expect("a store").expect("work"),
        demand: Demand { engines: Engines::built_in(["improve-prompt"]), size: 0 },
        input_bytes: 0,
        idempotency: None,
        daily_quota: None,
        trace: None,
    }
}
