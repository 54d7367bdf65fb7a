//! Levels of diagnostics, and how strictly they are taken.

use std::fmt;

use super::Code;

/// The severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// No files are generated.
    Error,
    /// Something is doubtful, or can't be expressed in the generated code.
    Warning,
}

/// Which diagnostics count as errors. Every diagnostic is reported in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Strictness {
    /// Only fatal codes are errors ([`Code::is_fatal`]); all others are warnings.
    ///
    /// The message and the explanation of the code say which fallback is used. For documents that you can't
    /// change.
    Lenient,
    /// Violations of the OpenAPI specification are errors.
    ///
    /// For documents that you can fix.
    #[default]
    Standard,
    /// Every diagnostic is an error.
    Strict,
}

impl Strictness {
    /// Returns the level of a diagnostic under this strictness.
    ///
    /// `nature` is its level under [`Strictness::Standard`].
    #[must_use]
    pub fn level(self, code: Code, nature: Level) -> Level {
        match self {
            _ if code.is_fatal() => Level::Error,
            Self::Lenient => Level::Warning,
            Self::Standard => nature,
            Self::Strict => Level::Error,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}
