//! `asset-service`: see `asset-service --help`.

use std::process::ExitCode;

use asset_service::cli;
use clap::Parser;

#[tokio::main]
async fn main() -> ExitCode {
    cli::run(cli::Arguments::parse()).await
}
