//! `cargo xtask bench service`: the service under load.
//!
//! The benchmark itself is in service/benches/service.

use anyhow::{Result, ensure};
use clap::ValueEnum;

use crate::{Outcome, project};

/// The examples in `--help`.
pub const EXAMPLES: &str = "\
Examples:
  cargo xtask bench service
      measure everything, in a few minutes

  cargo xtask bench service get-task create-task --store sqlite
      measure two parts, on SQLite only

  cargo xtask bench service search --resources 100000,1000000
      search catalogues of two sizes; the first run creates them, which takes minutes

  AWS_ENDPOINT_URL=… cargo xtask bench service files --store postgres --files s3://bucket
      store and read files in a bucket of a server, and in a folder";

#[derive(clap::Args)]
pub struct Arguments {
    /// Measure only these parts; default: all
    #[arg(value_enum)]
    parts: Vec<Part>,
    /// Use this database; PostgreSQL runs as a separate cluster of the benchmark and needs `initdb`
    #[arg(long, value_enum, default_value_t = Store::Both)]
    store: Store,
    /// Search a catalogue with this many resources; several sizes, separated by commas, are measured one by
    /// one
    #[arg(long, value_name = "COUNT", value_delimiter = ',', default_values_t = [100_000])]
    resources: Vec<u32>,
    /// Start with this many existing tasks
    #[arg(long, value_name = "COUNT", default_value_t = 100_000)]
    rows: u32,
    /// Run each part and each floor for this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 4)]
    seconds: u32,
    /// Send this many concurrent requests, each on its own kept-alive connection
    #[arg(long, value_name = "COUNT", default_value_t = 16)]
    connections: u32,
    /// Compare this bucket with a folder in the part `files`, on PostgreSQL; the environment has the credentials
    #[arg(long, value_name = "URL")]
    files: Option<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Part {
    /// Get a task, against the same handler hand-written in axum
    GetTask,
    /// Create a task, with and without a daily quota, against the raw insert of the same rows
    CreateTask,
    /// Search resources by words and filters
    Search,
    /// Run tasks, from the request until a client sees them completed
    Tasks,
    /// Deliver webhooks to a receiver on this machine
    Webhooks,
    /// Run tasks that store a file, and read files
    Files,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Store {
    Sqlite,
    Postgres,
    Both,
}

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let Arguments { parts, store, resources, rows, seconds, connections, files } = arguments;
    ensure!(
        files.is_none() || !matches!(store, Store::Sqlite),
        "`--files` needs `--store postgres` or `both`"
    );
    let mut command = project::cargo(&["bench", "--package", "asset-service", "--bench", "service", "--"])?;
    command.args(parts.iter().map(|part| name(*part)));
    command.args(["--store", &name(*store)]);
    let resources: Vec<String> = resources.iter().map(ToString::to_string).collect();
    command.args(["--resources", &resources.join(",")]);
    for (option, number) in [("--rows", rows), ("--seconds", seconds), ("--connections", connections)] {
        command.args([option, &number.to_string()]);
    }
    command.args(files.iter().flat_map(|url| ["--files", url]));
    project::check(&mut command)
}

fn name(value: impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}
