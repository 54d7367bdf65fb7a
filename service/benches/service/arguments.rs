//! What the benchmark is told: the same as `cargo xtask bench service`, which documents it.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

#[derive(Debug, Parser)]
pub struct Arguments {
    /// Which of the parts; all, unless said
    pub parts: Vec<Part>,
    /// Where the service keeps everything
    #[arg(long, value_enum, default_value_t = Stores::Both)]
    pub store: Stores,
    /// How many resources the catalogue has; several numbers are measured one after the other
    #[arg(long, value_delimiter = ',', default_values_t = [100_000])]
    pub resources: Vec<u32>,
    /// How many tasks there are before
    #[arg(long, default_value_t = 100_000)]
    pub rows: u32,
    /// How long each contestant of a part has
    #[arg(long, default_value_t = 4)]
    pub seconds: u32,
    /// How many requests are under way at a time
    #[arg(long, default_value_t = 16)]
    pub connections: usize,
    /// Be the hand-written server: the data folder
    #[arg(long, hide = true)]
    pub floor: Option<PathBuf>,
    #[arg(long, hide = true, requires = "floor")]
    pub database_url: Option<String>,
    /// What cargo adds itself.
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
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Stores {
    Sqlite,
    Postgres,
    Both,
}

impl Arguments {
    /// Whether this part is to be measured.
    pub fn wants(&self, part: Part) -> bool {
        self.parts.is_empty() || self.parts.contains(&part)
    }
}
