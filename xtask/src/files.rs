//! Files and folders. Errors name the path.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

fn named<T>(result: io::Result<T>, what: &str, path: &Path) -> Result<T> {
    result.with_context(|| format!("cannot {what} {}", path.display()))
}

/// Reads a text.
pub fn read(path: &Path) -> Result<String> {
    named(fs::read_to_string(path), "read", path)
}

/// Reads a text that may not be UTF-8.
pub fn read_lossy(path: &Path) -> Result<String> {
    Ok(String::from_utf8_lossy(&named(fs::read(path), "read", path)?).into_owned())
}

/// Writes a file, and creates its folder if necessary.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    path.parent().map_or(Ok(()), create)?;
    named(fs::write(path, content), "write", path)
}

/// Makes a command write its output to a new file.
pub fn log_to<'c>(path: &Path, command: &'c mut Command) -> Result<&'c mut Command> {
    let log = named(File::create(path), "write", path)?;
    let stdout = named(log.try_clone(), "write", path)?;
    Ok(command.stdout(stdout).stderr(log))
}

/// Copies a file, and creates the folder of the copy if necessary.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    to.parent().map_or(Ok(()), create)?;
    named(fs::copy(from, to).map(drop), "copy", from)
}

/// Creates a folder and those around it, unless they exist.
pub fn create(folder: &Path) -> Result<()> {
    named(fs::create_dir_all(folder), "create", folder)
}

/// Removes a file or a folder with all that is in it, if it exists.
pub fn remove(path: &Path) -> Result<()> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => named(removed, "remove", path),
    }
}

/// Creates an empty folder in place of one that may exist.
pub fn recreate(folder: &Path) -> Result<()> {
    remove(folder)?;
    create(folder)
}

/// Returns the paths of what is in a folder, sorted.
pub fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = named(fs::read_dir(folder), "list", folder)?;
    let mut paths =
        named(entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>(), "list", folder)?;
    paths.sort();
    Ok(paths)
}

/// Returns the paths of all files below a folder, sorted. Linked folders are skipped, because they may lead upwards.
pub fn below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in list(folder)? {
        if !path.is_dir() {
            files.push(path);
        } else if !path.is_symlink() {
            files.extend(below(&path)?);
        }
    }
    Ok(files)
}
