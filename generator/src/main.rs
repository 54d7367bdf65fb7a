//! The command line of `openapi-crates`; `openapi-crates --help` tells what it does.

mod cli;

use std::process::ExitCode;

use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    cli::main()
}
