//! The arguments of commands that compare documents: the form of the report, and the changes that fail.
//!
//! The command line and the tools of this repository share them. They read and write the files.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::{Zoned, civil::Date};

use super::{Audience, Diff, Verdict, accepted::Accepted};
use crate::settings::ConfigError;

/// The name of the file of accepted changes.
const ACCEPTED: &str = "openapi-accepted.toml";

/// Arguments for the report.
#[derive(Debug, clap::Args)]
pub struct Reporting {
    /// Write the report in this form
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Exit with 1 if a change that is not accepted has this verdict
    #[arg(long, value_enum, default_value_t)]
    fail_on: FailOn,
    /// Show the verdicts for these audiences only, for example `clients,client-users` [default: all]
    #[arg(long, value_name = "AUDIENCES", value_delimiter = ',', value_parser = audience())]
    audience: Vec<Audience>,
    /// Read accepted changes from this file [default: openapi-accepted.toml next to the new document, if it exists]
    #[arg(long, value_name = "FILE")]
    accepted: Option<PathBuf>,
    /// Add the changes that fail to the file of accepted changes, with this reason
    #[arg(long, value_name = "REASON")]
    accept: Option<String>,
    /// Let the changes that `--accept` adds fail again after this day: 2027-06-30
    #[arg(long, value_name = "DATE", requires = "accept", value_parser = coming_day)]
    until: Option<Date>,
}

/// The form of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum Format {
    /// For a terminal
    #[default]
    Text,
    /// For a comment in a pull request
    Markdown,
    /// For programs
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

/// The verdict that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum FailOn {
    /// BREAKS
    #[default]
    Breaking,
    /// REVIEW or BREAKS
    Risky,
    /// No change fails
    Never,
}

/// The report of a comparison.
#[derive(Debug)]
pub struct Reported {
    /// The report in the form that the arguments name.
    pub text: String,
    /// Warnings about the file of accepted changes.
    pub warnings: Vec<String>,
    /// The new text of the file of accepted changes with the number of entries that it adds, if it adds some.
    pub accepted: Option<(String, usize)>,
    /// Whether a change has the verdict that fails.
    pub fails: bool,
}

impl Reporting {
    /// Returns the path of the file of accepted changes, and whether it must exist.
    #[must_use]
    pub fn accepted_file(&self, folder: &Path) -> (PathBuf, bool) {
        match &self.accepted {
            Some(path) => (path.clone(), self.accept.is_none()),
            None => (folder.join(ACCEPTED), false),
        }
    }

    /// Returns whether the report is for a terminal.
    #[must_use]
    pub fn is_for_terminals(&self) -> bool {
        self.format == Format::Text
    }

    /// Reports the changes, without those that the file of accepted changes lists.
    ///
    /// # Errors
    /// Returns an error with the source location if the file of accepted changes is invalid.
    pub fn report(&self, diff: Diff, (path, text): (&Path, Option<&str>)) -> Result<Reported, ConfigError> {
        let mut diff = if self.audience.is_empty() { diff } else { diff.for_audiences(&self.audience) };
        let mut accepted = text.map(|text| Accepted::parse(path, text)).transpose()?.unwrap_or_default();
        let warnings = accepted.apply(&mut diff, Zoned::now().date());
        let verdict = match self.fail_on {
            FailOn::Breaking => Some(Verdict::Breaking),
            FailOn::Risky => Some(Verdict::Risky),
            FailOn::Never => None,
        };
        let mut added = 0;
        if let (Some(verdict), Some(reason)) = (verdict, &self.accept) {
            added = accepted.add(&mut diff, verdict, reason, self.until);
        }
        Ok(Reported {
            text: self.format.print(&diff),
            warnings,
            accepted: (added > 0).then(|| (accepted.to_string(), added)),
            fails: verdict.is_some_and(|verdict| diff.fails(verdict)),
        })
    }
}

impl Format {
    fn print(self, diff: &Diff) -> String {
        match self {
            Self::Text => diff.to_string(),
            Self::Markdown => diff.to_markdown(),
            Self::Json => format!("{:#}\n", diff.to_json()),
            Self::Sarif => format!("{:#}\n", diff.to_sarif()),
            Self::Github => diff.to_github(),
        }
    }
}

/// Returns a parser of audiences by their names.
fn audience() -> impl TypedValueParser<Value = Audience> {
    PossibleValuesParser::new(Audience::ALL.map(Audience::name)).try_map(|text| {
        Audience::ALL.into_iter().find(|audience| audience.name() == text).ok_or("unknown audience")
    })
}

/// Parses a date that has not passed.
fn coming_day(text: &str) -> Result<Date, String> {
    let date = text.parse::<Date>().map_err(|error| format!("{error}; write it as 2027-06-30"))?;
    let today = Zoned::now().date();
    if date < today { Err(format!("it has passed: today is {today}")) } else { Ok(date) }
}
