//! The source line of a diagnostic, cut to fit a screen.
//!
//! Some documents are one line of many megabytes.

use std::collections::HashMap;
use std::fmt;

use crate::{
    escape::{self, escape_line},
    tree::Range,
};

/// The maximum number of characters shown of a line.
const SHOWN: usize = 100;

/// The distance between indexed characters of a line.
const STEP: usize = 4096;

/// The lines of a text, with an index into long lines.
pub(super) struct Lines<'t> {
    lines: Vec<&'t str>,
    /// The byte offset of every [`STEP`]th character, for lines already requested.
    steps: HashMap<usize, Vec<usize>>,
}

/// The shown part of a line.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    range: Range,
    text: String,
    /// The column in `text` at which the range starts, from 0.
    pad: usize,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { lines: text.lines().collect(), steps: HashMap::new() }
    }

    /// Returns the part of a line around a range, or `None` if there is no such line.
    pub(super) fn frame(&mut self, range: Range) -> Option<Frame> {
        let index = range.start.line.checked_sub(1)?;
        let line = *self.lines.get(index)?;
        let column = range.start.column.saturating_sub(1);
        let first = column.saturating_sub(SHOWN / 2);
        let steps = self.steps.entry(index).or_insert_with(|| steps(line));
        let entered = steps.get(first / STEP).and_then(|byte| line.get(*byte..)).unwrap_or_default();
        let shown = entered.chars().skip(first % STEP).take(SHOWN);
        // One character for one, because the marks below it count them.
        let shown: String = shown.map(shown_as).collect();
        let ellipsis = if first > 0 { "…" } else { "" };
        let text = format!("{ellipsis}{}", shown.trim_end());
        Some(Frame { range, text, pad: column - first + ellipsis.chars().count() })
    }
}

/// Returns the character that a frame shows in place of one of the document.
fn shown_as(character: char) -> char {
    match character {
        '\t' => ' ',
        hidden if escape::is_hidden(hidden) => char::REPLACEMENT_CHARACTER,
        shown => shown,
    }
}

/// Returns the byte offset of every [`STEP`]th character.
fn steps(line: &str) -> Vec<usize> {
    line.char_indices().map(|(byte, _)| byte).step_by(STEP).collect()
}

impl Frame {
    pub(super) fn line(&self) -> usize {
        self.range.start.line
    }

    /// Writes the line and, below it, the underlined range with the label.
    ///
    /// The line number takes `width` columns.
    pub(super) fn write(
        &self,
        formatter: &mut fmt::Formatter<'_>,
        width: usize,
        mark: char,
        label: &str,
    ) -> fmt::Result {
        let Self { range, text, pad } = self;
        let marks = range.length.min(SHOWN.saturating_sub(*pad)).max(1);
        writeln!(formatter, "{:width$} | {text}", range.start.line)?;
        let marks: String = std::iter::repeat_n(mark, marks).collect();
        let line = format!("{:width$} | {:pad$}{marks} {}", "", "", escape_line(label));
        writeln!(formatter, "{}", line.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Position;

    fn frame(text: &str, line: usize, column: usize) -> Option<String> {
        let start = Position { line, column };
        Lines::new(text).frame(Range { start, length: 1 }).map(|frame| frame.text)
    }

    #[test]
    fn a_long_line_is_cut_at_both_ends() {
        let line: String = (0..20_000).map(|number| if number % 2 == 0 { 'é' } else { 'x' }).collect();
        let text = format!("short\n{line}");
        for column in [1, 60, STEP, STEP + 1, STEP + 52, 3 * STEP + 7, 19_990] {
            let first = (column - 1_usize).saturating_sub(SHOWN / 2);
            let expected: String = line.chars().skip(first).take(SHOWN).collect();
            let found = frame(&text, 2, column).unwrap();
            assert_eq!(found.trim_start_matches('…'), expected, "column {column}");
        }
        assert_eq!(frame(&text, 1, 2).as_deref(), Some("short"));
        assert_eq!(frame(&text, 1, 9_000).as_deref(), Some("…"));
        assert_eq!(frame(&text, 3, 1), None);
    }
}
