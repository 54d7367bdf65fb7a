//! The errors of the command line. They end the process with exit code 2.

use std::{io, path::PathBuf};

use openapi_crates::{
    FileError, RenderError,
    internals::{CompareError, ReportingError},
};

use super::config::ConfigError;

/// The reason why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The arguments or settings are missing, invalid or contradictory.
    #[error("{0}")]
    Usage(String),
    #[error("cannot read `{}`: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write `{}`: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot read the document from standard input: {0}")]
    StandardInput(io::Error),
    #[error(
        "`{}` is not empty and contains no generated files, so nothing was written; choose another folder, or empty \
         this one",
        .0.display()
    )]
    ForeignFolder(PathBuf),
    #[error(
        "nothing was written, because these files would be overwritten but were not generated (no `@generated` in the \
         first line); move or delete them:\n{0}"
    )]
    HandWritten(String),
    #[error(transparent)]
    Compare(#[from] CompareError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Files(#[from] FileError),
    #[error(transparent)]
    Reporting(#[from] ReportingError),
    #[error(transparent)]
    Render(#[from] RenderError),
}
