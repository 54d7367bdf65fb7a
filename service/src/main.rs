//! `asset-service`: see `asset-service --help`.

use std::process::ExitCode;

/// A third of what a small request takes is small allocations.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    asset_service::cli::main()
}
