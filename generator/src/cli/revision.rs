//! Reads files of the working tree or of a git revision.

use std::{
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    process::{Command, Output},
};

use openapi_crates::internals::{escape_line, read_file};

use super::{Failure, input, paths};

/// Where files are read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Files {
    /// The working tree.
    Disk,
    /// A git revision: a commit, a branch or a tag. Paths are relative to the root of the repository.
    Revision(String),
    /// A git revision. Paths are relative to the current folder, as those of the working tree.
    RevisionHere(String),
}

impl Files {
    /// Returns where a file named in an argument is, and its path there.
    ///
    /// `main:spec/api.yaml` is a file of the branch `main`, relative to the root of the repository, as git writes it. A
    /// path that exists is always a file of the working tree.
    ///
    /// # Errors
    /// The repository has no such revision.
    pub fn named(argument: &Path) -> Result<(Self, PathBuf), Failure> {
        match named_revision(argument).filter(|_| !argument.exists()) {
            Some((revision, path)) if path.starts_with('.') => Self::against(&revision, Path::new(&path)),
            Some((revision, path)) => {
                check(&revision)?;
                Ok((Self::Revision(revision), PathBuf::from(path)))
            }
            None => Ok((Self::Disk, argument.to_owned())),
        }
    }

    /// Returns where the file of the working tree was in a revision, and its path there.
    ///
    /// # Errors
    /// The repository has no such revision.
    pub fn against(revision: &str, path: &Path) -> Result<(Self, PathBuf), Failure> {
        check(revision)?;
        let here = paths::absolute(Path::new(""))?;
        let path = paths::relative(&paths::absolute(path)?, &here);
        Ok((Self::RevisionHere(revision.to_owned()), PathBuf::from(path)))
    }

    /// Returns the path of a file for messages: `main:spec/api.yaml`.
    pub fn shown(&self, path: &Path) -> String {
        let path = input::portable(path);
        let shown = match self {
            Self::Disk => path,
            Self::Revision(revision) | Self::RevisionHere(revision) => format!("{revision}:{path}"),
        };
        escape_line(&shown).into_owned()
    }

    pub fn read(&self, path: &Path) -> Result<String, Failure> {
        let failed = |source| Failure::Read { path: PathBuf::from(self.shown(path)), source };
        self.bytes(path).map(input::lossy).map_err(failed)
    }

    pub fn read_optional(&self, path: &Path) -> Result<Option<String>, Failure> {
        match self.bytes(path) {
            Ok(bytes) => Ok(Some(input::lossy(bytes))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Failure::Read { path: PathBuf::from(self.shown(path)), source }),
        }
    }

    fn bytes(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self {
            Self::Disk => read_file(path),
            // git resolves `..` only in paths that begin with a dot.
            Self::Revision(revision) => show(revision, &paths::lexical(path)),
            Self::RevisionHere(revision) => show(revision, &Path::new(".").join(path)),
        }
    }
}

/// Splits `main:spec/api.yaml` into a revision and a path.
fn named_revision(argument: &Path) -> Option<(String, String)> {
    let text = argument.to_string_lossy();
    let (revision, path) = text.split_once(':')?;
    // A single letter is a drive of Windows.
    (revision.len() > 1 && !path.is_empty()).then(|| (revision.to_owned(), path.to_owned()))
}

/// Fails if the repository has no such revision.
fn check(revision: &str) -> Result<(), Failure> {
    let commit = format!("{revision}^{{commit}}");
    let output = git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]);
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            let message = message.strip_prefix("fatal: ").map_or_else(
                || {
                    format!(
                        "this repository has no revision `{revision}`; if it is on the remote, fetch it: \
                         git fetch --depth 1 origin {revision}"
                    )
                },
                |message| format!("revision `{revision}`: {message}"),
            );
            Err(Failure::Usage(message))
        }
        Err(error) => Err(Failure::Usage(error.to_string())),
    }
}

/// Runs git, whose messages are in English.
fn git(arguments: &[&str]) -> io::Result<Output> {
    let output = Command::new("git").args(arguments).env("LC_ALL", "C").output();
    output.map_err(|error| io::Error::other(format!("git can't be run: {error}")))
}

fn show(revision: &str, path: &Path) -> io::Result<Vec<u8>> {
    let object = format!("{revision}:{}", input::portable(path));
    let output = git(&["show", "--end-of-options", &object])?;
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
            let found = named_revision(Path::new(argument));
            let found = found.as_ref().map(|(revision, path)| (revision.as_str(), path.as_str()));
            assert_eq!(found, expected, "{argument}");
        }
    }
}
