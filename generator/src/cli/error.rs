//! Why a command can't be done at all.

use std::{io, path::PathBuf};

use openapi_crates::{FileError, RenderError};

use super::config::ConfigError;

/// Why a command can't be done.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The arguments don't make sense together.
    #[error("{0}")]
    Usage(String),
    #[error("`{}` can't be read: {source}.", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("The document can't be read from standard input: {0}.")]
    StandardInput(io::Error),
    #[error(
        "`{}` is not empty and holds nothing that this command wrote, so nothing was written. Give another folder, or \
         empty this one.",
        .0.display()
    )]
    ForeignFolder(PathBuf),
    #[error(
        "These files were not generated (their first line does not say so), so nothing was written. Move or delete \
         them:\n{0}"
    )]
    HandWritten(String),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Files(#[from] FileError),
    #[error(transparent)]
    Render(#[from] RenderError),
}
