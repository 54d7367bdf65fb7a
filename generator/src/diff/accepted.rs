//! The file of accepted changes: breaking changes that a team has agreed on.

use std::{collections::HashSet, fmt, path::Path};

use jiff::civil::Date;
use serde::Deserialize;

use super::{Diff, DiffChange, Verdict};
use crate::{escape::escape_line, settings::ConfigError};

/// Accepted changes, in the order of the file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accepted {
    /// The changes.
    #[serde(default)]
    accepted: Vec<AcceptedChange>,
}

/// A change that is accepted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AcceptedChange {
    /// The identity of the change.
    fingerprint: String,
    /// What changed, for the reader of the file.
    change: String,
    /// Why it is accepted.
    reason: String,
    /// The last day on which it is accepted.
    #[serde(default, deserialize_with = "date")]
    until: Option<Date>,
}

/// Reads a date, as a text or as a date of TOML.
fn date<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Date>, D::Error> {
    let text = match toml::Value::deserialize(deserializer)? {
        toml::Value::String(text) => text,
        other => other.to_string(),
    };
    text.parse()
        .map(Some)
        .map_err(|error| serde::de::Error::custom(format!("`{text}` is not a date: {error}")))
}

impl Accepted {
    /// Parses the file.
    ///
    /// # Errors
    /// Returns an error with the source location if the text is not TOML, or has other keys.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        toml::from_str(text).map_err(|error| ConfigError::invalid(path, text, &error))
    }

    /// Marks the changes that are accepted on this day. Returns warnings about entries without effect.
    pub fn apply(&self, diff: &mut Diff, today: Date) -> Vec<String> {
        let mut warnings = Vec::new();
        for entry in &self.accepted {
            let AcceptedChange { fingerprint, change, reason, until } = entry;
            let mut found =
                diff.changes.iter_mut().filter(|change| change.fingerprint == *fingerprint).peekable();
            if found.peek().is_none() {
                warnings.push(format!("the accepted change `{change}` no longer exists; delete the entry"));
            } else if let Some(until) = until.filter(|until| *until < today) {
                warnings.push(format!("the change `{change}` was accepted until {until}"));
            } else {
                found.for_each(|change| change.accepted = Some(reason.clone()));
            }
        }
        warnings
    }

    /// Accepts the changes with this verdict or a worse one, and returns how many entries that adds.
    ///
    /// An entry of a change that was accepted until an earlier day is replaced.
    pub fn add(&mut self, diff: &mut Diff, verdict: Verdict, reason: &str, until: Option<Date>) -> usize {
        let fails =
            |change: &&mut DiffChange| change.accepted.is_none() && change.verdicts.worst() >= verdict;
        let mut seen = HashSet::new();
        for change in diff.changes.iter_mut().filter(fails) {
            change.accepted = Some(reason.to_owned());
            if seen.insert(change.fingerprint.clone()) {
                self.accepted.retain(|entry| entry.fingerprint != change.fingerprint);
                self.accepted.push(AcceptedChange {
                    fingerprint: change.fingerprint.clone(),
                    change: escape_line(&format!("{}: {}", change.subject, change.message)).into_owned(),
                    reason: reason.to_owned(),
                    until,
                });
            }
        }
        seen.len()
    }
}

impl fmt::Display for Accepted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("# Changes that `openapi-crates diff` reports and that don't fail.\n")?;
        for AcceptedChange { fingerprint, change, reason, until } in &self.accepted {
            let text = |text: &str| toml::Value::from(text).to_string();
            let (change, reason) = (text(change), text(reason));
            write!(
                formatter,
                "\n[[accepted]]\nfingerprint = \"{fingerprint}\"\nchange = {change}\nreason = {reason}\n"
            )?;
            if let Some(until) = until {
                writeln!(formatter, "until = \"{until}\"")?;
            }
        }
        Ok(())
    }
}
