//! Errors and warnings about the settings file, with their source locations.

use std::path::{Path, PathBuf};

use super::did_you_mean;

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
    pub fn new(path: &Path, text: &str, offset: usize, message: String) -> Self {
        let before = text.get(..offset).unwrap_or_default();
        Self {
            path: path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.chars().rev().take_while(|c| *c != '\n').count() + 1,
            message,
        }
    }

    /// Returns the line and column, both from 1.
    pub fn position(&self) -> (usize, usize) {
        (self.line, self.column)
    }
}

impl ConfigError {
    /// Returns the error for a text that is not TOML, or that has other keys or values.
    pub fn invalid(path: &Path, text: &str, error: &toml::de::Error) -> Self {
        let message = error.message().replace("unknown variant `", "unknown value `");
        // The message names the key, then the known ones: "unknown field `omitt`, expected one of `name`, …".
        let unknown = message.strip_prefix("unknown field `").and_then(|rest| rest.split_once('`'));
        let help = unknown
            .map_or_else(String::new, |(key, known)| did_you_mean(key, known.split('`').skip(1).step_by(2)));
        let start = error.span().unwrap_or_default().start;
        Self(vec![ConfigDiagnostic::new(path, text, start, format!("{message}{help}"))])
    }
}

impl From<Vec<ConfigDiagnostic>> for ConfigError {
    fn from(diagnostics: Vec<ConfigDiagnostic>) -> Self {
        Self(diagnostics)
    }
}
