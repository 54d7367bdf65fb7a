//! Output of commands: results on stdout, notes on stderr. Nothing else prints.
//!
//! A closed stdout (`tasks list | head -1`) is not a failure: the command stops quietly with exit code 0.
//!
//! With `--json`, each line of stdout is a JSON value: a row of a table, a result, or a message.

use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal as _, Write as _, stderr, stdout};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::Serialize;
use serde_json::json;

use super::CommandError;

/// How long the process waits at its end for the reader of its last message.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// Whether stdout gets JSON, in this process.
static JSON: AtomicBool = AtomicBool::new(false);

/// Prints JSON to stdout from now on.
pub(super) fn as_json() {
    JSON.store(true, Ordering::Relaxed);
}

fn is_json() -> bool {
    JSON.load(Ordering::Relaxed)
}

/// Prints a line of the command's result to stdout; with `--json`, an object with the `message`.
///
/// # Errors
/// [`CommandError::Unread`] if the reader has closed stdout, [`CommandError::Io`] if writing fails, for
/// example on a full disk.
pub(super) fn line(text: impl Display) -> Result<(), CommandError> {
    if is_json() {
        return json_line(&json!({"message": text.to_string()}));
    }
    written(harmless(&text))
}

/// Prints a result: human-readable text, or with `--json` this value.
///
/// # Errors
/// Fails as [`line`] does.
pub(super) fn result(text: impl Display, value: &impl Serialize) -> Result<(), CommandError> {
    if is_json() { json_line(value) } else { line(text) }
}

/// Prints a value with all its fields: as YAML, or with `--json` as JSON.
///
/// # Errors
/// Fails as [`line`] does.
pub(super) fn details(value: &impl Serialize) -> Result<(), CommandError> {
    if is_json() {
        return json_line(value);
    }
    let text = serde_yaml::to_string(value).map_err(std::io::Error::other);
    line(text.map_err(CommandError::io("can't write the output"))?.trim_end())
}

fn json_line(value: &impl Serialize) -> Result<(), CommandError> {
    let text = serde_json::to_string(value).map_err(std::io::Error::from);
    let text = text.map_err(CommandError::io("can't write the output"))?;
    // JSON allows such characters in its strings only, where these escapes have the same meaning.
    written(escaped(&text, |character| format!("\\u{:04x}", u32::from(character))))
}

fn written(line: String) -> Result<(), CommandError> {
    writeln!(stdout(), "{line}").map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => CommandError::Unread,
        _ => CommandError::io("can't write the output")(error),
    })
}

/// Returns a text without the characters that could control a terminal, except line feeds.
///
/// Names of files, titles and messages of providers can contain any character. These are shown as `\u{1b}`.
fn harmless(text: &impl Display) -> String {
    escaped(&text.to_string(), |character| character.escape_unicode().to_string())
}

/// Escapes control characters, separators of lines, and characters that change the direction of the text.
fn escaped(text: &str, escape: impl Fn(char) -> String) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => escaped.push('\n'),
            '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                escaped.push_str(&escape(character));
            }
            _ if character.is_control() => escaped.push_str(&escape(character)),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// Returns a text as a cell of a table, which has one line.
fn cell(text: &str) -> String {
    harmless(&text).replace('\n', "\\n")
}

/// The side of a column on which its texts are aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    /// The left side, for texts.
    Left,
    /// The right side, for numbers.
    Right,
}

/// A column of a table: its title, its alignment, and its text of a row.
pub(super) type Column<T> = (&'static str, Align, fn(&T) -> String);

/// Prints a table, as wide as its texts; with `--json`, a line for each row.
///
/// # Errors
/// Fails as [`line`] does.
pub(super) fn table<T: Serialize>(columns: &[Column<T>], rows: &[T]) -> Result<(), CommandError> {
    if is_json() {
        return rows.iter().try_for_each(json_line);
    }
    let text = |(_, align, text): &Column<T>, row: &T| (*align, cell(&text(row)));
    let titles = columns.iter().map(|(title, align, _)| (*align, (*title).to_owned())).collect();
    let rows = rows.iter().map(|row| columns.iter().map(|column| text(column, row)).collect());
    let lines: Vec<Vec<(Align, String)>> = std::iter::once(titles).chain(rows).collect();
    let length = |index: usize| lines.iter().filter_map(move |line| Some(line.get(index)?.1.chars().count()));
    let widths: Vec<usize> =
        (0..columns.len()).map(|index| length(index).max().unwrap_or_default()).collect();
    lines.iter().try_for_each(|cells| {
        let cells = cells.iter().zip(&widths).map(|((align, text), width)| match align {
            Align::Left => format!("{text:<width$}"),
            Align::Right => format!("{text:>width$}"),
        });
        line(cells.collect::<Vec<_>>().join("  ").trim_end())
    })
}

/// Returns the standard error, for a program whose messages are human-readable notes.
pub fn of_programs() -> Stdio {
    Stdio::from(stderr())
}

/// Prints a human-readable note to stderr; a closed stderr is ignored.
pub fn note(text: impl Display) {
    let _ = writeln!(stderr(), "{}", harmless(&text));
}

/// Reports long work from time to time.
pub(super) struct Progress(Mutex<Instant>);

impl Progress {
    const EVERY: Duration = Duration::from_secs(5);

    pub(super) fn new() -> Self {
        Self(Mutex::new(Instant::now()))
    }

    /// Prints the text as a note if it is time for one.
    pub(super) fn report(&self, text: impl FnOnce() -> String) {
        let mut last = self.0.lock();
        if last.elapsed() >= Self::EVERY {
            note(text());
            *last = Instant::now();
        }
    }
}

/// Prints the reason for the end of the process to stderr.
///
/// A stalled reader delays the end by at most [`LAST_WAIT`].
pub(super) fn last(text: impl Display) {
    let text = text.to_string();
    let (written, is_written) = channel();
    let copy = text.clone();
    let write = move || {
        note(copy);
        let _ = written.send(());
    };
    if std::thread::Builder::new().spawn(write).is_ok() {
        let _ = is_written.recv_timeout(LAST_WAIT);
    } else {
        // The limit of threads may be the reason for the end.
        note(text);
    }
}

/// Returns whether notes go to a terminal.
pub(super) fn is_terminal() -> bool {
    stderr().is_terminal()
}

/// Prints a note that the next one overwrites, to a terminal.
pub(super) fn overwritable_note(text: impl Display) {
    let _ = write!(stderr(), "\r{}", harmless(&text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_of_other_texts_are_escaped() {
        assert_eq!(harmless(&"\u{1b}[2Jé\r\u{9b}1m\nnext"), "\\u{1b}[2Jé\\u{d}\\u{9b}1m\nnext");
        assert_eq!(cell("rain\nwood"), "rain\\nwood");
    }
}
