//! `cargo xtask repeat`: the tests repeatedly under load, to find those that depend on speed or order.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    hint,
    path::Path,
    process::Command,
    thread::{self, available_parallelism},
    time::Instant,
};

use anyhow::Result;

use crate::{Outcome, files, project};

/// The examples in `--help`.
pub const EXAMPLES: &str = "\
Examples:
  cargo xtask repeat                                         all tests 20 times under a load of 8 busy threads
  cargo xtask repeat --times 5 -p asset-service -- fleet::   some tests of a package";

/// The folder for the output of the runs, relative to the project's root.
const FOLDER: &str = "target/repeat";

#[derive(clap::Args)]
pub struct Arguments {
    /// Run the tests this number of times
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    times: u32,
    /// Keep this number of threads busy meanwhile
    #[arg(long, value_name = "NUMBER", default_value_t = 8)]
    load: usize,
    /// Test this package, and the others that are named; without any, all packages
    #[arg(long = "package", short, value_name = "NAME")]
    packages: Vec<String>,
    /// Pass these arguments to the tests: a part of their names, or `--skip` and such a part
    #[arg(last = true)]
    rest: Vec<OsString>,
}

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    project::succeed(arguments.command()?.arg("--no-run"))?;
    let folder = project::root()?.join(FOLDER);
    files::create(&folder)?;
    for _ in 0..arguments.load {
        // The threads run until xtask ends.
        thread::spawn(|| -> () {
            loop {
                hint::spin_loop();
            }
        });
    }
    let mut passed = 0;
    for number in 1..=arguments.times {
        let log = folder.join(format!("run-{number}.log"));
        let begun = Instant::now();
        let failures = arguments.failures(&log)?;
        let seconds = begun.elapsed().as_secs();
        passed += u32::from(failures.is_none());
        let outcome = match failures {
            None => format!("passed in {seconds} s"),
            Some(names) if names.is_empty() => format!("the tests did not end (see {})", log.display()),
            Some(names) => {
                let names = Vec::from_iter(names).join(", ");
                format!("failed in {seconds} s: {names} (see {})", log.display())
            }
        };
        println!("run {number}: {outcome}");
    }
    println!("{passed} of {} runs passed", arguments.times);
    Ok(if passed == arguments.times { Outcome::Done } else { Outcome::Failed })
}

impl Arguments {
    /// Returns the test command without the arguments for the tests.
    fn command(&self) -> Result<Command> {
        let mut command = project::cargo(&["test", "--all-features", "--no-fail-fast"])?;
        match self.packages.as_slice() {
            [] => command.arg("--workspace"),
            packages => command.args(packages.iter().flat_map(|name| ["--package", name])),
        };
        Ok(command)
    }

    /// Runs the tests once; returns the names of those that failed, or `None` if all passed.
    fn failures(&self, log: &Path) -> Result<Option<BTreeSet<String>>> {
        let mut command = self.command()?;
        files::log_to(log, command.arg("--").args(&self.rest))?;
        // As in CI: tests of the service wait for servers and timers most of their time.
        let threads = available_parallelism().map_or(1, |processors| processors.get() * 3);
        command.env("RUST_TEST_THREADS", threads.to_string());
        if project::succeeds(&mut command)? {
            return Ok(None);
        }
        Ok(Some(failed(&files::read_lossy(log)?)))
    }
}

/// Returns the names of the tests that failed, from the output of test runners.
fn failed(output: &str) -> BTreeSet<String> {
    let names = output.lines().filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_tests_are_named() {
        let output = "running 3 tests\ntest a::b ... ok\ntest a::c ... FAILED\ntest d ... ignored\n\n\
                      failures:\n    a::c\n\ntest result: FAILED. 1 passed; 1 failed; 1 ignored\n";
        assert_eq!(failed(output), BTreeSet::from(["a::c".to_owned()]));
    }
}
