//! Code that the tasks of `xtask` and of `xtask-trials` share.

pub mod files;
pub mod processor;
pub mod project;
pub mod rival;

use std::process::ExitCode;

use anyhow::Result;

/// The result of a task that ran to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Done,
    /// A check failed and was reported.
    Failed,
    /// A step of CI did not run, because a program that it needs can't be installed.
    Skipped,
}

/// Prints an error and returns the exit code: 0 success, 1 a check failed, 2 wrong usage or I/O.
pub fn exit_code(outcome: Result<Outcome>) -> ExitCode {
    match outcome {
        Ok(Outcome::Done | Outcome::Skipped) => ExitCode::SUCCESS,
        Ok(Outcome::Failed) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
