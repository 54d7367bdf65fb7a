//! The command line: reads arguments and files, calls the library, writes the result.
//!
//! Exit codes: 0 success, 1 errors in the document or files out of date, 2 wrong usage or an I/O error.

mod against;
mod config;
mod diagnostics;
mod diff;
mod error;
mod explain;
mod generate;
mod input;
mod lint;
mod outline;
mod output;
mod paths;
mod progress;
mod reading;
mod revision;
mod runtime;
mod upgrade;

use std::{
    fmt,
    io::{self, Write},
    process::ExitCode,
};

use clap::{Parser, Subcommand};
use openapi_crates::internals::{escape_lines, named};

use error::Failure;

/// Turn an OpenAPI document into Rust crates: models, validation, server, client
///
/// Reads OpenAPI 3.0, 3.1 and 3.2, and Swagger 2.0, as JSON or YAML, and writes a Cargo workspace that compiles without changes:
/// typed models, the document's constraints as validation tables, a server with one trait per tag, and a
/// client.
#[derive(Debug, Parser)]
#[command(name = "openapi-crates", version, max_term_width = 100, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  openapi-crates generate petstore.yaml --out petstore --name petstore
  cargo check --manifest-path petstore/Cargo.toml

  curl -s https://api.example.com/openapi.json | openapi-crates generate - --out api --name acme
  openapi-crates lint petstore.yaml
  openapi-crates outline petstore.yaml
  openapi-crates diff --against main petstore.yaml
  openapi-crates upgrade swagger.json --output openapi.json
  openapi-crates explain unknown-ref

Exit codes: 0 success; 1 errors in the document, or generated files out of date; 2 wrong usage, or a file that can't be
read or written.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Generate the crates of a document
    Generate(generate::Arguments),
    /// Report the errors and warnings of a document, and write nothing
    Lint(lint::Arguments),
    /// Print what the crates of a document have, a line for each operation, type and rule
    Outline(outline::Arguments),
    /// Compare two versions of a document: what changed, and whom it breaks
    Diff(diff::Arguments),
    /// Write a Swagger 2.0 document as OpenAPI 3.1
    Upgrade(upgrade::Arguments),
    /// Explain a diagnostic code or a rule of `diff`; without a code, list all codes
    Explain(explain::Arguments),
}

/// The result of a command that ran to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    /// There were errors, or files out of date. They have been printed.
    Failed,
}

pub fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Generate(arguments) => generate::run(&arguments),
        Command::Lint(arguments) => lint::run(&arguments),
        Command::Outline(arguments) => outline::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Upgrade(arguments) => upgrade::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
    };
    match outcome {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Failed) => ExitCode::from(1),
        Err(failure) => {
            print_stderr(format_args!("error: {failure}"));
            ExitCode::from(2)
        }
    }
}

/// Writes a line to standard output, without characters that control a terminal.
///
/// Ignores errors: the reader may have closed the pipe.
fn print_stdout(line: impl fmt::Display) {
    let _ = writeln!(io::stdout(), "{}", escape_lines(&line.to_string()));
}

/// Writes a line to standard error, like [`print_stdout`].
fn print_stderr(line: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{}", escape_lines(&line.to_string()));
}

/// Formats a number with its noun: `1 file`, `1,234 files`.
fn count(number: usize, word: &str) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    format!("{} {word}{}", groups.join(","), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        <Arguments as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn counts() {
        assert_eq!(count(1, "file"), "1 file");
        assert_eq!(count(1_234_567, "line"), "1,234,567 lines");
        assert_eq!(count(0, "warning"), "0 warnings");
    }
}
