//! Escapes characters that make a text look different from what it is.

use std::borrow::Cow;

/// Returns the code with directional characters as escapes: `\u{202b}`.
///
/// The compiler refuses them in literals and comments, because code could look different from what it does. The same
/// escape is right in both, and in the examples of doc comments. Only raw strings must not contain such characters.
pub fn code(code: &str) -> Cow<'_, str> {
    // All of them begin with this byte, which is rare.
    if !code.as_bytes().contains(&0xe2) {
        return Cow::Borrowed(code);
    }
    escaped(code, is_directional)
}

/// Returns a text of a document as one line of a human-readable report.
///
/// Control characters could control a terminal or look like other lines, and directional characters could change what a
/// reader sees. They are shown as escapes: `\n`, `\u{1b}`.
pub fn escape_line(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden)
}

/// Returns lines of a human-readable report, with the same escapes as [`escape_line`].
#[cfg(feature = "cli")]
pub fn escape_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |character| character != '\n' && is_hidden(character))
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool + Copy) -> Cow<'_, str> {
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match is_escaped(character) {
            true => escaped.extend(character.escape_default()),
            false => escaped.push(character),
        }
    }
    Cow::Owned(escaped)
}

/// Returns whether a character changes the direction of the text after it.
pub fn is_directional(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns whether a human-readable report shows an escape in place of the character.
pub fn is_hidden(character: char) -> bool {
    // Marks of a direction, and separators of lines and paragraphs.
    let is_mark = matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}');
    character.is_control() || is_directional(character) || is_mark
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_directional_characters_of_code_are_escaped() {
        assert_eq!(code("// שלום …"), "// שלום …");
        assert_eq!(code("// \u{202b}שלום\u{202c}"), "// \\u{202b}שלום\\u{202c}");
        assert_eq!(code("\"\u{2066}é\u{2069}\""), "\"\\u{2066}é\\u{2069}\"");
    }

    #[test]
    fn texts_for_people_control_nothing() {
        assert_eq!(
            escape_line("a\u{1b}[31m\r\n\t\0\u{9b}\u{202e}é"),
            "a\\u{1b}[31m\\r\\n\\t\\u{0}\\u{9b}\\u{202e}é"
        );
    }
}
