//! Diagnostics with source locations, and their text form.

use std::fmt;

use super::frame::{Frame, Lines};
use super::pointer::pointer;
use super::{Code, Level, Place, Strictness, UnlocatedDiagnostic};
use crate::document::{File, NodeId, Range};

/// The diagnostics of a document, sorted by source location.
#[derive(Debug, Default, Clone)]
pub struct Report {
    /// The diagnostics.
    pub diagnostics: Vec<Diagnostic>,
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
    /// The JSON pointer of the node, if the document has no text: `/paths/~1pets/get`.
    pub pointer: Option<String>,
    /// The source line.
    frame: Option<Frame>,
    labels: Vec<(Frame, String)>,
    notes: Vec<String>,
    helps: Vec<String>,
}

/// The number of diagnostics by level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// The number of errors.
    pub errors: usize,
    /// The number of warnings.
    pub warnings: usize,
}

impl Report {
    /// Locates diagnostics in the files. The first file is the main one.
    pub(super) fn new(diagnostics: &[UnlocatedDiagnostic], files: &[&File]) -> Self {
        if diagnostics.is_empty() {
            return Self::default();
        }
        let mut sources: Vec<Lines<'_>> = files.iter().map(|file| Lines::new(&file.source.text)).collect();
        let mut diagnostics: Vec<(Order, Diagnostic)> =
            diagnostics.iter().map(|diagnostic| located(diagnostic, files, &mut sources)).collect();
        diagnostics.sort_by_key(|(order, _)| *order);
        Self { diagnostics: diagnostics.into_iter().map(|(_, diagnostic)| diagnostic).collect() }
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

/// The sort key of a diagnostic: index of its file, range in the text, node without a text.
type Order = (usize, Option<Range>, Option<NodeId>);

/// Locates a diagnostic.
///
/// Returns its sort key, and the diagnostic with its source location.
fn located(
    diagnostic: &UnlocatedDiagnostic,
    files: &[&File],
    sources: &mut [Lines<'_>],
) -> (Order, Diagnostic) {
    let name = |file: usize| files.get(file).map(|file| file.source.name.clone()).unwrap_or_default();
    let mut frame = |(file, range)| sources.get_mut::<usize>(file)?.frame(range);
    let at = locate(diagnostic.place, files);
    let file = at.map_or(0, |(file, _)| file);
    let mut notes = diagnostic.notes.clone();
    let mut labels = Vec::new();
    for (place, text) in &diagnostic.labels {
        let Some((other, range)) = locate(*place, files) else {
            notes.extend(pointer_to(*place, files).map(|pointer| format!("{}#{pointer}: {text}", name(0))));
            continue;
        };
        if other == file {
            labels.extend(frame((other, range)).map(|frame| (frame, text.clone())));
        } else {
            let start = range.start;
            notes.push(format!("{}:{}:{}: {text}", name(other), start.line, start.column));
        }
    }
    let pointer = pointer_to(diagnostic.place, files);
    let node = diagnostic.place.id().filter(|_| pointer.is_some());
    let diagnostic = Diagnostic {
        level: diagnostic.level,
        code: diagnostic.code,
        message: diagnostic.message.clone(),
        path: name(file),
        range: at.map(|(_, range)| range),
        pointer,
        frame: at.and_then(frame),
        labels,
        notes,
        helps: diagnostic.helps.clone(),
    };
    ((file, diagnostic.range, node), diagnostic)
}

/// Returns the index of the file and the range that a place refers to.
fn locate(place: Place, files: &[&File]) -> Option<(usize, Range)> {
    let (id, span) = match place {
        Place::Position(file, start) => return Some((file, Range { start, length: 1 })),
        Place::Node(id, location) => (id, location?.value),
        Place::Name(id, location) => (id, location?.name),
        Place::Document => return None,
    };
    let file = files.iter().rposition(|file| file.root.id() <= id)?;
    Some((file, span.range()))
}

/// Returns the JSON pointer of the node that a place refers to, if the document has no text.
fn pointer_to(place: Place, files: &[&File]) -> Option<String> {
    match files {
        [file] if !file.has_text => Some(pointer(&file.root, place.id()?)),
        _ => None,
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
    /// The details are the source line with the range underlined, labels, notes and help. A document without text has
    /// `path#pointer:` instead of line and column.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.path)?;
        if let Some(pointer) = &self.pointer {
            write!(formatter, "#{pointer}")?;
        }
        write!(formatter, ":")?;
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
