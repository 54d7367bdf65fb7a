//! Findings with their places, as text.

use std::fmt;

use super::{Code, Diagnostic, Level, Place};
use crate::document::{Document, Position, Range, Source};

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
    frame: Option<String>,
    labels: Vec<(Range, String, String)>,
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
        let lines: Vec<&str> = source.text.lines().collect();
        let locate = |place: Place| match place {
            Place::Position(start) => Some(Range { start, length: 1 }),
            Place::Node(address) => document.and_then(|document| document.spans().by_address(address)),
            Place::Name(address) => document.and_then(|document| document.spans().name_by_address(address)),
            Place::Document => None,
        };
        let line_of = |position: Position| {
            position.line.checked_sub(1).and_then(|line| lines.get(line)).map(|line| (*line).to_owned())
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
                    frame: range.and_then(|range| line_of(range.start)),
                    labels: diagnostic
                        .labels
                        .iter()
                        .filter_map(|(place, text)| {
                            let range = locate(*place)?;
                            Some((range, line_of(range.start)?, text.clone()))
                        })
                        .collect(),
                    notes: diagnostic.notes.clone(),
                    helps: diagnostic.helps.clone(),
                }
            })
            .collect();
        findings.sort_by_key(|finding| finding.range);
        Self { findings }
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
        let widest = self.labels.iter().map(|(range, ..)| range.start.line);
        let widest = widest.chain(self.range.map(|range| range.start.line)).max().unwrap_or(0);
        let width = widest.to_string().len();
        if let (Some(range), Some(line)) = (self.range, &self.frame) {
            writeln!(formatter, "{:width$} |", "")?;
            write_frame(formatter, width, range, line, '^', "")?;
        }
        for (range, line, text) in &self.labels {
            writeln!(formatter, "{:width$} …", "")?;
            write_frame(formatter, width, *range, line, '-', text)?;
        }
        let notes = self.notes.iter().map(|text| ("note", text));
        for (kind, text) in notes.chain(self.helps.iter().map(|text| ("help", text))) {
            writeln!(formatter, "{:width$} = {kind}: {text}", "")?;
        }
        Ok(())
    }
}

/// At most so many characters of a line are shown: documents in one line exist.
const SHOWN: usize = 100;

fn write_frame(
    formatter: &mut fmt::Formatter<'_>,
    width: usize,
    range: Range,
    line: &str,
    mark: char,
    text: &str,
) -> fmt::Result {
    let column = range.start.column.saturating_sub(1);
    let first = column.saturating_sub(SHOWN / 2);
    let ellipsis = if first > 0 { "…" } else { "" };
    let shown: String =
        line.chars().skip(first).take(SHOWN).map(|char| if char == '\t' { ' ' } else { char }).collect();
    let pad = column - first + ellipsis.chars().count();
    let marks = range.length.min(SHOWN.saturating_sub(pad)).max(1);
    writeln!(formatter, "{:width$} | {ellipsis}{}", range.start.line, shown.trim_end())?;
    let marks: String = std::iter::repeat_n(mark, marks).collect();
    let line = format!("{:width$} | {:pad$}{marks} {text}", "", "");
    writeln!(formatter, "{}", line.trim_end())
}
