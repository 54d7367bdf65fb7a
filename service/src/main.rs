//! `asset-service`: see `asset-service --help`.

use std::process::ExitCode;

// Small allocations take a third of the time of a small request (docs/performance.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    asset_service::cli::main()
}
