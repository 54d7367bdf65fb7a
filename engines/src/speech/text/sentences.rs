//! Splits a text into sentences.
//!
//! A sentence is the unit of work, so its length is limited.

use super::tokens::ABBREVIATIONS;

/// The end of a sentence, which determines its melody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::speech) enum Ending {
    Statement,
    Question,
    Exclamation,
    /// The sentence was cut because it was too long, and continues.
    Open,
}

/// A sentence, or a part of one that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::speech) struct Sentence<'a> {
    pub(in crate::speech) text: &'a str,
    pub(in crate::speech) ending: Ending,
    /// Whether a paragraph ends here.
    pub(in crate::speech) last: bool,
}

/// The maximum length of a sentence, in bytes. A longer one is cut at a blank if it has one.
const MAX_BYTES: usize = 400;

/// Further abbreviations whose full stop does not end a sentence.
const ABBREVIATED: &str = "no est co mar jun jul col hon al ca";

/// Returns the sentences in order. Together they contain the whole text except blanks between them.
pub(in crate::speech) fn sentences(text: &str) -> impl Iterator<Item = Sentence<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let (length, ending) = first(rest);
        let (text, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        rest = after;
        let gap: &str = after.split(|c: char| !c.is_whitespace()).next().unwrap_or_default();
        let last = ending != Ending::Open && gap.matches('\n').count() > 1;
        Some(Sentence { text: text.trim_end(), ending, last })
    })
}

/// Returns the length of the first sentence in bytes, and its ending.
fn first(text: &str) -> (usize, Ending) {
    let mut blank = None;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        let after = at + character.len_utf8();
        if after > MAX_BYTES {
            return (blank.filter(|blank| *blank > 0).unwrap_or(at.max(character.len_utf8())), Ending::Open);
        }
        match character {
            '\n' if next.is_none_or(char::is_whitespace) => return (after, Ending::Statement),
            ' ' | '\n' | '\t' => blank = Some(at),
            '.' | '!' | '?' | '…' | '。' | '！' | '？' => {
                let ends = next.is_none_or(|next| next.is_whitespace() || "\"'”’)]".contains(next))
                    || matches!(character, '。' | '！' | '？');
                if ends && !(character == '.' && is_abbreviation(text.get(..at).unwrap_or_default())) {
                    let closing: usize = text
                        .get(after..)
                        .unwrap_or_default()
                        .chars()
                        .take_while(|next| "\"'”’)].!?".contains(*next))
                        .map(char::len_utf8)
                        .sum();
                    let whole = text.get(..after + closing).unwrap_or(text);
                    return (after + closing, ending(whole));
                }
            }
            _ => {}
        }
    }
    (text.len(), ending(text))
}

fn ending(sentence: &str) -> Ending {
    let marks = sentence.trim_end_matches(|c: char| "\"'”’)] \n\t".contains(c));
    match marks.chars().last() {
        Some('?' | '？') => Ending::Question,
        Some('!' | '！') => Ending::Exclamation,
        _ => Ending::Statement,
    }
}

fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let lower = word.to_lowercase();
    // An initial, as in "J. Smith". The word "I" can end a sentence.
    let initial = word.len() == 1 && word != "I" && word.chars().all(char::is_uppercase);
    initial
        || ABBREVIATIONS.iter().any(|(short, _)| *short == lower)
        || ABBREVIATED.split(' ').any(|short| short == lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(&str, Ending)> {
        sentences(text).map(|sentence| (sentence.text, sentence.ending)).collect()
    }

    #[test]
    fn sentences_end_where_they_end() {
        use Ending::{Exclamation, Question, Statement};
        assert_eq!(
            cut("Hello there. How are you? Fine!"),
            [("Hello there.", Statement), ("How are you?", Question), ("Fine!", Exclamation)]
        );
        assert_eq!(
            cut("Dr. Smith paid 3.50. \"Why?\" he said"),
            [("Dr. Smith paid 3.50.", Statement), ("\"Why?\"", Question), ("he said", Statement)]
        );
        assert_eq!(cut("See example.com for more."), [("See example.com for more.", Statement)]);
        assert!(cut("   ").is_empty());
    }

    #[test]
    fn parts_contain_all_letters_and_are_not_too_long() {
        for text in ["word ".repeat(500), "x".repeat(3000), "é".repeat(1000), "a.b!c?d ".repeat(300)] {
            let parts = cut(&text);
            assert!(parts.iter().all(|(part, _)| part.len() <= MAX_BYTES && !part.is_empty()));
            let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
            assert_eq!(parts.iter().map(|(part, _)| letters(part)).sum::<usize>(), letters(&text));
        }
    }

    #[test]
    fn the_last_sentence_of_a_paragraph_is_marked() {
        let parts: Vec<bool> = sentences("One. Two.\n\nThree.").map(|sentence| sentence.last).collect();
        assert_eq!(parts, [false, true, false]);
    }
}
