//! The command line: reads arguments and files, calls the library, writes what it gives.
//!
//! Exit codes: 0 done, 1 findings or drift, 2 wrong usage or a file that can't be read or written.

mod config;
mod error;
mod explain;
mod findings;
mod generate;
mod input;
mod lint;
mod output;
mod paths;
mod progress;
mod runtime;
mod workspace;

use std::{
    fmt,
    io::{self, Write},
    process::ExitCode,
};

use clap::{Parser, Subcommand};

use error::Failure;

/// Any OpenAPI document becomes Rust crates: models, validation, server, client
///
/// Reads OpenAPI 3.0 and 3.1, as JSON or YAML, and writes a workspace that compiles as it is: typed models without
/// serde's compile time, the document's rules as tables, a server that is a trait per tag, and a client.
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
  openapi-crates explain unknown-ref

Exit codes: 0 done, 1 findings or drift, 2 wrong usage or a file that can't be read or written.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Write the crates of a document
    Generate(generate::Arguments),
    /// Tell what is wrong or doubtful in a document, and write nothing
    Lint(lint::Arguments),
    /// Tell what the code of a finding means; without a code, list them
    Explain(explain::Arguments),
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    /// There were findings or drift; they were told.
    Findings,
}

/// Runs the command line.
pub fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Generate(arguments) => generate::run(&arguments),
        Command::Lint(arguments) => lint::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
    };
    match outcome {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        Err(failure) => {
            tell(format_args!("error: {failure}"));
            ExitCode::from(2)
        }
    }
}

/// Writes a line to standard output. A reader that has gone away is no reason to fail.
fn say(line: impl fmt::Display) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// Writes a line to standard error.
fn tell(line: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// `1 file`, `1,234 files`.
fn count(number: usize, word: &str) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{grouped} {word}{}", if number == 1 { "" } else { "s" })
}

/// `; did you mean `x`?`, if one of the names is near enough.
fn did_you_mean<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    openapi_crates::diagnostics::nearest(name, names)
        .map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
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
