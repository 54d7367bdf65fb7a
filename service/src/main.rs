//! `asset-service`: see `asset-service --help`.

use std::process::ExitCode;

// A request makes many small allocations, on several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    asset_service::cli::main()
}
