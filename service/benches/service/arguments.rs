//! The arguments of the benchmark. `cargo xtask bench service` has the same ones.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

#[derive(Debug, Parser)]
pub struct Arguments {
    /// Parts to measure [default: all]
    pub parts: Vec<Part>,
    /// Store of the service
    #[arg(long, value_enum, default_value_t = Stores::Both)]
    pub store: Stores,
    /// Number of resources in the catalogue; several numbers are measured one after the other
    #[arg(long, value_delimiter = ',', default_values_t = [100_000])]
    pub resources: Vec<u32>,
    /// Number of existing tasks
    #[arg(long, default_value_t = 100_000)]
    pub rows: u32,
    /// Measuring time per contestant of a part, in seconds
    #[arg(long, default_value_t = 4)]
    pub seconds: u32,
    /// Number of concurrent requests
    #[arg(long, default_value_t = 16)]
    pub connections: usize,
    /// Bucket that the part `files` compares with a folder
    #[arg(long)]
    pub files: Option<String>,
    /// Run as the hand-written server on this data folder
    #[arg(long, hide = true)]
    pub floor: Option<PathBuf>,
    #[arg(long, hide = true, requires = "floor")]
    pub database_url: Option<String>,
    /// Cargo adds this argument.
    #[arg(long, hide = true)]
    pub bench: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    GetTask,
    CreateTask,
    Search,
    Tasks,
    Webhooks,
    Files,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Stores {
    Sqlite,
    Postgres,
    Both,
}

impl Arguments {
    /// Returns whether this part is measured.
    pub fn wants(&self, part: Part) -> bool {
        self.parts.is_empty() || self.parts.contains(&part)
    }
}
