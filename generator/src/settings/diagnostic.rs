//! Errors and warnings about the settings file, with their source locations.

use std::path::{Path, PathBuf};

/// A problem in the settings file.
#[derive(Debug, thiserror::Error)]
#[error("{}:{line}:{column}: {message}", path.display())]
pub struct ConfigDiagnostic {
    path: PathBuf,
    line: usize,
    column: usize,
    message: String,
}

/// The settings file has errors. Holds all of them.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\nerror: "))]
pub struct ConfigError(Vec<ConfigDiagnostic>);

impl ConfigDiagnostic {
    /// Creates a problem at this byte offset of the text.
    pub fn new(path: &Path, text: &str, place: usize, message: String) -> Self {
        let before = text.get(..place).unwrap_or_default();
        Self {
            path: path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.chars().rev().take_while(|c| *c != '\n').count() + 1,
            message,
        }
    }

    /// Returns the line and column, both from 1.
    pub fn place(&self) -> (usize, usize) {
        (self.line, self.column)
    }
}

impl From<Vec<ConfigDiagnostic>> for ConfigError {
    fn from(diagnostics: Vec<ConfigDiagnostic>) -> Self {
        Self(diagnostics)
    }
}
