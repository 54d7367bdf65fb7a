//! `cargo xtask corpus`: the generator over a folder of documents, and the compiler over what it makes of them.

pub mod child;
mod compile;
mod difference;
mod document;
mod examples;
mod find;
mod known;
mod messages;
mod round_trip;
mod table;
mod workspace;

use std::{
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

use crate::{Outcome, project};
use find::Source;
use table::Row;

pub use child::{Ended, How, Limits, children_processor_time, run as run_child};
pub use document::{Arguments as DocumentArguments, run as run_document};
pub use find::documents;
pub use messages::{Diagnostic, Message};

/// What people do with it.
pub const EXAMPLES: &str = "\
Examples:
  cargo xtask corpus --dir ~/documents                       all of them generate?
  cargo xtask corpus --dir ~/documents --check               and compile?
  cargo xtask corpus --dir ~/documents --check --sample 150 --seed 7
                                                             150 of them, the same for the same seed
  cargo xtask corpus --dir ~/documents --only stripe --check --keep
                                                             one, whose crates stay in target/corpus/crates";

/// Where the crates are written and built, relative to the project's root.
const FOLDER: &str = "target/corpus";

#[derive(clap::Args)]
pub struct Arguments {
    /// The folder of documents
    #[arg(long, value_name = "FOLDER", default_value = "tests/fixtures/valid")]
    dir: PathBuf,
    /// Only documents whose path holds this text
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// So many documents, chosen at random
    #[arg(long, value_name = "COUNT")]
    sample: Option<usize>,
    /// What the choice depends on
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "sample")]
    seed: u64,
    /// Compile the crates as well: `cargo check` of all four, with all features
    #[arg(long)]
    check: bool,
    /// Build the models as well, decode the examples that the document gives with them, and encode them again without
    /// loss; what need not come back stands in xtask/trials/src/corpus/difference.rs
    #[arg(long, requires = "check")]
    round_trip: bool,
    /// How many documents are generated at a time, by default as many as there are cores
    #[arg(long, value_name = "COUNT")]
    jobs: Option<NonZeroUsize>,
    /// Seconds after which a document's generation counts as hung
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
    /// Megabytes beyond which a document's generation counts as a runaway
    #[arg(long, value_name = "MEGABYTES", default_value_t = 4096)]
    memory: u64,
    /// How many lines of generated code are compiled by one run of cargo; lower it where memory is short
    #[arg(long, value_name = "LINES", default_value_t = 400_000)]
    batch: usize,
    /// Leave the crates and what was built of them in target/corpus
    #[arg(long)]
    keep: bool,
    /// Show the rows of what failed only
    #[arg(long)]
    failures: bool,
}

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let started = Instant::now();
    let sources = sources(arguments)?;
    let folder = project::root()?.join(FOLDER);
    let crates = folder.join("crates");
    // What an earlier run left is none of this one's.
    match fs::remove_dir_all(&crates) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("{} can't be removed", crates.display()));
        }
        _ => {}
    }
    fs::create_dir_all(&crates).with_context(|| format!("{} can't be made", crates.display()))?;
    let mut rows = generate_all(arguments, &sources, &crates)?;
    if arguments.check {
        compile::check_all(&mut rows, &folder, arguments)?;
    }
    if !arguments.keep {
        fs::remove_dir_all(&crates).with_context(|| format!("{} can't be removed", crates.display()))?;
    }
    table::print(&rows, arguments.check, arguments.failures, started.elapsed());
    Ok(if rows.iter().any(Row::has_failed) { Outcome::Findings } else { Outcome::Done })
}

/// The documents to look at.
fn sources(arguments: &Arguments) -> Result<Vec<Source>> {
    let root = project::root()?;
    let dir = if arguments.dir.exists() { arguments.dir.clone() } else { root.join(&arguments.dir) };
    let mut sources = find::documents(&dir)?;
    if let Some(text) = &arguments.only {
        sources.retain(|source| source.name.contains(text));
    }
    if let Some(count) = arguments.sample {
        sources = find::sample(sources, count, arguments.seed);
    }
    if sources.is_empty() {
        bail!("there is no such document in {}", dir.display());
    }
    Ok(sources)
}

/// Generates the crates of all documents, some at a time; a row for each, in their order.
fn generate_all(arguments: &Arguments, sources: &[Source], crates: &Path) -> Result<Vec<Row>> {
    let program = document::release_build()?;
    let limits =
        child::Limits { time: Duration::from_secs(arguments.timeout), memory: arguments.memory * 1024 };
    let job = document::Job {
        program: &program,
        out: arguments.check.then_some(crates),
        examples: arguments.round_trip,
        runtime: &project::root()?.join("runtime"),
        logs: crates,
        limits,
    };
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(sources.len()));
    thread::scope(|scope| {
        for _ in 0..arguments.jobs.unwrap_or(cores).get() {
            scope.spawn(|| {
                while let Some((index, source)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    sources.get(index).map(|source| (index, source))
                } {
                    let row = Row::new(source.clone(), job.run(source));
                    project::progress(&format!("generating {}/{} {}", index + 1, sources.len(), source.name));
                    if let Ok(mut done) = done.lock() {
                        done.push((index, row));
                    }
                }
            });
        }
    });
    project::progress("");
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(index, _)| *index);
    if done.len() != sources.len() {
        bail!("a thread that ran the generator has ended early");
    }
    Ok(done.into_iter().map(|(_, row)| row).collect())
}
