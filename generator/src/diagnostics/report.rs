//! Findings with their places, as text.

use std::fmt;

use super::frame::{Frame, Lines};
use super::{Code, Diagnostic, Level, Place, Strictness};
use crate::document::{Document, Range, Source};

/// All findings about a document, in the order of their places.
#[derive(Debug, Default, Clone)]
pub struct Report {
    /// The findings.
    pub findings: Vec<Finding>,
}

/// One finding, ready to be told.
#[derive(Debug, Clone)]
pub struct Finding {
    /// How bad it is.
    pub level: Level,
    /// Its code.
    pub code: Code,
    /// What is wrong.
    pub message: String,
    /// The document's name.
    pub path: String,
    /// Where it is, if it is anywhere in particular.
    pub range: Option<Range>,
    /// The line of the text.
    frame: Option<Frame>,
    labels: Vec<(Frame, String)>,
    notes: Vec<String>,
    helps: Vec<String>,
}

/// How many findings of each level there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Errors.
    pub errors: usize,
    /// Warnings.
    pub warnings: usize,
}

impl Report {
    pub(super) fn new(diagnostics: &[Diagnostic], source: &Source, document: Option<&Document>) -> Self {
        if diagnostics.is_empty() {
            return Self::default();
        }
        let mut lines = Lines::new(&source.text);
        let locate = |place: Place| match place {
            Place::Position(start) => Some(Range { start, length: 1 }),
            Place::Node(address) => document.and_then(|document| document.spans().by_address(address)),
            Place::Name(address) => document.and_then(|document| document.spans().name_by_address(address)),
            Place::Document => None,
        };
        let mut findings: Vec<Finding> = diagnostics
            .iter()
            .map(|diagnostic| {
                let range = locate(diagnostic.place);
                Finding {
                    level: diagnostic.level,
                    code: diagnostic.code,
                    message: diagnostic.message.clone(),
                    path: source.name.clone(),
                    range,
                    frame: range.and_then(|range| lines.frame(range)),
                    labels: diagnostic
                        .labels
                        .iter()
                        .filter_map(|(place, text)| Some((lines.frame(locate(*place)?)?, text.clone())))
                        .collect(),
                    notes: diagnostic.notes.clone(),
                    helps: diagnostic.helps.clone(),
                }
            })
            .collect();
        findings.sort_by_key(|finding| finding.range);
        Self { findings }
    }

    /// The same findings, with the levels that they have under this strictness.
    #[must_use]
    pub fn judged(mut self, strictness: Strictness) -> Self {
        for finding in &mut self.findings {
            finding.level = strictness.level(finding.code, finding.level);
        }
        self
    }

    /// How many findings of each level there are.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let errors = self.findings.iter().filter(|finding| finding.level == Level::Error).count();
        Summary { errors, warnings: self.findings.len() - errors }
    }

    /// Whether there is an error among the findings.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.summary().errors > 0
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            writeln!(formatter, "{finding}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Summary {
    /// `2 errors, 1 warning`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count =
            |number: usize, word: &str| format!("{number} {word}{}", if number == 1 { "" } else { "s" });
        match (self.errors, self.warnings) {
            (0, 0) => formatter.write_str("no findings"),
            (errors, 0) => formatter.write_str(&count(errors, "error")),
            (0, warnings) => formatter.write_str(&count(warnings, "warning")),
            (errors, warnings) => {
                write!(formatter, "{}, {}", count(errors, "error"), count(warnings, "warning"))
            }
        }
    }
}

impl fmt::Display for Finding {
    /// `path:line:column: level[code]: message`, the line with the place underlined, labels, notes, help.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:", self.path)?;
        if let Some(Range { start, .. }) = self.range {
            write!(formatter, "{}:{}:", start.line, start.column)?;
        }
        writeln!(formatter, " {}[{}]: {}", self.level, self.code, self.message)?;
        let widest = self.labels.iter().map(|(frame, _)| frame.line());
        let widest = widest.chain(self.range.map(|range| range.start.line)).max().unwrap_or(0);
        let width = widest.to_string().len();
        if let Some(frame) = &self.frame {
            writeln!(formatter, "{:width$} |", "")?;
            frame.write(formatter, width, '^', "")?;
        }
        for (frame, text) in &self.labels {
            writeln!(formatter, "{:width$} …", "")?;
            frame.write(formatter, width, '-', text)?;
        }
        let notes = self.notes.iter().map(|text| ("note", text));
        for (kind, text) in notes.chain(self.helps.iter().map(|text| ("help", text))) {
            writeln!(formatter, "{:width$} = {kind}: {text}", "")?;
        }
        Ok(())
    }
}
