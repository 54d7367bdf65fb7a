//! The worker process: runs the generator on mutants and prints the results.
//!
//! ```text
//! start 17
//! generated 17 1325 0.012
//! start 18
//! fault 18 generator/src/lower/mod.rs:40: panic: …
//! ```

use std::{
    io::{self, Write},
    panic,
    path::PathBuf,
    sync::{Mutex, PoisonError},
    thread,
};

use anyhow::{Context, Result, anyhow};
use openapi_crates_suite::fuzz::{Fault, Mutant, Verdict, examine};
use xtask::processor;

use super::Parents;
use crate::{Outcome, files};

/// The default stack size of Rust threads.
const STACK: usize = 2 << 20;

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    parents: Parents,
    /// Start with the mutant of this seed
    #[arg(long)]
    seed: u64,
    /// Run this many mutants
    #[arg(long)]
    count: u64,
    /// Run this document instead of mutants
    #[arg(long)]
    document: Option<PathBuf>,
    /// Apply this overlay to the document
    #[arg(long, requires = "document")]
    overlay: Option<PathBuf>,
}

/// The location of the last panic.
static LOCATION: Mutex<String> = Mutex::new(String::new());

pub fn run(arguments: Arguments) -> Result<Outcome> {
    panic::set_hook(Box::new(|panic| {
        let location = panic.location().map(|location| format!("{}:{}", location.file(), location.line()));
        *LOCATION.lock().unwrap_or_else(PoisonError::into_inner) = location.unwrap_or_default();
    }));
    let work = thread::Builder::new().stack_size(STACK).spawn(move || work(&arguments));
    let ended = work.context("cannot start a thread")?.join();
    ended.map_err(|_| anyhow!("the mutation of a document panicked"))??;
    Ok(Outcome::Done)
}

fn work(arguments: &Arguments) -> Result<()> {
    if let Some(path) = &arguments.document {
        let overlay = arguments.overlay.as_deref().map(files::read).transpose()?;
        let text = files::read(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        return report(&Mutant { seed: arguments.seed, overlay, ..Mutant::of(&name, &text) });
    }
    let corpus = arguments.parents.corpus()?;
    for seed in (arguments.seed..).take(usize::try_from(arguments.count)?) {
        report(&corpus.mutant(seed).context("no documents to mutate")?)?;
    }
    Ok(())
}

fn report(mutant: &Mutant) -> Result<()> {
    let seed = mutant.seed;
    print(&format!("start {seed}"))?;
    // Processor time, because other programs may be running.
    let time = || processor::of_process("self").unwrap_or_default();
    let started = time();
    let reported = match examine(mutant) {
        Err(Fault::Panic(words)) => {
            let location = LOCATION.lock().unwrap_or_else(PoisonError::into_inner);
            format!("fault {seed} {location}: panic: {words}")
        }
        Err(fault) => format!("fault {seed} {fault}"),
        Ok(Verdict::Refused) => format!("refused {seed}"),
        Ok(Verdict::Generated(lines)) => {
            format!("generated {seed} {lines} {}", time().saturating_sub(started).as_secs_f64())
        }
    };
    print(&reported.replace('\n', " "))
}

fn print(line: &str) -> Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{line}").and_then(|()| output.flush()).context("cannot write to stdout")
}
