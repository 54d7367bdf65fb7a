//! What commands say: results on stdout, the rest on stderr. Nothing else in this package prints.
//!
//! A reader that has gone (`tasks list | head -1`) has read enough: a command that speaks to nobody comes to a quiet end.

use std::fmt::Display;
use std::io::{ErrorKind, Write as _, stderr, stdout};

use super::CommandError;

/// A line of what was asked for.
///
/// # Errors
/// [`CommandError::Unread`] where nobody reads it any more; another one where it can't be written, to a full disk say.
pub(super) fn line(text: impl Display) -> Result<(), CommandError> {
    writeln!(stdout(), "{text}").map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => CommandError::Unread,
        _ => CommandError::io("what the command says can't be written")(error),
    })
}

/// A line beside what was asked for.
///
/// # Errors
/// None: it is as [`line`] is.
pub(super) fn beside(text: impl Display) -> Result<(), CommandError> {
    aside(text);
    Ok(())
}

/// A line beside it, for people. Who has closed stderr wants none.
pub fn aside(text: impl Display) {
    let _ = writeln!(stderr(), "{text}");
}
