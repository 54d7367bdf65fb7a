//! Converts a sentence to spoken words.
//!
//! Numbers, amounts, dates, times, abbreviations and acronyms are written out.

use super::quantities::with_digits;
use super::{letters, quantities};

/// A word or a pause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::speech) enum Token {
    /// Letters a to z, and apostrophes.
    Word(String),
    /// The pause of a comma.
    Pause,
}

#[rustfmt::skip]
const ABBREVIATIONS: &[(&str, &str)] = &[
    ("mr", "mister"), ("mrs", "missis"), ("ms", "miz"), ("dr", "doctor"), ("prof", "professor"), ("st", "saint"),
    ("jr", "junior"), ("sr", "senior"), ("vs", "versus"), ("etc", "et cetera"), ("e.g", "for example"),
    ("i.e", "that is"), ("vol", "volume"), ("fig", "figure"), ("approx", "approximately"), ("dept", "department"),
    ("inc", "incorporated"), ("ltd", "limited"), ("corp", "corporation"), ("jan", "january"), ("feb", "february"),
    ("apr", "april"), ("aug", "august"), ("sept", "september"), ("sep", "september"), ("oct", "october"),
    ("nov", "november"), ("dec", "december"), ("mt", "mount"), ("ave", "avenue"), ("gen", "general"),
    ("lt", "lieutenant"), ("sgt", "sergeant"), ("capt", "captain"), ("rev", "reverend"), ("cf", "compare"),
];

/// Short words in capitals that are not acronyms.
const CAPITALS: &str = "THE AND NOT ALL YOU NEW NO YES FOR ARE WAS BUT CAN HAS HAD NOW WHO WHY HOW OUT OFF ONE TWO ITS \
    HIS HER SHE HE WE ME MY SO DO GO IF IN ON OF TO IS AM AN AS AT BE BY OR UP A I ANY OUR GET LET SEE STOP";

/// Returns the tokens of a sentence.
pub(in crate::speech) fn tokens(sentence: &str) -> Vec<Token> {
    let shouted = {
        let letters = || sentence.chars().filter(|c| c.is_alphabetic());
        letters().count() > 12 && letters().filter(|c| c.is_uppercase()).count() * 10 > letters().count() * 7
    };
    let raw: Vec<&str> = sentence.split_whitespace().collect();
    let mut tokens = Vec::new();
    let mut previous = String::new();
    for (index, raw_word) in raw.iter().enumerate() {
        let core = raw_word.trim_matches(|c: char| "\"'“”‘’()[]{}<>,;:.!?…*_~`|«»„".contains(c));
        if raw_word.starts_with(['(', '[', '—', '–']) || (*raw_word == "-" && index > 0) {
            pause(&mut tokens);
        }
        let next = raw.get(index + 1).copied().unwrap_or_default();
        let said = spoken(core, &previous, next, shouted);
        tokens.extend(said.split_whitespace().map(|word| Token::Word(word.to_owned())));
        let after = raw_word
            .get(raw_word.trim_end_matches(|c: char| !c.is_alphanumeric()).len()..)
            .unwrap_or_default();
        if after.contains([',', ';', ':', ')', ']', '…', '—', '–']) {
            pause(&mut tokens);
        }
        previous = core.to_lowercase();
    }
    while tokens.last() == Some(&Token::Pause) {
        tokens.pop();
    }
    tokens
}

fn pause(tokens: &mut Vec<Token>) {
    if matches!(tokens.last(), Some(Token::Word(_))) {
        tokens.push(Token::Pause);
    }
}

/// Converts a word of the text to spoken words, separated by blanks.
fn spoken(core: &str, previous: &str, next: &str, shouted: bool) -> String {
    let lower = core.to_lowercase();
    if let Some((_, long)) = ABBREVIATIONS.iter().find(|(short, _)| *short == lower) {
        let means_it =
            next.chars().next().is_some_and(|c| c.is_uppercase() || c.is_ascii_digit()) || lower.len() > 2;
        if means_it && core != "DEC" && core != "INC" {
            return (*long).to_owned();
        }
    }
    if core.chars().any(|c| c.is_ascii_digit()) {
        return with_digits(core, &lower, previous, next);
    }
    if core.contains('@')
        || core.contains("://")
        || (core.contains('.') && core.split('.').all(|part| part.len() > 1))
    {
        return address(core);
    }
    word(core, shouted)
}

pub(super) fn word(core: &str, shouted: bool) -> String {
    let mut words = String::new();
    for part in core.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’' && symbol(c).is_none()) {
        let letters = part.chars().filter(|c| c.is_alphabetic()).count();
        let capitals = part.chars().filter(|c| c.is_ascii_uppercase()).count();
        let known = CAPITALS.split_whitespace().any(|known| known == part);
        words.push(' ');
        if !shouted && !known && capitals > 1 && capitals == letters && (letters <= 3 || !sayable(part)) {
            words.push_str(&spelled_out(part));
        } else {
            words.push_str(&plain(part));
        }
    }
    words
}

/// Returns whether capitals can be read as a word: NASA can, HTTP can't.
fn sayable(capitals: &str) -> bool {
    let is_vowel = |c: char| "AEIOUY".contains(c);
    let mut row = 0;
    for letter in capitals.chars() {
        row = if is_vowel(letter) { 0 } else { row + 1 };
        if row > 3 {
            return false;
        }
    }
    let vowels = capitals.chars().filter(|c| is_vowel(*c)).count();
    vowels * 4 >= capitals.len() && !capitals.starts_with(|c: char| !is_vowel(c)) || vowels >= 2
}

/// Spells a word letter by letter.
fn spelled_out(part: &str) -> String {
    let plural = part.ends_with('s') && part.len() > 2;
    let letters = if plural { part.trim_end_matches('s') } else { part };
    let names: Vec<&str> = letters.chars().map(letters::name).filter(|name| !name.is_empty()).collect();
    names.join(" ")
}

/// Converts to lower-case letters a to z and apostrophes.
///
/// Symbols become words. A capital after a small letter starts a new word.
fn plain(part: &str) -> String {
    let mut words = String::new();
    let mut before_small = false;
    for letter in part.chars() {
        if letter.is_uppercase() && before_small {
            words.push(' ');
        }
        before_small = letter.is_lowercase();
        for letter in letter.to_lowercase() {
            match letter {
                'a'..='z' | '\'' => words.push(letter),
                '’' => words.push('\''),
                _ => {
                    words.push_str(letters::plain(letter).or_else(|| symbol(letter)).unwrap_or_default());
                }
            }
        }
    }
    words.split_whitespace().map(|word| word.trim_matches('\'')).collect::<Vec<_>>().join(" ")
}

pub(super) fn symbol(character: char) -> Option<&'static str> {
    Some(match character {
        '&' => " and ",
        '+' => " plus ",
        '=' => " equals ",
        '%' => " percent ",
        '@' => " at ",
        '#' => " number ",
        '°' => " degrees ",
        '€' => " euros ",
        '$' => " dollars ",
        '£' => " pounds ",
        '×' => " times ",
        '÷' => " divided by ",
        '→' => " to ",
        '©' => " copyright ",
        _ => return None,
    })
}

pub(super) fn address(core: &str) -> String {
    let text = core.split_once("://").map_or(core, |(_, rest)| rest);
    let mut words = String::new();
    for part in text.split_inclusive(['.', '@', '/', '-', '_', ':', '?', '=']) {
        let name = part.trim_end_matches(['.', '@', '/', '-', '_', ':', '?', '=']);
        words.push(' ');
        words.push_str(&match name {
            "www" => "double you double you double you".to_owned(),
            name if name.chars().any(|c| c.is_ascii_digit()) => quantities::mixed(name),
            name => word(name, false),
        });
        words.push_str(match part.chars().last() {
            Some('.') => " dot",
            Some('@') => " at",
            Some('/') => " slash",
            Some('-') => " dash",
            Some('_') => " underscore",
            _ => "",
        });
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        let words: Vec<String> = tokens(text)
            .into_iter()
            .map(|token| match token {
                Token::Word(word) => word,
                Token::Pause => ",".to_owned(),
            })
            .collect();
        words.join(" ")
    }

    #[test]
    fn what_is_written_is_said_in_full() {
        for (written, spoken) in [
            ("Hello, world", "hello , world"),
            ("Mr. Smith has 3 cats.", "mister smith has three cats"),
            ("It costs $5.20, not £1", "it costs five dollars and twenty cents , not one pound"),
            ("$3M", "three million dollars"),
            ("on May 5, 2024", "on may fifth , twenty twenty four"),
            ("2026-11-21", "november twenty first twenty twenty six"),
            ("at 9:05 and 10:30pm", "at nine oh five and ten thirty pee em"),
            ("the 21st of 1,000", "the twenty first of one thousand"),
            ("50% of 3.14", "fifty percent of three point one four"),
            ("5-10 km", "five to ten km"),
            ("12km at 80mph", "twelve kilometers at eighty miles per hour"),
            ("the FBI and NASA", "the eff bee eye and nasa"),
            ("an HTTP URL", "an aitch tee tee pee you are ell"),
            ("MP3 files", "em pee three files"),
            ("mail me@example.com", "mail me at example dot com"),
            ("3/4 of it", "three quarters of it"),
            ("rock & roll", "rock and roll"),
            ("well-known", "well known"),
            ("don't", "don't"),
            ("the 1980s", "the nineteen eightys"),
            ("-5°C outside", "minus five degrees celsius outside"),
            ("café", "cafe"),
            ("STOP SHOUTING AT ME NOW", "stop shouting at me now"),
            ("e.g. this", "for example this"),
            ("Привет", "privet"),
        ] {
            assert_eq!(said(written), spoken, "{written}");
        }
    }

    #[test]
    fn every_text_becomes_letters() {
        for text in [
            "雨が降る",
            "🙂",
            "¿Qué?",
            "a\u{0}b",
            "١٢٣",
            "½",
            "1e10",
            "...",
            "$",
            "-",
            "1.2.3.4",
            "'",
            "9999999999999999999999",
        ] {
            for token in tokens(text) {
                if let Token::Word(word) = token {
                    assert!(word.chars().all(|c| c.is_ascii_lowercase() || c == '\''), "{text}: {word}");
                }
            }
        }
    }
}
