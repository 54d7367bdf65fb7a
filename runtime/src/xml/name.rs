//! Names in XML. The runtime and the generator contain the same file.

/// Returns whether a text is a name in XML, without a prefix.
pub(crate) fn is_name(text: &str) -> bool {
    let is_start = |it: char| it == '_' || it.is_ascii_alphabetic() || !it.is_ascii() && is_start(it);
    let mut characters = text.chars();
    characters.next().is_some_and(is_start)
        && characters.all(|it| is_start(it) || matches!(it, '-' | '.' | '0'..='9' | '\u{b7}' | '\u{300}'..='\u{36f}' | '\u{203f}'..='\u{2040}'))
}

/// Returns whether a name can start with a character beyond ASCII.
fn is_start(character: char) -> bool {
    matches!(
        character,
        '\u{c0}'..='\u{d6}'
            | '\u{d8}'..='\u{f6}'
            | '\u{f8}'..='\u{2ff}'
            | '\u{370}'..='\u{37d}'
            | '\u{37f}'..='\u{1fff}'
            | '\u{200c}'..='\u{200d}'
            | '\u{2070}'..='\u{218f}'
            | '\u{2c00}'..='\u{2fef}'
            | '\u{3001}'..='\u{d7ff}'
            | '\u{f900}'..='\u{fdcf}'
            | '\u{fdf0}'..='\u{fffd}'
            | '\u{10000}'..='\u{effff}'
    )
}
