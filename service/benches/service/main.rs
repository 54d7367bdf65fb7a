//! Measures the service's throughput and its floors: `cargo xtask bench service`.
//!
//! The service runs as in production: the release build, in its own process, with its usual log level. Its
//! settings only disable the rate limits. The load is a closed loop in this process: persistent connections
//! with one request in progress each.
//!
//! Contestants take turns of a quarter of a second. A rate is the median of its turns. A ratio is the median
//! of the rounds' ratios, with the quartiles in parentheses, because the machine may be busy with other work.
//! [`floor`] and [`raw_insert`] describe the floors.
//!
//! The exit code is 1 if a target is missed, and 2 if nothing was measured.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a benchmark that can't continue panics"
)]

mod arguments;
#[path = "../support/catalogue.rs"]
#[allow(dead_code, reason = "shared with others")]
mod catalogue;
#[path = "../../tests/it/store/cluster.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod cluster;
mod database;
mod end_to_end;
mod files;
mod floor;
mod load;
mod process;
mod raw_insert;
mod requests;
mod rounds;
mod table;
mod webhooks;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Part, Stores};
use cluster::Cluster;
use table::Table;

/// Both servers have the same allocator, so that it makes no difference.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    if let Some(folder) = &arguments.floor {
        runtime.block_on(floor::run(arguments.database_url.as_deref(), folder));
        return ExitCode::SUCCESS;
    }
    std::fs::create_dir_all(database::home()).expect("a folder in the target folder");
    let mut table = Table::default();
    if arguments.store != Stores::Postgres {
        measure(&arguments, None, &runtime, &mut table);
    }
    if arguments.store != Stores::Sqlite
        && let Some(cluster) = Cluster::persistent(&database::home().join("postgres"))
    {
        measure(&arguments, Some(&cluster), &runtime, &mut table);
    }
    table.verdict()
}

/// Measures all parts on one store.
fn measure(
    arguments: &Arguments,
    cluster: Option<&Cluster>,
    runtime: &tokio::runtime::Runtime,
    table: &mut Table,
) {
    let store = if cluster.is_some() { "PostgreSQL" } else { "SQLite" };
    let Arguments { rows, connections, .. } = arguments;
    if [Part::GetTask, Part::CreateTask, Part::Search].iter().any(|part| arguments.wants(*part)) {
        for resources in &arguments.resources {
            let prepared = runtime.block_on(database::prepared(cluster, *resources, *rows));
            table.head(&format!("{store}, {resources} resources, {rows} tasks, {connections} connections"));
            requests::measure(arguments, &prepared, runtime, table);
        }
    }
    if [Part::Tasks, Part::Webhooks, Part::Files].iter().any(|part| arguments.wants(*part)) {
        table.head(&format!("{store}, empty, {connections} connections"));
        end_to_end::measure(arguments, cluster, runtime, table);
        webhooks::measure(arguments, cluster, runtime, table);
        files::measure(arguments, cluster, runtime, table);
    }
}
