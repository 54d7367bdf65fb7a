//! Starts cargo from a program that cargo runs.

use std::{env, process::Command};

/// The variable that names a program to run instead of rustc, for the packages of a workspace.
pub const WRAPPER: &str = "RUSTC_WORKSPACE_WRAPPER";

/// Returns a cargo command without the variables that cargo sets for the running package, and without a wrapper of rustc.
///
/// Some build scripts, such as that of `ring`, read these variables. They would run again after each change between this
/// command and a cargo command from a terminal, and cargo would recompile all packages that depend on them.
#[must_use]
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in env::vars_os() {
        if is_of_a_package(&name.to_string_lossy()) {
            command.env_remove(name);
        }
    }
    command
}

/// Makes clippy the compiler of the workspace's packages, and refuses warnings.
///
/// A separate `cargo clippy` would check again what the command compiles.
pub fn compile_with_clippy(command: &mut Command) {
    // As `cargo clippy` does it. A script as the wrapper would lose variables whose names have hyphens, such as
    // `CARGO_BIN_EXE_asset-service`: shells drop them.
    command.env(WRAPPER, "clippy-driver");
    command.env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
}

fn is_of_a_package(name: &str) -> bool {
    name.starts_with("CARGO_MANIFEST_")
        || name.starts_with("CARGO_PKG_")
        || name == "OUT_DIR"
        || name == WRAPPER
}
