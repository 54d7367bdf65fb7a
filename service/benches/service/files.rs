//! Tasks whose results are files, and downloads of a result: from a bucket, and from a folder.

use tokio::runtime::Runtime;

use crate::arguments::{Arguments, Part};
use crate::cluster::Cluster;
use crate::database;
use crate::end_to_end::{Create, turn};
use crate::load::{Connection, Load, request};
use crate::process::Server;
use crate::rounds::{Contestant, compare};
use crate::table::Table;

/// A short sound: engines take little of the time.
const SOUND: Create = ("/v1/ai/sound-effects", r#"{"text":"click","duration_seconds":0.5}"#);

/// A service whose files are in a bucket or in a folder.
struct Service {
    name: &'static str,
    server: Server,
    key: String,
}

pub fn measure(arguments: &Arguments, cluster: Option<&Cluster>, runtime: &Runtime, table: &mut Table) {
    if !arguments.wants(Part::Files) {
        return;
    }
    // Files in a bucket need PostgreSQL.
    let bucket = arguments.files.as_ref().filter(|_| cluster.is_some());
    let mut services = Vec::new();
    for (name, bucket) in bucket.map(|bucket| ("bucket", Some(bucket))).into_iter().chain([("folder", None)])
    {
        let (mut database, key) = runtime.block_on(database::fresh(cluster, name));
        // The files of earlier runs belong to another database.
        database.files = bucket.map(|bucket| format!("{bucket}/{:016x}", rand::random::<u64>()));
        services.push(Service { name, server: Server::service(&database, None), key });
    }
    let clients = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let tasks = services.iter().map(|Service { name, server, key }| {
        let turn = |length| clients.block_on(turn(server.address, key, SOUND, arguments.connections, length));
        Contestant::new(name, turn, || server.processor())
    });
    table.compared("files: sounds of 44 KB", &compare(arguments.seconds, tasks.collect()), None);
    let mut loads: Vec<Load> = services
        .iter()
        .map(|Service { server, key, .. }| {
            let path = clients.block_on(result(server, key));
            Load::new(server.address, arguments.connections, vec![request("GET", &path, key, None)])
        })
        .collect();
    let downloads = services.iter().zip(&mut loads).map(|(Service { name, server, .. }, load)| {
        Contestant::new(name, |length| load.turn(length), || server.processor())
    });
    table.compared("files: downloads of a sound", &compare(arguments.seconds, downloads.collect()), None);
}

/// Returns the path of a sound.
async fn result(server: &Server, key: &str) -> String {
    let mut connection = Connection::open(server.address).await;
    assert_eq!(connection.exchange(&request("GET", SOUND.0, key, None)).await, 200);
    let list: serde_json::Value = serde_json::from_slice(connection.body()).expect("JSON");
    let urls = list["data"].as_array().into_iter().flatten().filter_map(|task| task["generated"][0].as_str());
    let path = urls.filter_map(|url| url.find("/files/").and_then(|start| url.get(start..))).next();
    path.expect("a sound").to_owned()
}
