//! Errors as the log shows them: without user text.
//!
//! Messages of libraries and of databases put the values that they name into quotation marks: `invalid type: string "…"`,
//! `invalid input syntax for type json: "…"`. So a message is shown up to its first mark.

use std::any::Any;
use std::error::Error;

/// The characters that begin a value, in the languages of databases and libraries.
const MARKS: [char; 8] = ['"', '\'', '`', '«', '„', '“', '‘', '»'];

/// Returns a message up to the first value in it.
#[must_use]
pub fn without_values(message: &str) -> &str {
    let message = message.lines().next().unwrap_or_default();
    let mut marks = message.match_indices(MARKS).map(|(at, _)| at);
    let end = marks.find(|at| !is_apostrophe(message, *at)).unwrap_or(message.len());
    message.get(..end).unwrap_or_default().trim_end_matches([' ', ':', '(', '='])
}

/// Returns whether a mark is the apostrophe of a word such as `can't`, which begins no value.
fn is_apostrophe(message: &str, at: usize) -> bool {
    let Some((before, after)) = message.split_at_checked(at) else { return false };
    let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphabetic);
    let mut after = after.chars();
    after.next() == Some('\'') && is_letter(before.chars().next_back()) && is_letter(after.next())
}

/// Returns an error with its causes, in one line and without values.
#[must_use]
pub fn without_values_of(error: &(dyn Error + 'static)) -> String {
    let mut shown = without_values(&error.to_string()).to_owned();
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        let text = without_values(&text);
        // Most errors show their cause themselves.
        if !shown.contains(text) {
            shown.push_str(": ");
            shown.push_str(text);
        }
        source = cause.source();
    }
    shown
}

/// Returns the message of a panic without values.
#[must_use]
pub fn panic_text(payload: &dyn Any) -> &str {
    match payload.downcast_ref::<&str>() {
        // A literal of a source.
        Some(text) => text,
        None => without_values(payload.downcast_ref::<String>().map_or("no message", String::as_str)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cut_off() {
        for (message, shown) in [
            (
                "index row size 2712 exceeds btree version 4 maximum 2704 for index \"title\"",
                "index row size 2712 exceeds btree version 4 maximum 2704 for index",
            ),
            ("invalid type: string \"a secret\", expected u8", "invalid type: string"),
            ("byte index 3 is out of bounds of `a secret`", "byte index 3 is out of bounds of"),
            ("Schlüssel „a secret“ existiert bereits", "Schlüssel"),
            ("No space left on device (os error 28)", "No space left on device (os error 28)"),
            ("can't parse 'a secret'", "can't parse"),
            ("first line\nDETAIL: a secret", "first line"),
            ("", ""),
        ] {
            assert_eq!(without_values(message), shown);
        }
    }

    #[test]
    fn causes_are_shown_once() {
        let json = || serde_json::from_str::<u8>("\"a secret\"").unwrap_err();
        assert_eq!(without_values_of(&json()), "invalid type: string");
        let error = crate::store::Error::from(sqlx::Error::Decode(Box::new(json())));
        let shown = without_values_of(&error);
        assert!(shown.contains("invalid type: string") && !shown.contains("secret"), "{shown}");
        assert_eq!(shown.matches("invalid type").count(), 1, "{shown}");
    }

    #[test]
    fn panics_show_literals_and_no_values() {
        assert_eq!(panic_text(&"a literal with `marks`"), "a literal with `marks`");
        assert_eq!(panic_text(&String::from("called with \"a secret\"")), "called with");
        assert_eq!(panic_text(&1), "no message");
    }
}
