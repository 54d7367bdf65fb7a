//! `cargo xtask corpus`: generates and compiles a folder of documents.

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

use std::{
    collections::BTreeMap,
    iter,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::Mutex,
    thread,
    time::Instant,
};

use anyhow::{Context, Result, ensure};

use crate::{Outcome, files, project};
use find::Source;
use table::Row;

pub use child::{Ended, Exit, Limits, run as run_child};
pub use document::{Arguments as DocumentArguments, build, run as run_document};
pub use find::documents;
pub use messages::{Diagnostic, Message};

/// The examples in `--help`.
pub const EXAMPLES: &str = "\
Examples:
  cargo xtask corpus --dir ~/documents                       generate all documents
  cargo xtask corpus --dir ~/documents --check               generate and compile them
  cargo xtask corpus --dir ~/documents --check --sample 150 --seed 7
                                                             take 150; the same seed gives the same sample
  cargo xtask corpus --dir ~/documents --only stripe --check --keep
                                                             take one, and keep its crates in target/corpus/crates";

/// The folder for crates and build output, relative to the project's root.
const FOLDER: &str = "target/corpus";

#[derive(clap::Args)]
pub struct Arguments {
    /// Use the documents in this folder
    #[arg(long, value_name = "FOLDER", default_value = "tests/fixtures/valid")]
    dir: PathBuf,
    /// Use only documents whose path contains this text
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Use this many documents, chosen at random
    #[arg(long, value_name = "COUNT")]
    sample: Option<usize>,
    /// Choose the sample with this seed
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "sample")]
    seed: u64,
    /// Also run `cargo check` on the generated crates, with all features
    #[arg(long)]
    check: bool,
    /// Also decode the examples of each document with the generated models and encode them again without
    /// loss; intended differences are listed in xtask/trials/src/corpus/difference.rs
    #[arg(long, requires = "check")]
    round_trip: bool,
    /// Also compare the values of each document with those that other readers of YAML and JSON find
    #[arg(long)]
    readers: bool,
    /// Generate this many documents in parallel; default: the number of cores
    #[arg(long, value_name = "COUNT")]
    jobs: Option<NonZeroUsize>,
    /// Stop a document's generation after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
    /// Stop a document's generation when it uses more than this many megabytes
    #[arg(long, value_name = "MEGABYTES", default_value_t = 4096)]
    memory: u64,
    /// Compile at most this many lines of generated code in one run of cargo; lower it if memory is short
    #[arg(long, value_name = "LINES", default_value_t = 400_000)]
    batch: usize,
    /// Keep the crates and their build output in target/corpus
    #[arg(long)]
    keep: bool,
    /// Show only the rows of documents that failed
    #[arg(long)]
    failures: bool,
}

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let started = Instant::now();
    let sources = sources(arguments)?;
    if arguments.readers && !have_the_same_values(&folder_of(arguments)?)? {
        return Ok(Outcome::Failed);
    }
    let folder = project::root()?.join(FOLDER);
    let crates = folder.join("crates");
    files::recreate(&crates)?;
    let mut rows = generate_all(arguments, &sources, &crates)?;
    if arguments.check {
        compile::check_all(&mut rows, &folder, arguments)?;
    }
    if !arguments.keep {
        files::remove(&crates)?;
    }
    table::print(&rows, arguments.check, arguments.failures, started.elapsed());
    Ok(if rows.iter().any(Row::has_failed) { Outcome::Failed } else { Outcome::Done })
}

/// Returns whether the generator's readers find the same values in a folder's documents as other ones.
fn have_the_same_values(dir: &Path) -> Result<bool> {
    let dir = dir.canonicalize().with_context(|| format!("cannot find {}", dir.display()))?;
    let test = ["test", "-p", "openapi-crates", "--lib", "--", "--ignored", "a_corpus_has_the_same_values"];
    project::succeeds(project::cargo(&test)?.env("CORPUS", dir))
}

/// Returns the folder of the documents.
fn folder_of(arguments: &Arguments) -> Result<PathBuf> {
    let root = project::root()?;
    Ok(if arguments.dir.exists() { arguments.dir.clone() } else { root.join(&arguments.dir) })
}

/// Returns the documents that the arguments select.
fn sources(arguments: &Arguments) -> Result<Vec<Source>> {
    let dir = folder_of(arguments)?;
    let mut sources = find::documents(&dir)?;
    if let Some(text) = &arguments.only {
        sources.retain(|source| source.name.contains(text));
    }
    if let Some(count) = arguments.sample {
        sources = find::sample(sources, count, arguments.seed);
    }
    ensure!(!sources.is_empty(), "no matching documents in {}", dir.display());
    Ok(sources)
}

/// Generates the crates of all documents in parallel.
///
/// Returns a row for each document, in their order.
fn generate_all(arguments: &Arguments, sources: &[Source], crates: &Path) -> Result<Vec<Row>> {
    let program = build("release")?;
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let remaining = Mutex::new(sources.iter().enumerate());
    let next = || remaining.lock().ok()?.next();
    let generate = |(index, source): (usize, &Source)| {
        let row = Row::new(source.clone(), document::generate_by(&program, source, crates, arguments));
        project::progress(&format!("generating {}/{} {}", index + 1, sources.len(), source.name));
        (index, row)
    };
    let work = || iter::from_fn(next).map(generate).collect::<Vec<_>>();
    let rows: BTreeMap<usize, Row> = thread::scope(|scope| {
        let jobs = 0..arguments.jobs.unwrap_or(cores).get();
        let threads: Vec<_> = jobs.map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    });
    project::progress("");
    ensure!(rows.len() == sources.len(), "a generator thread ended early");
    Ok(rows.into_values().collect())
}
