//! The cargo workspace for the crates of some documents.

use std::{fs, path::Path};

use anyhow::{Context, Result};

use super::find::MARK;
use crate::project;

/// Writes the manifest and lock file of a workspace into `crates`.
pub fn write(crates: &Path, prefixes: &[&str]) -> Result<()> {
    let members: Vec<String> = prefixes.iter().map(|prefix| format!("\"{prefix}/*\"")).collect();
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{}]\n\n[profile.dev]\ndebug = false\n",
        members.join(", ")
    );
    let path = crates.join("Cargo.toml");
    fs::write(&path, manifest).with_context(|| format!("cannot write {}", path.display()))?;
    // The project's lock file, whose versions are already downloaded.
    let lock = project::root()?.join("Cargo.lock");
    fs::copy(&lock, crates.join("Cargo.lock")).with_context(|| format!("cannot copy {}", lock.display()))?;
    Ok(())
}

/// Removes the build output of documents, and keeps that of their dependencies.
pub fn sweep(target: &Path) -> Result<()> {
    for folder in ["deps", ".fingerprint", "build", "incremental", "examples", ""] {
        let folder = target.join("debug").join(folder);
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten().filter(|entry| is_of_document(&entry.file_name().to_string_lossy())) {
            let path = entry.path();
            let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

/// Returns whether a file in a target folder belongs to the crate of a document.
///
/// These are `corpus-…` and `libcorpus_…`.
fn is_of_document(name: &str) -> bool {
    let name = name.strip_prefix("lib").unwrap_or(name);
    name.replace('_', "-").starts_with(MARK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_with_the_prefix_are_removed() {
        for name in ["libcorpus_pets_models-0f.rmeta", "corpus-pets-client-0f", "corpus_pets_client-0f.d"] {
            assert!(is_of_document(name), "{name}");
        }
        for name in ["libserde-0f.rmeta", "openapi-crates-runtime-0f", "libcorpusculum-0f.rlib"] {
            assert!(!is_of_document(name), "{name}");
        }
    }
}
