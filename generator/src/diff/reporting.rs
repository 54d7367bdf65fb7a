//! The arguments of commands that compare documents: the form of the report, and the changes that fail.
//!
//! The command line and the tools of this repository share them.

use std::{
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::{Zoned, civil::Date};

use super::{Audience, Diff, Verdict, accepted::Accepted, print};
use crate::{
    escape::escape_line,
    file_tree::{self, FileError},
    settings::ConfigError,
};

/// The name of the file of accepted changes.
const ACCEPTED: &str = "openapi-accepted.toml";

/// Arguments for the report.
#[derive(Debug, clap::Args)]
pub struct Reporting {
    /// Write the report in this form
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Exit with 1 if a change that is not accepted has this verdict, or a worse one
    #[arg(long, value_enum, default_value_t)]
    fail_on: FailOn,
    /// Report only what concerns these audiences, for example `clients,client-users` [default: all]
    #[arg(long, value_name = "AUDIENCES", value_delimiter = ',', value_parser = named(Audience::ALL, Audience::name))]
    audience: Vec<Audience>,
    /// Read accepted changes from this file [default: openapi-accepted.toml next to the new document, if it exists]
    #[arg(long, value_name = "FILE")]
    accepted: Option<PathBuf>,
    /// Add the changes that fail to the file of accepted changes, with this reason. They no longer fail for any audience
    #[arg(long, value_name = "REASON", conflicts_with = "audience")]
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
    /// Breaking changes fail
    #[default]
    Breaking,
    /// Risky and breaking changes fail
    Risky,
    /// No change fails
    Never,
}

/// The file of accepted changes is invalid, or can't be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ReportingError {
    /// The file is invalid.
    #[error(transparent)]
    Invalid(#[from] ConfigError),
    /// The file can't be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Reporting {
    /// Prints the report, and writes the file of accepted changes if the arguments say so. Returns whether a change fails.
    ///
    /// `folder` is that of the new document, which has the file by default.
    ///
    /// # Errors
    /// Returns an error if the file of accepted changes is invalid, or can't be read or written.
    pub fn run(&self, mut diff: Diff, folder: &Path) -> Result<bool, ReportingError> {
        let path = self.accepted.clone().unwrap_or_else(|| folder.join(ACCEPTED));
        let text = file_tree::read(&path)?;
        if text.is_none() && self.accepted.is_some() && self.accept.is_none() {
            return Err(FileError::missing(&path).into());
        }
        let accepted = text.map(|bytes| Accepted::parse(&path, &String::from_utf8_lossy(&bytes)));
        let mut accepted = accepted.transpose()?.unwrap_or_default();
        let mut warnings = accepted.apply(&mut diff, Zoned::now().date());
        if !self.audience.is_empty() {
            diff = diff.for_audiences(&self.audience);
        }
        let verdict = match self.fail_on {
            FailOn::Breaking => Some(Verdict::Breaking),
            FailOn::Risky => Some(Verdict::Risky),
            FailOn::Never => None,
        };
        let mut added = 0;
        if let Some(reason) = &self.accept {
            added = verdict.map_or(0, |verdict| accepted.add(&mut diff, verdict, reason, self.until));
            if added == 0 {
                let which = verdict.map_or("never", Verdict::name);
                warnings.push(format!("nothing to accept, because no change fails with `--fail-on {which}`"));
            }
        }
        // The reader may have closed the pipe.
        let mut notes = io::stderr();
        for warning in &warnings {
            let _ = writeln!(notes, "{}", escape_line(&format!("warning: {}: {warning}", path.display())));
        }
        if added > 0 {
            file_tree::write(&path, &accepted.to_string())?;
            let changes = if added == 1 { "accepted change" } else { "accepted changes" };
            let _ = writeln!(notes, "{}: {added} {changes} added", path.display());
        }
        let mut out = BufWriter::new(io::stdout().lock());
        let _ = self.format.write(&diff, &mut out).and_then(|()| out.flush());
        Ok(verdict.is_some_and(|verdict| diff.fails(verdict)))
    }

    /// Returns whether the report is for a terminal.
    #[must_use]
    pub fn is_for_terminals(&self) -> bool {
        self.format == Format::Text
    }

    /// Returns whether people read the report. Programs look files up by their paths.
    #[must_use]
    pub fn is_for_people(&self) -> bool {
        matches!(self.format, Format::Text | Format::Markdown)
    }
}

impl Format {
    fn write(self, diff: &Diff, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Text => write!(out, "{diff}"),
            Self::Markdown => out.write_all(diff.to_markdown().as_bytes()),
            Self::Json => print::write_json(diff, out),
            Self::Sarif => writeln!(out, "{:#}", diff.to_sarif()),
            Self::Github => out.write_all(diff.to_github().as_bytes()),
        }
    }
}

/// Returns a parser of these values by their names.
pub fn named<T: Copy + Send + Sync + 'static>(
    values: impl IntoIterator<Item = T>,
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let values: Vec<(&str, T)> = values.into_iter().map(|value| (name(value), value)).collect();
    PossibleValuesParser::new(values.iter().map(|(name, _)| *name)).try_map(move |text| {
        let found = values.iter().find(|(name, _)| *name == text);
        found.map(|(_, value)| *value).ok_or("unknown value")
    })
}

fn coming_day(text: &str) -> Result<Date, String> {
    let date = text.parse::<Date>().map_err(|error| format!("{error}; write it as 2027-06-30"))?;
    let today = Zoned::now().date();
    if date < today { Err(format!("it has passed: today is {today}")) } else { Ok(date) }
}
