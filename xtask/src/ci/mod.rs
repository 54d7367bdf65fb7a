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

/// The end of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Ran(Outcome),
    /// It did not run, because this step failed.
    Blocked(&'static str),
}

/// A row of the table of steps.
struct Row {
    name: &'static str,
    end: End,
    time: Duration,
    processor: Duration,
}

/// Runs all steps, then prints the time of each and the failures.
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
    let table = run_all(&steps, |step| timed(step, &mut context));
    context.tally.failures().for_each(|line| println!("{line}"));
    show(&table);
    let unfinished: Vec<&str> = table
        .iter()
        .filter(|row| !matches!(row.end, End::Ran(Outcome::Done | Outcome::Skipped)))
        .map(|row| row.name)
        .collect();
    if !unfinished.is_empty() {
        eprintln!("to run the steps without success again: cargo xtask ci --only {}", unfinished.join(","));
    }
    println!("{}", context.tally);
    Ok(if unfinished.is_empty() { Outcome::Done } else { Outcome::Failed })
}

/// Runs all steps, so that one run reports all failures. A step waits for the steps that it needs, and does not run if one
/// failed.
fn run_all(steps: &[&'static Step], mut run: impl FnMut(&'static Step) -> Row) -> Vec<Row> {
    let mut table: Vec<Row> = Vec::new();
    for step in steps {
        let has_failed =
            |name: &&&str| table.iter().any(|row| row.name == **name && row.end == End::Ran(Outcome::Failed));
        let row = match step.needs.iter().find(has_failed) {
            Some(failed) => Row {
                name: step.name,
                end: End::Blocked(failed),
                time: Duration::ZERO,
                processor: Duration::ZERO,
            },
            None => run(step),
        };
        table.push(row);
    }
    table
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
fn timed(step: &'static Step, context: &mut Context) -> Row {
    eprintln!("\n== {}: {}", step.name, step.what);
    let (started, before) = (Instant::now(), processor::of_children().unwrap_or_default());
    let outcome = (step.run)(context).unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        Outcome::Failed
    });
    let processor = processor::of_children().unwrap_or_default().saturating_sub(before);
    Row { name: step.name, end: End::Ran(outcome), time: started.elapsed(), processor }
}

/// Prints the table of steps to stdout, so that the test results stay the last line.
fn show(table: &[Row]) {
    println!("\n{:<12} {:>9} {:>11}", "step", "time", "processor");
    let row = |name: &str, time: Duration, processor: Duration, note: &str| {
        println!("{name:<12} {:>7.0} s {:>9.0} s{note}", time.as_secs_f64(), processor.as_secs_f64());
    };
    for Row { name, end, time, processor } in table {
        let note = match end {
            End::Ran(Outcome::Done) => "",
            End::Ran(Outcome::Failed) => "  failed",
            End::Ran(Outcome::Skipped) => "  skipped: a program can't be installed, see above",
            End::Blocked(failed) => &format!("  did not run: it needs `{failed}`"),
        };
        row(name, *time, *processor, note);
    }
    row("total", table.iter().map(|row| row.time).sum(), table.iter().map(|row| row.processor).sum(), "");
    println!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_run_after_a_failure_unless_they_need_what_failed() {
        let steps: Vec<&Step> = STEPS.iter().collect();
        let table = run_all(&steps, |step| {
            let outcome =
                if ["spec", "build"].contains(&step.name) { Outcome::Failed } else { Outcome::Done };
            Row { name: step.name, end: End::Ran(outcome), time: Duration::ZERO, processor: Duration::ZERO }
        });
        assert_eq!(table.len(), STEPS.len());
        for (step, row) in STEPS.iter().zip(table) {
            let expected = match step.name {
                "spec" | "build" => End::Ran(Outcome::Failed),
                _ if step.needs.is_empty() => End::Ran(Outcome::Done),
                _ => End::Blocked("build"),
            };
            assert_eq!(row.end, expected, "{}", step.name);
        }
    }
}
