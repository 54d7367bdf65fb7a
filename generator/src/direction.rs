//! Escapes characters that change the direction of text.

use std::borrow::Cow;

/// Returns the code with directional characters as escapes: `\u{202b}`.
///
/// The compiler refuses them in literals and comments, because code could look different from what it does. The same
/// escape is right in both, and in the examples of doc comments. Only raw strings must not contain such characters.
pub(crate) fn escape(code: &str) -> Cow<'_, str> {
    // All of them begin with this byte, which is rare.
    if !code.as_bytes().contains(&0xe2) || !code.contains(is_directional) {
        return Cow::Borrowed(code);
    }
    let mut escaped = String::with_capacity(code.len() + 8);
    for character in code.chars() {
        if is_directional(character) {
            escaped.extend(character.escape_unicode());
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

/// Returns whether a character changes the direction of the text after it.
pub(crate) fn is_directional(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_directional_characters_are_escaped() {
        assert_eq!(escape("// שלום …"), "// שלום …");
        assert_eq!(escape("// \u{202b}שלום\u{202c}"), "// \\u{202b}שלום\\u{202c}");
        assert_eq!(escape("\"\u{2066}é\u{2069}\""), "\"\\u{2066}é\\u{2069}\"");
    }
}
