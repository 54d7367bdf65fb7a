//! Output of commands: results on stdout, notes on stderr. Nothing else prints.
//!
//! A closed stdout (`tasks list | head -1`) is no failure: the command stops quietly with exit code 0.

use std::fmt::Display;
use std::io::{ErrorKind, Write as _, stderr, stdout};

use super::CommandError;

/// Prints a line of the command's result to stdout.
///
/// # Errors
/// [`CommandError::Unread`] if the reader has closed stdout, [`CommandError::Io`] if writing fails, for
/// example on a full disk.
pub(super) fn line(text: impl Display) -> Result<(), CommandError> {
    writeln!(stdout(), "{text}").map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => CommandError::Unread,
        _ => CommandError::io("can't write the output")(error),
    })
}

/// Prints a note to stderr.
///
/// It has the signature of [`line`], to stand in for it.
///
/// # Errors
/// Never fails.
pub(super) fn beside(text: impl Display) -> Result<(), CommandError> {
    aside(text);
    Ok(())
}

/// Prints a note for people to stderr; a closed stderr is ignored.
pub fn aside(text: impl Display) {
    let _ = writeln!(stderr(), "{text}");
}
