//! What the tasks of `xtask` and of `xtask-trials` share.

pub mod project;

use std::process::ExitCode;

use anyhow::Result;

/// How a task ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Done,
    /// There were findings or drift; they were told.
    Findings,
}

/// Reports an error. Returns 0 for done, 1 for findings or drift, 2 for usage or I/O.
pub fn exit_code(outcome: Result<Outcome>) -> ExitCode {
    match outcome {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
