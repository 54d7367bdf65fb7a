//! Runs tests, shows their output, and counts their results.

use std::{
    fmt,
    io::{BufRead, BufReader, Write, stdout},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result};

use crate::Outcome;

/// The number of tests that passed, failed, and were ignored.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tally {
    passed: u64,
    failed: u64,
    ignored: u64,
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

    /// Adds a closing line of cargo's test runner: `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
    fn add(&mut self, line: &str) {
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
}
