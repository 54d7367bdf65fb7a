//! Converts a sentence to spoken words.
//!
//! Numbers, amounts, times, abbreviations and acronyms are written out.

use deunicode::deunicode_char;

use super::measures::with_digits;

/// A word or a pause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::speech) enum Token {
    /// Letters a to z, and apostrophes.
    Word(String),
    /// The pause of a comma.
    Pause,
}

#[rustfmt::skip]
pub(super) const ABBREVIATIONS: &[(&str, &str)] = &[
    ("mr", "mister"), ("mrs", "missis"), ("ms", "miz"), ("dr", "doctor"), ("prof", "professor"), ("st", "saint"),
    ("jr", "junior"), ("sr", "senior"), ("vs", "versus"), ("etc", "et cetera"), ("e.g", "for example"),
    ("i.e", "that is"), ("vol", "volume"), ("fig", "figure"), ("approx", "approximately"), ("dept", "department"),
    ("inc", "incorporated"), ("ltd", "limited"), ("corp", "corporation"), ("jan", "january"), ("feb", "february"),
    ("apr", "april"), ("aug", "august"), ("sept", "september"), ("sep", "september"), ("oct", "october"),
    ("nov", "november"), ("dec", "december"), ("mt", "mount"), ("ave", "avenue"), ("gen", "general"),
    ("lt", "lieutenant"), ("sgt", "sergeant"), ("capt", "captain"), ("rev", "reverend"), ("cf", "compare"),
];

/// Short words that are not acronyms, even in capitals.
const CAPITALS: &str = "THE AND NOT ALL YOU NEW NO YES FOR ARE WAS BUT CAN HAS HAD NOW WHO WHY HOW OUT OFF ONE TWO ITS \
    HIS HER SHE HE WE ME MY SO DO GO IF IN ON OF TO IS AM AN AS AT BE BY OR UP A I ANY OUR GET LET SEE STOP";

/// The names of the letters, spelled so that they are pronounced correctly.
const LETTERS: &str = "ay bee see dee ee eff jee aitch eye jay kay ell em en oh pee cue are ess tee you vee doubleyou \
    ex why zee";

/// Returns the tokens of a sentence.
pub(in crate::speech) fn tokens(sentence: &str) -> Vec<Token> {
    let letters = || sentence.chars().filter(|c| c.is_alphabetic());
    let capitals = letters().filter(|c| c.is_uppercase()).count();
    let shouted = letters().count() > 12 && capitals * 10 > letters().count() * 7;
    let raw: Vec<&str> = sentence.split_whitespace().collect();
    let mut tokens = Vec::new();
    let mut previous = String::new();
    for (index, raw_word) in raw.iter().enumerate() {
        let core = raw_word.trim_matches(|c: char| "\"'“”‘’()[]{}<>,;:.!?…*_~`|«»„".contains(c));
        if raw_word.starts_with(['(', '[', '—', '–']) || (*raw_word == "-" && index > 0) {
            pause(&mut tokens);
        }
        let next = raw.get(index + 1).copied().unwrap_or_default();
        let spoken_text = spoken(core, &previous, next, shouted);
        tokens.extend(spoken_text.split_whitespace().map(|word| Token::Word(word.to_owned())));
        let after = raw_word.trim_start_matches(|c| !char::is_alphanumeric(c));
        let after = after.get(after.trim_end_matches(|c| !char::is_alphanumeric(c)).len()..);
        if after.is_some_and(|after| after.contains([',', ';', ':', ')', ']', '…', '—', '–'])) {
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
        let is_abbreviation =
            next.chars().next().is_some_and(|c| c.is_uppercase() || c.is_ascii_digit()) || lower.len() > 2;
        if is_abbreviation && core != "DEC" && core != "INC" {
            return (*long).to_owned();
        }
    }
    let core = core.split_once("://").map_or(core, |(_, address)| address);
    if core.chars().any(|c| c.is_ascii_digit()) {
        with_digits(core, previous, next)
    } else {
        word(core, shouted)
    }
}

/// Reads a word without digits. Acronyms are spelled letter by letter.
pub(super) fn word(core: &str, shouted: bool) -> String {
    let mut words = String::new();
    // The dots of "U.S" and "wait...what" are silent.
    let is_silent = core.contains("..") || core.split('.').all(|part| part.len() == 1);
    let silent = if is_silent { '.' } else { '-' };
    for part in core.split(|c: char| {
        !c.is_alphanumeric() && c != '\'' && c != '’' && (c == silent || symbol(c).is_none())
    }) {
        let letters = part.chars().filter(|c| c.is_alphabetic()).count();
        let capitals = part.chars().filter(char::is_ascii_uppercase).count();
        let known = CAPITALS.split_whitespace().any(|known| known == part);
        words.push(' ');
        if !shouted
            && !known
            && capitals > 1
            && capitals == letters
            && (letters <= 3 || !is_pronounceable(part))
        {
            let names = part.bytes().filter(u8::is_ascii_uppercase);
            let names = names.filter_map(|letter| LETTERS.split(' ').nth(usize::from(letter - b'A')));
            words.push_str(&names.collect::<Vec<_>>().join(" "));
        } else {
            words.push_str(&plain(part));
        }
    }
    words
}

/// Returns whether capitals can be read as a word: NASA can, HTTP can't.
fn is_pronounceable(capitals: &str) -> bool {
    let is_vowel = |c: char| "AEIOUY".contains(c);
    let longest = capitals.split(is_vowel).map(str::len).max().unwrap_or_default();
    let vowels = capitals.chars().filter(|c| is_vowel(*c)).count();
    longest <= 3 && (vowels >= 2 || vowels * 4 >= capitals.len() && capitals.starts_with(is_vowel))
}

/// The maximum number of letters that one letter of another script becomes.
const MAX_LETTERS: usize = 6;

/// Converts a part of a word to lower-case letters a to z and apostrophes.
///
/// Symbols become words. A capital after a lower-case letter starts a new word.
fn plain(part: &str) -> String {
    let mut words = String::new();
    let mut before_small = false;
    for letter in part.chars() {
        if letter.is_uppercase() && before_small {
            words.push(' ');
        }
        before_small = letter.is_lowercase();
        match letter {
            '\'' | '’' => words.push('\''),
            letter if letter.is_alphabetic() => {
                let latin = deunicode_char(letter).unwrap_or_default().chars().take(MAX_LETTERS);
                words.extend(
                    latin.filter(|c| c.is_ascii_alphabetic() || *c == ' ').map(|c| c.to_ascii_lowercase()),
                );
            }
            sign => words.push_str(symbol(sign).unwrap_or_default()),
        }
    }
    let spoken_text = words.split_whitespace().map(|word| match word {
        "www" => "double you double you double you",
        word => word.trim_matches('\''),
    });
    spoken_text.collect::<Vec<_>>().join(" ")
}

pub(super) fn symbol(character: char) -> Option<&'static str> {
    Some(match character {
        '&' => " and ",
        '+' => " plus ",
        '=' => " equals ",
        '%' => " percent ",
        '@' => " at ",
        '.' => " dot ",
        '/' => " slash ",
        '_' => " underscore ",
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

#[cfg(test)]
mod tests {
    use super::*;

    fn spoken_text(text: &str) -> String {
        let words = tokens(text).into_iter().map(|token| match token {
            Token::Word(word) => word,
            Token::Pause => ",".to_owned(),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn numbers_and_abbreviations_are_spoken_in_full() {
        for (written, spoken) in [
            ("Hello, world", "hello , world"),
            ("Mr. Smith has 3 cats.", "mister smith has three cats"),
            ("It costs $5.20, not £1", "it costs five dollars and twenty cents , not one pound"),
            ("$3M and $2 million", "three million dollars and two million"),
            ("on May 5, 2024", "on may fifth , twenty twenty four"),
            ("at 9:05 and 10:30pm", "at nine oh five and ten thirty pee em"),
            ("the 21st of 1,000", "the twenty first of one thousand"),
            ("50% of 3.14", "fifty percent of three point one four"),
            ("5-10 km", "five to ten km"),
            ("12km at 80mph", "twelve kilometers at eighty miles per hour"),
            ("the FBI and NASA", "the eff bee eye and nasa"),
            ("an HTTP URL", "an aitch tee tee pee you are ell"),
            ("MP3 files", "em pee three files"),
            ("mail me@example.com", "mail me at example dot com"),
            ("https://www.x2.org", "double you double you double you dot x two dot org"),
            ("the U.S. wait...what", "the u s wait what"),
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
            assert_eq!(spoken_text(written), spoken, "{written}");
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
            "1:2:3",
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
