//! The cargo workspace of a program that uses generated crates.

use std::{
    fs,
    path::{Path, PathBuf},
};

pub use support::nested_cargo::write_if_new;
use support::nested_cargo::{DEPENDENCIES, write_dependencies};

use crate::Result;

/// Returns the root folder of the project.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// Writes the manifest and the lock file of a workspace, and the package [`DEPENDENCIES`].
///
/// # Errors
/// A file can't be written.
pub fn write(folder: &Path, members: impl IntoIterator<Item = String>) -> Result<()> {
    write_manifest(folder, members.into_iter().chain([DEPENDENCIES.to_owned()]))?;
    Ok(write_dependencies(&folder.join(DEPENDENCIES))?)
}

/// Writes the manifest and the lock file of a workspace.
///
/// # Errors
/// A file can't be written.
pub fn write_manifest(folder: &Path, members: impl IntoIterator<Item = String>) -> Result<()> {
    let members: Vec<String> = members.into_iter().collect();
    fs::create_dir_all(folder)?;
    write_if_new(
        &folder.join("Cargo.toml"),
        &format!("[workspace]\nresolver = \"3\"\nmembers = {members:?}\n"),
    )?;
    // The project's lock file, whose versions are already downloaded.
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    Ok(())
}

/// Compiles a package of a workspace.
///
/// # Errors
/// The package can't be compiled.
pub fn build(folder: &Path, target: &Path, package: &str) -> Result<()> {
    let mut command = support::nested_cargo::cargo();
    command.current_dir(folder).env("CARGO_TARGET_DIR", target);
    let status = command
        .args(["build", "--quiet", "--offline", "--package", package, "--package", DEPENDENCIES])
        .status()?;
    if !status.success() {
        return Err(format!("`{package}` in {} can't be compiled", folder.display()).into());
    }
    Ok(())
}

/// Removes the build output of packages whose names begin with a prefix, and keeps that of their dependencies.
///
/// # Errors
/// A file can't be removed.
pub fn sweep(target: &Path, prefix: &str) -> Result<()> {
    for folder in ["deps", ".fingerprint", "build", "incremental", "examples", ""] {
        let Ok(entries) = fs::read_dir(target.join("debug").join(folder)) else { continue };
        for entry in entries.flatten().filter(|entry| is_of(&entry.file_name().to_string_lossy(), prefix)) {
            let path = entry.path();
            if path.is_dir() { fs::remove_dir_all(&path)? } else { fs::remove_file(&path)? }
        }
    }
    Ok(())
}

/// Returns whether a file in a target folder belongs to a package: `agree-…` or `libagree_…`.
fn is_of(name: &str, prefix: &str) -> bool {
    name.strip_prefix("lib").unwrap_or(name).replace('_', "-").starts_with(prefix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_with_the_prefix_are_removed() {
        for name in ["libagree_pets_models-0f.rmeta", "agree-pets-client-0f", "agree_pets_client-0f.d"] {
            assert!(is_of(name, "agree-"), "{name}");
        }
        for name in ["libserde-0f.rmeta", "openapi-crates-runtime-0f", "libagreement-0f.rlib"] {
            assert!(!is_of(name, "agree-"), "{name}");
        }
    }
}
