//! `cargo xtask suite`: sends the JSON Schema test suite to generated servers.

use std::{path::Path, process::Command};

use anyhow::Result;

use crate::{
    Outcome, project,
    python::{self, Source},
    rival,
};

/// Examples, shown below the help.
pub const EXAMPLES: &str = "\
Examples:
  cargo xtask suite             compare the verdicts with the accepted ones
  cargo xtask suite --accept    accept the current verdicts; review the file with git diff, then commit it
  cargo xtask suite --rival     also print the verdicts of a server that openapi-to-rust generates";

/// The package that runs the suite.
pub const PACKAGE: &str = "openapi-crates-suite";

/// The test that runs the suite. Without the suite's folder, it does nothing.
pub const TEST: &str = "verdicts_are_the_accepted_ones";

/// The source archive that contains the suite.
const ARCHIVE: Source = Source {
    name: "jsonschema",
    version: "4.26.0",
    sha256: "0c26707e2efad8aa1bfc5b7ce170f3fccc2e4918ff85989ba9ffa9facb2be326",
};

/// The folder of the suite in the archive.
const FOLDER: &str = "json";

#[derive(clap::Args)]
pub struct Arguments {
    /// Write the current result to tests/suite/wrong.txt
    #[arg(long)]
    accept: bool,
    /// Also send the instances to a server that openapi-to-rust generates
    ///
    /// Installs that generator in target/rivals, which takes minutes in the first run.
    #[arg(long)]
    rival: bool,
}

/// Runs the suite.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let mut command = command(&["--package", PACKAGE], &ARCHIVE.unpack()?)?;
    if arguments.accept {
        command.env("JSON_SCHEMA_SUITE_ACCEPT", "1");
    }
    if arguments.rival {
        command.env("JSON_SCHEMA_SUITE_RIVAL", rival::install()?);
    }
    if !project::succeeds(&mut command)? {
        return Ok(Outcome::Failed);
    }
    if arguments.accept {
        println!("the result is accepted; to review it: git diff tests/suite");
    }
    Ok(Outcome::Done)
}

/// Returns the command for a step of CI, with cargo's arguments that select the packages.
///
/// Returns `None` if the suite can't be installed. With `CI=true`, that is an error.
pub fn command_for_ci(selection: &[&str]) -> Result<Option<Command>> {
    let unpacked = python::for_ci(ARCHIVE.unpack())?;
    unpacked.map(|archive| command(selection, &archive)).transpose()
}

fn command(selection: &[&str], archive: &Path) -> Result<Command> {
    let features = ["--all-features", "--test", "suite", TEST, "--", "--nocapture"];
    let mut command = project::cargo(&[&["test"], selection, &features].concat())?;
    command.env("JSON_SCHEMA_SUITE", archive.join(FOLDER)).env("RUST_BACKTRACE", "0");
    Ok(command)
}
