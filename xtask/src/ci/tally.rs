//! Runs tests, shows their output, and counts their results.

use std::{
    fmt,
    io::{BufRead, BufReader, Write, stdout},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result};

use crate::Outcome;

/// The maximum number of lines of a failed test that are shown again.
const SHOWN: usize = 40;

/// The number of tests that passed, failed, and were ignored, and the output of those that failed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tally {
    passed: u64,
    failed: u64,
    ignored: u64,
    /// The output of each failed test, with its name in the first line.
    failures: Vec<Vec<String>>,
    is_in_failure: bool,
}

impl Tally {
    /// Runs a test command, passes its output on, and adds its results.
    ///
    /// # Errors
    /// The command can't be run.
    pub fn run(&mut self, command: &mut Command) -> Result<Outcome> {
        let program = command.get_program().to_owned();
        let failed = || format!("{} can't be run", program.display());
        let mut child = command.stdout(Stdio::piped()).spawn().with_context(failed)?;
        let output = child.stdout.take().context("a test command has no stdout")?;
        for line in BufReader::new(output).lines() {
            let line = line.with_context(failed)?;
            writeln!(stdout(), "{line}")?;
            self.add(&line);
        }
        let status = child.wait().with_context(failed)?;
        Ok(if status.success() { Outcome::Done } else { Outcome::Failed })
    }

    /// Returns the number of tests that passed or failed.
    pub fn ran(&self) -> u64 {
        self.passed + self.failed
    }

    /// Returns the lines of the failed tests' outputs, which are far above the end of a long run.
    pub fn failures(&self) -> impl Iterator<Item = &str> {
        self.failures.iter().flatten().map(String::as_str)
    }

    /// Adds a line of cargo's test runner.
    fn add(&mut self, line: &str) {
        self.add_output(line);
        self.add_result(line);
    }

    /// Adds a line to the output of a failed test: `---- NAME stdout ----`, its lines, and `failures:` after the last test.
    fn add_output(&mut self, line: &str) {
        if line.starts_with("---- ") && line.ends_with(" ----") {
            self.failures.push(Vec::new());
            self.is_in_failure = true;
        } else if line == "failures:" {
            self.is_in_failure = false;
        }
        if let Some(output) = self.failures.last_mut().filter(|output| output.len() < SHOWN)
            && self.is_in_failure
        {
            output.push(line.to_owned());
        }
    }

    /// Adds a closing line: `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
    fn add_result(&mut self, line: &str) {
        let Some((_, counts)) = line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        for count in counts.split("; ") {
            let Some((number, what)) = count.split_once(' ') else { continue };
            let number = number.parse().unwrap_or(0);
            match what {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }
}

/// The closing line of a test runner.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.ignored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_add_up() {
        let mut tally = Tally::default();
        for line in [
            "running 4 tests",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.10s",
            "test result: FAILED. 10 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1s",
        ] {
            tally.add(line);
        }
        assert_eq!(tally.to_string(), "13 passed, 2 failed, 1 skipped");
    }

    #[test]
    fn failures_are_kept() {
        let mut tally = Tally::default();
        let output = "test a ... FAILED\nfailures:\n---- a stdout ----\npanicked at a\n---- b stdout ----\n";
        output.lines().for_each(|line| tally.add(line));
        (0..100).for_each(|_| tally.add("long"));
        "failures:\n    a\n    b\ntest c ... ok".lines().for_each(|line| tally.add(line));
        let shown: Vec<&str> = tally.failures().collect();
        assert_eq!(shown[..4], ["---- a stdout ----", "panicked at a", "---- b stdout ----", "long"]);
        assert_eq!(shown.len(), 2 + SHOWN);
    }
}
