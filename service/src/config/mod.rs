//! Reads settings from TOML, checks them, and reports errors. Each module declares its own settings.

mod locate;
mod messages;
mod read;

use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use url::{Host, Url};

pub use locate::position;
pub(crate) use messages::{ADDRESS, no_such, unknown};
pub use read::{address, as_days, as_seconds, days, parse, read, seconds};

/// The default name of the settings file, in the data folder.
pub const FILE: &str = "asset-service.toml";

/// Why settings can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file can't be read.
    #[error("can't read the settings file {}: {source}", path.display())]
    Read {
        /// The settings file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The file is not TOML, or a value has a wrong type, is out of range or malformed, or names what does not exist.
    #[error("{location}: {why}")]
    Invalid {
        /// The settings file, with the line and the column of the setting if the file has it.
        location: String,
        /// The problem. It never shows the value of a setting that may hold a key.
        why: String,
    },
}

impl ConfigError {
    /// Returns the error of a setting of a file with this text.
    #[must_use]
    pub fn invalid(path: &Path, text: &str, setting: &str, why: &impl ToString) -> Self {
        Self::at(path, position(text, setting), why)
    }

    fn at(path: &Path, position: Option<(usize, usize)>, why: &impl ToString) -> Self {
        let location = match position {
            Some((line, column)) => format!("{}:{line}:{column}", path.display()),
            None => path.display().to_string(),
        };
        Self::Invalid { location, why: why.to_string() }
    }
}

/// An invalid setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct InvalidSetting {
    /// The setting's key in the file, such as `worker.lease-seconds`.
    pub setting: String,
    /// The problem, with the setting's key.
    why: String,
}

impl InvalidSetting {
    /// Creates the error of a setting with a constraint, given as words that follow `must be`.
    #[must_use]
    pub fn must_be(setting: impl Into<String>, expected: impl fmt::Display) -> Self {
        let setting = setting.into();
        Self { why: format!("`{setting}` must be {expected}"), setting }
    }

    /// Creates the error of a setting, given as what is wrong.
    #[must_use]
    pub fn because(setting: impl Into<String>, why: impl fmt::Display) -> Self {
        let setting = setting.into();
        Self { why: format!("`{setting}`: {why}"), setting }
    }
}

/// Whether a setting is valid.
pub type Checked = Result<(), InvalidSetting>;

/// Checks a lower limit of a setting, if it is given.
///
/// # Errors
/// The setting is less.
pub fn at_least(setting: &str, given: Option<u64>, least: u64) -> Checked {
    if given.is_none_or(|given| given >= least) {
        return Ok(());
    }
    Err(InvalidSetting::must_be(setting, format_args!("at least {least}")))
}

/// Checks both limits of a setting, if it is given.
///
/// # Errors
/// The setting is outside of them.
pub fn from_to(setting: &str, given: Option<u64>, allowed: RangeInclusive<u64>) -> Checked {
    if given.is_none_or(|given| allowed.contains(&given)) {
        return Ok(());
    }
    let expected = format!("from {} to {}", allowed.start(), allowed.end());
    Err(InvalidSetting::must_be(setting, expected))
}

/// Checks a rate limit: its burst, and the number per second that refills it.
///
/// # Errors
/// One of them is 0, negative or not a number.
pub fn rate(table: &str, burst: u32, per_second: f64) -> Checked {
    at_least(&format!("{table}.burst"), Some(u64::from(burst)), 1)?;
    if per_second.is_finite() && per_second > 0.0 {
        return Ok(());
    }
    let expected = "a number above 0, or callers would wait forever once the burst is used up";
    Err(InvalidSetting::must_be(format!("{table}.per-second"), expected))
}

/// Parses a URL that others are joined to, such as the public URL of the service.
///
/// # Errors
/// Returns the constraint, as words that follow `must be`.
pub fn base_url(text: &str) -> Result<Url, &'static str> {
    const EXPECTED: &str = "an absolute URL that begins with http:// or https://, such as https://assets.example.com, \
                            without user, query or fragment";
    let url = Url::parse(text).map_err(|_| EXPECTED)?;
    let is_plain = matches!(url.scheme(), "http" | "https")
        && text.contains("://")
        && url.has_host()
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    if is_plain { Ok(url) } else { Err(EXPECTED) }
}

/// Returns the name of a host as browsers send it: in lower case, and in ASCII.
///
/// # Errors
/// Returns the constraint, as words that follow `must be`.
pub fn host(text: &str) -> Result<String, &'static str> {
    let host = Host::parse(text)
        .map_err(|_| "the name of a host without scheme and port, such as assets.internal")?;
    Ok(host.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_results_are_whole_ones() {
        for good in [
            "http://localhost:8080",
            "https://assets.example.com",
            "https://example.com/assets/",
            "HTTPS://a",
        ] {
            assert!(base_url(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "localhost:8080",
            "assets.example.com",
            "//assets.example.com",
            "ftp://a",
            "http:a",
            "https://",
            "https://user@a",
            "https://a?b",
            "https://a#b",
            "http://a b",
        ] {
            assert!(base_url(bad).is_err(), "{bad}");
        }
    }
}
