//! Splits long texts where a speaker would pause.

/// Splits a text into parts of at most `most` characters, at ends of sentences.
///
/// A longer sentence is split at a space, and a longer word anywhere. Parts have no white space at their ends.
pub(super) fn split(text: &str, most: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (part, after) = rest.split_at(end_of_part(rest, most.max(1)));
        parts.push(part.trim_end());
        rest = after.trim_start();
    }
    parts
}

/// Returns where the first part ends.
fn end_of_part(text: &str, most: usize) -> usize {
    let Some((limit, _)) = text.char_indices().nth(most) else { return text.len() };
    let (mut sentence, mut word) = (None, None);
    let mut previous = ' ';
    // The character after the part decides, too: a sentence may end exactly at the limit.
    for (index, character) in text.char_indices().take_while(|(index, _)| *index <= limit) {
        if character.is_whitespace() {
            word = Some(index);
            if matches!(previous, '.' | '!' | '?' | '…' | ':' | ';') || character == '\n' {
                sentence = Some(index);
            }
        }
        // Chinese and Japanese have no spaces between sentences.
        if matches!(previous, '。' | '！' | '？') {
            sentence = Some(index);
        }
        previous = character;
    }
    sentence.or(word).filter(|end| *end > 0).unwrap_or(limit)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn parts_end_with_sentences_then_words_then_anywhere() {
        let cases: &[(&str, usize, &[&str])] = &[
            ("", 10, &[]),
            ("  One. ", 10, &["One."]),
            ("One. Two. Three.", 9, &["One. Two.", "Three."]),
            ("One. Two. Three.", 8, &["One.", "Two.", "Three."]),
            ("Version 1.5 is out", 12, &["Version 1.5", "is out"]),
            ("abcdefgh", 3, &["abc", "def", "gh"]),
            ("你好。再见。", 4, &["你好。", "再见。"]),
            ("ééé ééé", 4, &["ééé", "ééé"]),
        ];
        for (text, most, expected) in cases {
            assert_eq!(split(text, *most), *expected, "{text} {most}");
        }
    }

    proptest! {
        #[test]
        fn no_character_is_lost(text in "[a-z.!? \u{e9}\u{3002}\n]{0,80}", most in 0..20_usize) {
            let parts = split(&text, most);
            prop_assert!(parts.iter().all(|part| part.chars().count() <= most.max(1) && !part.is_empty()));
            let without = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(without(&parts.concat()), without(&text));
        }
    }
}
