//! `cargo xtask bench service`: the running service under load. The benchmark itself is service/benches/service.

use anyhow::Result;
use clap::ValueEnum;

use crate::{Outcome, project};

/// What people do with it.
pub const EXAMPLES: &str = "\
Examples:
  cargo xtask bench service                                  everything, in a few minutes
  cargo xtask bench service get-task create-task --store sqlite
                                                             two parts, in the embedded database
  cargo xtask bench service search --resources 100000,1000000
                                                             searches in two catalogues; making the larger one takes minutes,
                                                             the first time";

#[derive(clap::Args)]
pub struct Arguments {
    /// Which parts; all, unless said
    #[arg(value_enum)]
    parts: Vec<Part>,
    /// Where the service keeps everything; PostgreSQL runs as a cluster of the benchmark's own, if `initdb` is installed
    #[arg(long, value_enum, default_value_t = Store::Both)]
    store: Store,
    /// How many resources the catalogue has; several numbers, with commas, are measured one after the other
    #[arg(long, value_name = "COUNT", value_delimiter = ',', default_values_t = [100_000])]
    resources: Vec<u32>,
    /// How many tasks there are already
    #[arg(long, value_name = "COUNT", default_value_t = 100_000)]
    rows: u32,
    /// How long each contestant of a part has, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 4)]
    seconds: u32,
    /// How many requests are under way at a time, each on a connection that is kept alive
    #[arg(long, value_name = "COUNT", default_value_t = 16)]
    connections: u32,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Part {
    /// A task is got, beside the same written by hand in axum
    GetTask,
    /// A task is created, beside the raw insert of the same rows; with a daily quota as well
    CreateTask,
    /// Resources are searched, by words and filters
    Search,
    /// Tasks from their request until a client sees them completed
    Tasks,
    /// Webhooks, delivered to a receiver on this machine
    Webhooks,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Store {
    Sqlite,
    Postgres,
    Both,
}

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let Arguments { parts, store, resources, rows, seconds, connections } = arguments;
    let mut command = project::cargo(&["bench", "--package", "asset-service", "--bench", "service", "--"])?;
    command.args(parts.iter().map(|part| name(*part)));
    command.args(["--store", &name(*store)]);
    let resources: Vec<String> = resources.iter().map(ToString::to_string).collect();
    command.args(["--resources", &resources.join(",")]);
    for (option, number) in [("--rows", rows), ("--seconds", seconds), ("--connections", connections)] {
        command.args([option, &number.to_string()]);
    }
    super::run_bench(&mut command)
}

fn name(value: impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}
