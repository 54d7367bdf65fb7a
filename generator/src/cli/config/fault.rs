//! Errors and warnings about the settings file, with their source locations.

use std::{
    fmt,
    path::{Path, PathBuf},
};

/// A problem in the settings file.
#[derive(Debug)]
pub struct Fault {
    path: PathBuf,
    line: usize,
    column: usize,
    message: String,
}

/// The settings file has errors. Holds all of them.
#[derive(Debug)]
pub struct ConfigError(Vec<Fault>);

impl Fault {
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

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, column, message } = self;
        write!(formatter, "{}:{line}:{column}: {message}", path.display())
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, fault) in self.0.iter().enumerate() {
            let before = if place == 0 { "" } else { "\nerror: " };
            write!(formatter, "{before}{fault}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}

impl From<Fault> for ConfigError {
    fn from(fault: Fault) -> Self {
        Self(vec![fault])
    }
}

impl From<Vec<Fault>> for ConfigError {
    fn from(faults: Vec<Fault>) -> Self {
        Self(faults)
    }
}
