//! Writes a value as the text of a document, JSON or YAML.

mod yaml;

use serde_json::Value as Json;

use super::{Source, read::is_json};

/// The format of a document's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DocumentFormat {
    /// JSON, indented by two spaces.
    Json,
    /// YAML, with an indentation of two spaces.
    Yaml,
}

impl DocumentFormat {
    /// Returns the format of a text, as the reader of documents decides it.
    pub(crate) fn of(source: &Source) -> Self {
        if is_json(source) { Self::Json } else { Self::Yaml }
    }

    /// Writes a value.
    pub(crate) fn write(self, value: &Json) -> String {
        match self {
            Self::Json => format!("{value:#}\n"),
            Self::Yaml => yaml::write(value),
        }
    }
}

#[cfg(test)]
mod tests;
