//! `cargo xtask fuzz`: runs the generator on mutants of documents, or random tests with other seeds than in CI.

mod explore;
mod watch;
mod worker;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use openapi_crates_suite::fuzz::{Corpus, Mutant, minimise};

use crate::{Outcome, corpus, files, project};
use watch::Seen;

pub use worker::{Arguments as WorkerArguments, run as run_worker};

/// The examples in `--help`.
pub const EXAMPLES: &str = "\
Examples:
  cargo xtask fuzz --minutes 20                       try mutants for 20 minutes
  cargo xtask fuzz --seed 4711 --count 1              repeat one mutant; it depends on seed and documents only
  cargo xtask fuzz --minutes 5 --dir ~/documents      also try mutants of these documents
  cargo xtask fuzz --seed 7 --check 150               compile the crates of 150 mutants
  cargo xtask fuzz patterns --cases 10000000          compare ten million patterns with those of ECMA-262
  cargo xtask fuzz numbers --cases 100000 --seed 5    compare the readers of numbers";

/// The folder for mutants on which the generator fails, relative to the project's root.
const FOLDER: &str = "target/fuzz";

/// The number of mutants per worker process.
///
/// A new process starts with fresh memory.
const SHARE: u64 = 500;

/// The maximum size, in lines, of crates that are compiled.
const LARGEST_CHECKED: usize = 10_000;

/// The maximum number of tries to minimise a document.
///
/// The second number is for documents that exceed a limit, which take long.
const TRIES: (usize, usize) = (3000, 30);

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    subject: Option<explore::Subject>,
    /// Try mutants for this many minutes, for example 0.5
    #[arg(long, default_value_t = 1.0)]
    minutes: f64,
    /// Try this many mutants instead, for as long as that takes
    #[arg(long)]
    count: Option<u64>,
    /// Start with the mutant of this seed and count up
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    parents: Parents,
    /// Compile the crates of this many mutants, as `cargo xtask corpus --check` does, instead of searching
    /// for faults
    #[arg(long, value_name = "COUNT", conflicts_with_all = ["minutes", "count"])]
    check: Option<usize>,
}

/// The documents from which mutants are made.
#[derive(clap::Args)]
struct Parents {
    /// Use the documents in this folder too, besides tests/fixtures; documents larger than 200 kB are skipped
    #[arg(long, value_name = "FOLDER")]
    dir: Vec<PathBuf>,
}

impl Parents {
    fn corpus(&self) -> Result<Corpus> {
        let mut corpus = Corpus::default();
        let fixtures = project::root()?.join("tests/fixtures");
        for folder in std::iter::once(&fixtures).chain(&self.dir) {
            for source in corpus::documents(folder)? {
                let text = files::read_lossy(&source.path)?;
                if text.len() <= 200_000 {
                    corpus.add(&source.name, &text);
                }
            }
        }
        Ok(corpus)
    }
}

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    if let Some(subject) = &arguments.subject {
        return explore::run(subject);
    }
    let mut search = Search {
        program: corpus::build("checked")?,
        corpus: arguments.parents.corpus()?,
        dirs: &arguments.parents.dir,
        folder: project::root()?.join(FOLDER),
        tally: Tally::default(),
        finds: BTreeMap::new(),
    };
    if let Some(count) = arguments.check {
        return search.check(arguments.seed, count);
    }
    let started = Instant::now();
    let time = Duration::try_from_secs_f64(arguments.minutes * 60.0).context("invalid value of --minutes")?;
    search.search(arguments.seed, &|tried| match arguments.count {
        Some(count) => tried >= count,
        None => started.elapsed() >= time,
    })?;
    search.print(started.elapsed());
    Ok(if search.finds.is_empty() { Outcome::Done } else { Outcome::Failed })
}

struct Search<'a> {
    program: PathBuf,
    corpus: Corpus,
    dirs: &'a [PathBuf],
    folder: PathBuf,
    tally: Tally,
    /// The faults by kind: the first seed, and the number of further mutants.
    finds: BTreeMap<String, (u64, usize)>,
}

#[derive(Default)]
struct Tally {
    tried: u64,
    generated: u64,
    slowest: (Duration, u64),
    /// The peak memory in kilobytes.
    memory: u64,
}

impl Search<'_> {
    /// Tries mutants until `is_over`, given the number of tried mutants, returns `true`.
    fn search(&mut self, first: u64, is_over: &dyn Fn(u64) -> bool) -> Result<()> {
        while !is_over(self.tally.tried) {
            let from = first + self.tally.tried;
            let mut command = self.worker();
            command.args(["--seed", &from.to_string(), "--count", &SHARE.to_string()]);
            let mut faults = Vec::new();
            let tally = &mut self.tally;
            let memory = watch::watch(&mut command, &mut |seed, seen| {
                tally.tried = seed - first + 1;
                match seen {
                    Seen::Refused => {}
                    Seen::Generated { time, .. } => {
                        tally.generated += 1;
                        tally.slowest = tally.slowest.max((time, seed));
                    }
                    Seen::Fault(fault) => faults.push((seed, fault)),
                }
                !is_over(tally.tried)
            })?;
            self.tally.memory = self.tally.memory.max(memory);
            if self.tally.tried == from - first {
                bail!("the worker process ended before its first mutant");
            }
            for (seed, fault) in faults {
                self.found(seed, &fault)?;
            }
            project::progress(&format!("{} mutants, {} kinds of faults", self.tally.tried, self.finds.len()));
        }
        project::progress("");
        Ok(())
    }

    fn worker(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("fuzz-worker");
        for dir in self.dirs {
            command.arg("--dir").arg(dir);
        }
        command
    }

    /// Prints a new kind of fault, and writes the smallest document found that has it.
    fn found(&mut self, seed: u64, fault: &str) -> Result<()> {
        let kind = kind(fault);
        if let Some((_, more)) = self.finds.get_mut(&kind) {
            *more += 1;
            return Ok(());
        }
        self.finds.insert(kind.clone(), (seed, 0));
        let Some(mutant) = self.corpus.mutant(seed) else { return Ok(()) };
        println!("seed {seed} (of {}): {fault}", mutant.parent);
        let tries = if fault.starts_with(watch::TAKES) { TRIES.1 } else { TRIES.0 };
        let trial = self.folder.join(&mutant.name);
        files::write(&self.folder.join(format!("whole-{}", mutant.name)), &mutant.text)?;
        if let Some(overlay) = &mutant.overlay {
            files::write(&self.overlay_of(&mutant), overlay)?;
            println!("  overlay: {}", self.overlay_of(&mutant).display());
        }
        let small = minimise(&mutant, tries, &mut |text| {
            self.fault_of(&mutant, text, &trial)
                .is_ok_and(|fault| fault.as_deref().map(self::kind) == Some(kind.clone()))
        });
        files::write(&trial, &small)?;
        println!("  minimised: {}", trial.display());
        Ok(())
    }

    /// Returns the fault of the generator on this text, if there is one.
    fn fault_of(&self, mutant: &Mutant, text: &str, trial: &Path) -> Result<Option<String>> {
        files::write(trial, text)?;
        let mut command = self.worker();
        command.args(["--seed", &mutant.seed.to_string(), "--count", "1", "--document"]).arg(trial);
        if mutant.overlay.is_some() {
            command.arg("--overlay").arg(self.overlay_of(mutant));
        }
        let mut found = None;
        watch::watch(&mut command, &mut |_, seen| {
            if let Seen::Fault(fault) = seen {
                found = Some(fault);
            }
            true
        })?;
        Ok(found)
    }

    /// Returns the path of a mutant's overlay.
    fn overlay_of(&self, mutant: &Mutant) -> PathBuf {
        self.folder.join(format!("mutant-{}.overlay", mutant.seed))
    }

    fn print(&self, time: Duration) {
        let Tally { tried, generated, slowest, memory } = &self.tally;
        println!(
            "{tried} mutants in {} s: {generated} generated, {} refused or failed; slowest {:.1} s (seed {}), peak memory {} MB",
            time.as_secs(),
            tried - generated,
            slowest.0.as_secs_f64(),
            slowest.1,
            memory / 1024,
        );
        for (kind, (seed, more)) in &self.finds {
            println!("seed {seed} and {more} more: {kind}");
        }
    }

    /// Compiles the crates of `count` mutants.
    fn check(&mut self, first: u64, count: usize) -> Result<Outcome> {
        let sample = self.folder.join("sample");
        files::recreate(&sample)?;
        let mut command = self.worker();
        command.args(["--seed", &first.to_string(), "--count", &(100 * count).to_string()]);
        let mut seeds = Vec::new();
        watch::watch(&mut command, &mut |seed, seen| {
            if matches!(seen, Seen::Generated { lines, .. } if lines < LARGEST_CHECKED) {
                seeds.push(seed);
            }
            seeds.len() < count
        })?;
        for mutant in seeds.into_iter().filter_map(|seed| self.corpus.mutant(seed)) {
            let (name, text) = mutant.overlaid();
            files::write(&sample.join(name), &text)?;
        }
        let mut command = Command::new(&self.program);
        command.args(["corpus", "--check", "--failures", "--dir"]).arg(&sample);
        let status = command.status().context("cannot run the check")?;
        Ok(if status.success() { Outcome::Done } else { Outcome::Failed })
    }
}

/// Returns the kind of a fault.
///
/// This is its text without numbers and quoted names, or the location of a panic.
fn kind(fault: &str) -> String {
    let mut inside = false;
    let mut kind = String::new();
    for letter in fault.lines().next().unwrap_or_default().chars() {
        if letter == '`' {
            inside = !inside;
        } else if !inside && !letter.is_ascii_digit() {
            kind.push(letter);
        }
    }
    // The location of a panic identifies the fault. Its line number must stay.
    if let Some((location, _)) = fault.split_once(": panic") {
        return location.to_owned();
    }
    kind.chars().take(160).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_mistake_is_reported_once() {
        let no_rust =
            |path: &str| format!("the code generated for `{path}` is not valid Rust: expected `;`; 12");
        assert_eq!(kind(&no_rust("models/src/a.rs")), kind(&no_rust("models/src/b.rs")));
        assert_ne!(kind("src/a.rs:12: panic: index 3"), kind("src/a.rs:13: panic: index 3"));
        assert_eq!(kind("src/a.rs:12: panic: index 3"), kind("src/a.rs:12: panic: index 4"));
    }
}
