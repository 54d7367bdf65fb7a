//! Why a command failed.

use crate::admin::AdminError;
use crate::apps::AppsError;
use crate::backup::BackupError;
use crate::config::{ConfigError, InvalidSetting};
use crate::files::FilesError;
use crate::import::ImportError;
use crate::store::{self, IdentityMismatch};

/// Why a command failed, as a message for the operator.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The settings are invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A backup can't be written or restored.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// A setting of the engines is invalid.
    #[error(transparent)]
    Setting(#[from] InvalidSetting),
    /// The workflow apps are invalid.
    #[error(transparent)]
    Apps(#[from] AppsError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// An import failed.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The file store failed.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// The database and the files belong to different installations.
    #[error(transparent)]
    IdentityMismatch(#[from] IdentityMismatch),
    /// A loop of `serve` has ended, by a bug.
    #[error("the background loop `{name}` has ended: {why}")]
    Background {
        /// The loop.
        name: &'static str,
        /// The cause.
        why: String,
    },
    /// The log has the error.
    #[error("the log says why")]
    Logged {
        /// Whether the command was refused.
        is_refused: bool,
    },
    /// The command was refused; the text is printed as is.
    #[error("{0}")]
    Refused(String),
    /// The reader of the command's output has closed it.
    #[error("nobody reads the output: stdout is closed")]
    Unread,
    /// An operation of the operating system failed.
    #[error("{what}: {source}")]
    Io {
        /// The failed operation; the message begins with it.
        what: String,
        /// The cause.
        source: std::io::Error,
    },
}

impl From<AdminError> for CommandError {
    fn from(error: AdminError) -> Self {
        match error {
            AdminError::Missing(why) | AdminError::Refused(why) => Self::Refused(why),
            AdminError::Store(error) => Self::Store(error),
            AdminError::Files(error) => Self::Files(error),
        }
    }
}

impl CommandError {
    /// Returns a converter from I/O errors; `what` begins the message.
    pub fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        |source| Self::Io { what, source }
    }

    pub(super) fn is_refused(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Logged { is_refused: true })
    }
}
