//! The report of a document's diagnostics: sorted by source location, and printed as a compiler does.

mod frame;
mod locate;

use std::fmt;

use indexmap::IndexMap;

use crate::diagnostics::{Code, Diagnostics, Level, Strictness, UnlocatedDiagnostic};
use crate::document::{Document, File, Origins, Parsed};
use crate::escape::escape_line;
use crate::tree::{NodeId, Range};
use frame::Frame;
use locate::{Locator, Order};

/// The diagnostics of a document, sorted by source location.
#[derive(Debug, Default, Clone)]
#[non_exhaustive]
pub struct Report {
    /// The diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether most ids of operations are FastAPI's, which `names = "fastapi"` shortens.
    pub is_fastapi: bool,
}

/// A diagnostic with its source location, ready to print.
#[derive(Debug, Clone)]
pub struct Diagnostic {
    /// The severity.
    pub level: Level,
    /// The code.
    pub code: Code,
    /// The message.
    pub message: String,
    /// The path of the file, as given by the caller or in a reference.
    pub path: String,
    /// The source location. `None` if the diagnostic is about the document as a whole.
    pub range: Option<Range>,
    /// The JSON pointer of the node: `/paths/~1pets/get`. `None` if the diagnostic is about the document as a whole or
    /// about text that can't be parsed.
    pub pointer: Option<String>,
    /// The operation that contains the node: `listPets (GET /pets)`, or `GET /pets` if it has no id. `None` if the node
    /// is outside the operations.
    pub operation: Option<String>,
    /// The source line.
    frame: Option<Frame>,
    labels: Vec<(Frame, String)>,
    notes: Vec<String>,
    helps: Vec<String>,
}

/// The number of diagnostics by level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Summary {
    /// The number of errors.
    pub errors: usize,
    /// The number of warnings.
    pub warnings: usize,
}

impl Diagnostics {
    /// Returns all diagnostics with their source locations.
    #[must_use]
    pub fn report(&self, document: &Document) -> Report {
        Report::new(&self.0, &document.files().collect::<Vec<_>>(), document.origins())
    }
}

impl Parsed {
    /// Returns the diagnostics of parsing with their source locations.
    #[must_use]
    pub fn report(&self) -> Report {
        match (&self.document, &self.source) {
            (Some(document), _) => self.diagnostics.report(document),
            (None, Some(source)) => {
                let file = File::without_content(source.clone(), NodeId::default());
                Report::new(&self.diagnostics.0, &[&file], &Origins::default())
            }
            (None, None) => Report::default(),
        }
    }
}

impl Report {
    /// Locates diagnostics in the files. The first file is the main one.
    fn new(diagnostics: &[UnlocatedDiagnostic], files: &[&File], origins: &Origins) -> Self {
        if diagnostics.is_empty() {
            return Self::default();
        }
        let mut locator = Locator::new(files, origins);
        // An action of an overlay can add one value, with its problems, to many nodes.
        let mut groups: IndexMap<_, (&UnlocatedDiagnostic, usize)> = IndexMap::new();
        for (index, diagnostic) in diagnostics.iter().enumerate() {
            let index = if locator.merges(diagnostic) { None } else { Some(index) };
            let key = (index, diagnostic.target.location(), diagnostic.code, &diagnostic.message);
            groups.entry(key).or_insert((diagnostic, 0)).1 += 1;
        }
        let mut found: Vec<(Order, Diagnostic)> =
            groups.into_values().map(|(diagnostic, times)| locator.locate(diagnostic, times)).collect();
        found.sort_by_key(|(order, _)| *order);
        let diagnostics = found.into_iter().map(|(_, diagnostic)| diagnostic).collect();
        Self { diagnostics, ..Self::default() }
    }

    /// Returns the report with the levels that apply under this strictness.
    #[must_use]
    pub fn with_strictness(mut self, strictness: Strictness) -> Self {
        for diagnostic in &mut self.diagnostics {
            diagnostic.level = strictness.level(diagnostic.code, diagnostic.level);
        }
        self
    }

    /// Counts the diagnostics by level.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let errors = self.diagnostics.iter().filter(|diagnostic| diagnostic.level == Level::Error).count();
        Summary { errors, warnings: self.diagnostics.len() - errors }
    }

    /// Returns whether any diagnostic is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.summary().errors > 0
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for diagnostic in &self.diagnostics {
            writeln!(formatter, "{diagnostic}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Summary {
    /// Writes the counts: `2 errors, 1 warning`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count =
            |number: usize, word: &str| format!("{number} {word}{}", if number == 1 { "" } else { "s" });
        match (self.errors, self.warnings) {
            (0, 0) => formatter.write_str("no errors or warnings"),
            (errors, 0) => formatter.write_str(&count(errors, "error")),
            (0, warnings) => formatter.write_str(&count(warnings, "warning")),
            (errors, warnings) => {
                write!(formatter, "{}, {}", count(errors, "error"), count(warnings, "warning"))
            }
        }
    }
}

impl fmt::Display for Diagnostic {
    /// Writes `path:line:column: level[code]: message` and the details.
    ///
    /// The details are the source line with the range underlined, labels, the JSON pointer and the operation, notes and
    /// help. A document without text has `path#pointer:` instead of line and column.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match (self.range, &self.pointer) {
            (Some(Range { start, .. }), _) => format!("{}:{}:{}", self.path, start.line, start.column),
            (None, Some(pointer)) => format!("{}#{pointer}", self.path),
            (None, None) => self.path.clone(),
        };
        let (place, message) = (escape_line(&place), escape_line(&self.message));
        writeln!(formatter, "{place}: {}[{}]: {message}", self.level, self.code)?;
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
        let pointer = self
            .pointer
            .as_ref()
            .filter(|pointer| self.range.is_some() && !pointer.is_empty())
            .map(|pointer| format!("#{pointer}"));
        let operation = self.operation.as_ref().map(|operation| format!("in {operation}"));
        let at: Vec<String> = pointer.into_iter().chain(operation).collect();
        if !at.is_empty() {
            writeln!(formatter, "{:width$} = at: {}", "", escape_line(&at.join(", ")))?;
        }
        let notes = self.notes.iter().map(|text| ("note", text));
        for (kind, text) in notes.chain(self.helps.iter().map(|text| ("help", text))) {
            writeln!(formatter, "{:width$} = {kind}: {}", "", escape_line(text))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
