//! Errors and warnings about the settings file, with their source locations.

use std::{
    fmt,
    path::{Path, PathBuf},
};

/// A problem in the settings file.
#[derive(Debug)]
pub struct ConfigDiagnostic {
    path: PathBuf,
    line: usize,
    column: usize,
    message: String,
}

/// The settings file has errors. Holds all of them.
#[derive(Debug)]
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

impl fmt::Display for ConfigDiagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, column, message } = self;
        write!(formatter, "{}:{line}:{column}: {message}", path.display())
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, diagnostic) in self.0.iter().enumerate() {
            let before = if place == 0 { "" } else { "\nerror: " };
            write!(formatter, "{before}{diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}

impl From<ConfigDiagnostic> for ConfigError {
    fn from(diagnostic: ConfigDiagnostic) -> Self {
        Self(vec![diagnostic])
    }
}

impl From<Vec<ConfigDiagnostic>> for ConfigError {
    fn from(diagnostics: Vec<ConfigDiagnostic>) -> Self {
        Self(diagnostics)
    }
}
