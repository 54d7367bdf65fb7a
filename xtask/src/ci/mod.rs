//! `cargo xtask ci`: the steps of CI, all of them, some of them, or those that a change can affect.

mod changes;
pub mod compiler;
mod steps;
mod tally;

use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::{Outcome, processor};
use changes::Changes;
use steps::{STEPS, Step};
use tally::Tally;

/// Examples for `--help`.
pub const EXAMPLES: &str = "\
Examples:
  cargo xtask ci                        everything, as CI runs it
  cargo xtask ci --list                 the steps and what each one checks
  cargo xtask ci --only build,tests     two steps
  cargo xtask ci --changed              the steps and packages that your changes since `main` can affect
  cargo xtask ci --changed HEAD~1       the same, since another revision";

/// Arguments of `cargo xtask ci`.
#[derive(clap::Args)]
pub struct Arguments {
    /// List the steps that would run, and exit
    #[arg(long)]
    list: bool,
    /// Run only these steps, separated by commas
    #[arg(long, value_name = "STEP", value_delimiter = ',')]
    only: Vec<String>,
    /// Leave out these steps, separated by commas
    #[arg(long, value_name = "STEP", value_delimiter = ',')]
    skip: Vec<String>,
    /// Run what a change since this revision can affect: commits, edits, and new files
    #[arg(long, value_name = "REVISION", num_args = 0..=1, default_missing_value = "main")]
    changed: Option<String>,
}

/// The state that the steps share.
pub struct Context {
    /// The packages to check and test; `None` stands for all of them.
    packages: Option<Vec<String>>,
    /// The tests that ran.
    tally: Tally,
}

impl Context {
    /// Returns cargo's arguments that select the packages.
    fn selection(&self) -> Vec<&str> {
        match &self.packages {
            None => vec!["--workspace"],
            Some(packages) => packages.iter().flat_map(|name| ["--package", name]).collect(),
        }
    }

    /// Returns the selection if it contains this package. Otherwise, selects the package alone.
    ///
    /// A step needs the package, but a change can affect the step without the package.
    fn selection_with(&self, package: &'static str) -> Vec<&str> {
        let is_selected = |packages: &Vec<String>| packages.iter().any(|name| name == package);
        if self.packages.as_ref().is_none_or(is_selected) {
            self.selection()
        } else {
            vec!["--package", package]
        }
    }
}

/// A step that ran.
struct Ran {
    name: &'static str,
    outcome: Outcome,
    time: Duration,
    processor: Duration,
}

/// Runs the steps until one fails, then prints the time of each.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let changes = arguments.changed.as_deref().map(Changes::since).transpose()?;
    let steps = selected(arguments, changes.as_ref())?;
    if arguments.list {
        for step in steps {
            println!("{:<12} {}", step.name, step.what);
        }
        return Ok(Outcome::Done);
    }
    let mut context =
        Context { packages: changes.and_then(|changes| changes.packages), tally: Tally::default() };
    if let Some(packages) = &context.packages {
        eprintln!(
            "affected packages: {}",
            if packages.is_empty() { "none".into() } else { packages.join(", ") }
        );
    }
    let mut table = Vec::new();
    for step in steps {
        let ran = timed(step, &mut context);
        let outcome = ran.outcome;
        table.push(ran);
        if outcome == Outcome::Failed {
            break;
        }
    }
    show(&table);
    let failed = table.iter().find(|ran| ran.outcome == Outcome::Failed);
    if let Some(ran) = failed {
        eprintln!("the step `{0}` failed; to run it again: cargo xtask ci --only {0}", ran.name);
    }
    println!("{}", context.tally);
    Ok(failed.map_or(Outcome::Done, |ran| ran.outcome))
}

/// Returns the steps that the arguments name, in the order of [`STEPS`].
fn selected(arguments: &Arguments, changes: Option<&Changes>) -> Result<Vec<&'static Step>> {
    let known: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
    for name in arguments.only.iter().chain(&arguments.skip) {
        if !known.contains(&name.as_str()) {
            bail!("unknown step `{name}`; known steps: {}", known.join(", "));
        }
    }
    let is_selected = |step: &&Step| {
        let named = |names: &[String]| names.iter().any(|name| name == step.name);
        (arguments.only.is_empty() || named(&arguments.only))
            && !named(&arguments.skip)
            && changes.is_none_or(|changes| step.concerns(changes))
    };
    Ok(STEPS.iter().filter(is_selected).collect())
}

/// Runs a step. An error that stops it is a failure, so that the table is printed.
fn timed(step: &'static Step, context: &mut Context) -> Ran {
    eprintln!("\n== {}: {}", step.name, step.what);
    let (started, before) = (Instant::now(), processor::of_children().unwrap_or_default());
    let outcome = (step.run)(context).unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        Outcome::Failed
    });
    let processor = processor::of_children().unwrap_or_default().saturating_sub(before);
    Ran { name: step.name, outcome, time: started.elapsed(), processor }
}

/// Prints the table of steps to stdout, so that the test results stay the last line.
fn show(table: &[Ran]) {
    println!("\n{:<12} {:>9} {:>11}", "step", "time", "processor");
    let row = |name: &str, time: Duration, processor: Duration, note: &str| {
        println!("{name:<12} {:>7.0} s {:>9.0} s{note}", time.as_secs_f64(), processor.as_secs_f64());
    };
    for ran in table {
        let note = match ran.outcome {
            Outcome::Done => "",
            Outcome::Failed => "  failed",
            Outcome::Skipped => "  skipped: a program can't be installed, see above",
        };
        row(ran.name, ran.time, ran.processor, note);
    }
    row("total", table.iter().map(|ran| ran.time).sum(), table.iter().map(|ran| ran.processor).sum(), "");
    println!();
}
