//! Reads files of the working tree or of a git revision.

use std::{
    fs,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    process::Command,
};

use super::{Failure, input};

/// Where files are read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Files {
    /// The working tree.
    Disk,
    /// A git revision: a commit, a branch or a tag.
    Revision(String),
}

impl Files {
    /// Returns where a file named in an argument is, and its path there.
    ///
    /// `main:spec/api.yaml` is a file of the branch `main`, relative to the root of the repository, as git writes it. A
    /// path that exists is always a file of the working tree.
    pub fn named(argument: &Path) -> (Self, PathBuf) {
        let text = argument.to_string_lossy();
        match text.split_once(':') {
            // A single letter is a drive of Windows.
            Some((revision, path)) if revision.len() > 1 && !path.is_empty() && !argument.exists() => {
                (Self::Revision(revision.to_owned()), PathBuf::from(path))
            }
            _ => (Self::Disk, argument.to_owned()),
        }
    }

    /// Returns the path of a file for messages: `main:spec/api.yaml`.
    pub fn shown(&self, path: &Path) -> String {
        match self {
            Self::Disk => input::portable(path),
            Self::Revision(revision) => format!("{revision}:{}", input::portable(path)),
        }
    }

    /// Reads a file.
    pub fn read(&self, path: &Path) -> Result<String, Failure> {
        let failed = |source| Failure::Read { path: PathBuf::from(self.shown(path)), source };
        self.bytes(path).map(input::lossy).map_err(failed)
    }

    /// Reads a file if it exists.
    pub fn read_optional(&self, path: &Path) -> Result<Option<String>, Failure> {
        match self.bytes(path) {
            Ok(bytes) => Ok(Some(input::lossy(bytes))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Failure::Read { path: PathBuf::from(self.shown(path)), source }),
        }
    }

    fn bytes(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self {
            Self::Disk => fs::read(path),
            Self::Revision(revision) => show(revision, path),
        }
    }
}

/// Returns a file of a revision.
fn show(revision: &str, path: &Path) -> io::Result<Vec<u8>> {
    let object = format!("{revision}:{}", input::portable(path));
    let output = Command::new("git")
        .args(["show", "--end-of-options", &object])
        .output()
        .map_err(|error| io::Error::other(format!("git can't be run: {error}")))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let message = String::from_utf8_lossy(&output.stderr);
    let message = message.trim().trim_start_matches("fatal: ");
    // git says it in these words when the revision exists and has no such file.
    let kind = match message.contains("does not exist in") || message.contains("exists on disk, but not in") {
        true => ErrorKind::NotFound,
        false => ErrorKind::Other,
    };
    Err(io::Error::new(kind, message.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_are_written_as_git_writes_them() {
        for (argument, expected) in [
            ("main:spec/api.yaml", Some(("main", "spec/api.yaml"))),
            ("HEAD~2:./api.yaml", Some(("HEAD~2", "./api.yaml"))),
            ("C:\\api.yaml", None),
            ("api.yaml", None),
            ("main:", None),
            ("-", None),
        ] {
            let (files, path) = Files::named(Path::new(argument));
            let found = match &files {
                Files::Disk => None,
                Files::Revision(revision) => Some((revision.as_str(), path.to_str().unwrap_or_default())),
            };
            assert_eq!(found, expected, "{argument}");
        }
    }
}
