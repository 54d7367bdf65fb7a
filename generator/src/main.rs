//! The command line of `openapi-crates`; `openapi-crates --help` tells what it does.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
