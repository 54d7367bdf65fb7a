//! The command line `openapi-crates`. See `openapi-crates --help`.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
