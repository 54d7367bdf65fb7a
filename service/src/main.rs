//! `asset-service`: see `asset-service --help`.

use std::process::ExitCode;

use asset_service::cli;
use clap::Parser;

/// A third of what a small request takes is small allocations.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = cli::Arguments::parse();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            cli::out::aside(format_args!("error: threads can't be started: {error}"));
            return ExitCode::from(2);
        }
    };
    let code = runtime.block_on(cli::run(arguments));
    // An engine that is still at work was given up, and its task was given back.
    runtime.shutdown_background();
    code
}
