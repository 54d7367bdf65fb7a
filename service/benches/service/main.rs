//! What the service does in a second, beside its floors: `cargo xtask bench service`.
//!
//! The service runs as it is: the release build, as a process of its own, with a log at its usual level and with settings
//! that only move the rate limits out of the way. The load is a closed loop in this process: so many connections, kept
//! alive, each with one request under way. Contestants take turns of a quarter of a second; a rate is the median of its
//! turns, and a ratio the median of the ratios of the rounds (in parentheses, the quartiles), because the machine may be
//! busy with other work. What the floors are stands in [`floor`] and [`raw_insert`].
//!
//! Exits with 1 where a target is missed, with 2 where there is nothing to measure.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a benchmark that can't go on stops"
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

/// The hand-written server has the allocator that the service has: that is not what is compared.
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
        && let Some(cluster) = Cluster::kept(&database::home().join("postgres"))
    {
        measure(&arguments, Some(&cluster), &runtime, &mut table);
    }
    table.verdict()
}

/// All parts, in one store.
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
            let made = runtime.block_on(database::made(cluster, *resources, *rows));
            table.head(&format!("{store}, {resources} resources, {rows} tasks, {connections} connections"));
            requests::measure(arguments, &made, runtime, table);
        }
    }
    if [Part::Tasks, Part::Webhooks].iter().any(|part| arguments.wants(*part)) {
        table.head(&format!("{store}, empty, {connections} connections"));
        end_to_end::measure(arguments, cluster, runtime, table);
        webhooks::measure(arguments, cluster, runtime, table);
    }
}
