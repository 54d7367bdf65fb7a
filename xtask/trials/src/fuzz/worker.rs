//! The process that runs the generator over mutants, one after the other, and tells of each how it went.
//!
//! ```text
//! start 17
//! generated 17 1325 0.012
//! start 18
//! fault 18 generator/src/lower/mod.rs:40: panic: …
//! ```

use std::{
    env, fs,
    io::{self, Write},
    panic,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    thread,
};

use anyhow::{Context, Result, anyhow};
use openapi_crates_fuzz::{Fate, Fault, Mutant, examine};

use super::Parents;
use crate::{Outcome, corpus::child, project};

/// What threads have that nobody says otherwise of.
const STACK: usize = 2 << 20;

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    parents: Parents,
    /// The first mutant's seed
    #[arg(long)]
    seed: u64,
    /// How many
    #[arg(long)]
    count: u64,
    /// This document in place of mutants
    #[arg(long)]
    document: Option<PathBuf>,
}

/// The profile in xtask/Cargo.toml.
const PROFILE: &str = "checked";

/// Where the last panic was.
static PLACE: Mutex<String> = Mutex::new(String::new());

pub fn run(arguments: Arguments) -> Result<Outcome> {
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(|place| format!("{}:{}", place.file(), place.line()));
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = place.unwrap_or_default();
    }));
    let work = thread::Builder::new().stack_size(STACK).spawn(move || work(&arguments));
    let ended = work.context("there is no thread to be had")?.join();
    ended.map_err(|_| anyhow!("the mutants themselves failed"))??;
    Ok(Outcome::Done)
}

fn work(arguments: &Arguments) -> Result<()> {
    if let Some(path) = &arguments.document {
        let text = fs::read_to_string(path).with_context(|| format!("{} can't be read", path.display()))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        return tell(&Mutant { seed: arguments.seed, parent: String::new(), name, text, tree: None });
    }
    let nursery = arguments.parents.nursery()?;
    for seed in (arguments.seed..).take(usize::try_from(arguments.count)?) {
        tell(&nursery.mutant(seed).context("there are no documents")?)?;
    }
    Ok(())
}

fn tell(mutant: &Mutant) -> Result<()> {
    let seed = mutant.seed;
    say(&format!("start {seed}"))?;
    // Of the processor's time, since others may be at work.
    let time = || child::processor_time("self").unwrap_or_default();
    let started = time();
    let told = match examine(mutant) {
        Err(Fault::Panic(words)) => {
            let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
            format!("fault {seed} {place}: panic: {words}")
        }
        Err(fault) => format!("fault {seed} {fault}"),
        Ok(Fate::Refused) => format!("refused {seed}"),
        Ok(Fate::Generated(lines)) => {
            format!("generated {seed} {lines} {}", time().saturating_sub(started).as_secs_f64())
        }
    };
    say(&told.replace('\n', " "))
}

fn say(line: &str) -> Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{line}").and_then(|()| output.flush()).context("nobody listens")
}

/// Makes sure that this program is built with optimisation and all checks, and tells where that build is.
pub fn build() -> Result<PathBuf> {
    let mut build = project::cargo(&[
        "build",
        "--profile",
        PROFILE,
        "--quiet",
        "--manifest-path",
        "xtask/trials/Cargo.toml",
    ])?;
    project::succeed(&mut build)?;
    let this = env::current_exe().context("this program can't be found")?;
    let folder = this.parent().and_then(Path::parent).context("this program is in no target folder")?;
    Ok(folder.join(PROFILE).join(this.file_name().unwrap_or_default()))
}
