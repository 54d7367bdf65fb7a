//! Splits a text into words, the basis for names in any case.

use deunicode::deunicode;
use heck::ToSnakeCase;

/// The maximum length of a name in bytes.
///
/// Module names are file names, and file systems allow 255 bytes.
const MAX_LENGTH: usize = 200;

/// The words of a text in lower case. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words(Vec<String>);

impl Words {
    /// Splits a text, and spells out the symbols at its start and end.
    pub fn of(text: &str) -> Self {
        Self::split(&spell(text, false))
    }

    /// Splits a text, and spells out every symbol.
    pub fn spelled_out(text: &str) -> Self {
        Self::split(&spell(text, true))
    }

    fn split(spelled: &str) -> Self {
        let words: Vec<String> =
            spelled.to_snake_case().split('_').filter(|word| !word.is_empty()).map(str::to_owned).collect();
        Self(if words.is_empty() { vec!["empty".to_owned()] } else { bounded(words) })
    }

    /// Transliterates the words to ASCII, for the names of modules and their files.
    pub fn ascii(&self) -> Self {
        if self.0.iter().all(|word| word.is_ascii()) {
            return self.clone();
        }
        Self::split(&self.0.iter().map(|word| deunicode(word)).collect::<Vec<_>>().join(" "))
    }

    /// Joins the words in `snake_case`.
    pub fn snake(&self) -> String {
        // `OAuth2` is a single word, although it looks like two.
        let is_half = |words: &[String]| matches!(words, [o, auth] if o == "o" && auth.starts_with("auth"));
        let mut joined = String::new();
        for (index, word) in self.0.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|before| self.0.get(before..=index));
            if before.is_some_and(|pair| !is_half(pair)) {
                joined.push('_');
            }
            joined.push_str(word);
        }
        if begins_with_letter(&joined) { joined } else { format!("n_{joined}") }
    }

    /// Joins the words in `SCREAMING_SNAKE_CASE`.
    pub fn screaming(&self) -> String {
        self.snake().to_uppercase()
    }

    /// Joins the words in `PascalCase`.
    pub fn pascal(&self) -> String {
        let joined = self.after("");
        if begins_with_letter(&joined) { joined } else { format!("N{joined}") }
    }

    /// Appends the words in `PascalCase` to the beginning of a name.
    pub fn after(&self, beginning: &str) -> String {
        let mut name = beginning.to_owned();
        for word in &self.0 {
            let continues = name.chars().next_back().is_some_and(char::is_numeric);
            let letters = word.trim_start_matches(char::is_numeric);
            let digits = word.strip_suffix(letters).unwrap_or_default();
            if continues && !digits.is_empty() {
                name.push('_');
            }
            name.push_str(digits);
            let mut letters = letters.chars();
            // `V2_6Request`, but `N3dModel`: a name continues behind a number, and a word can begin with one.
            if continues || digits.is_empty() {
                name.extend(letters.next().into_iter().flat_map(char::to_uppercase));
            }
            name.push_str(letters.as_str());
        }
        name
    }
}

/// Cuts words that are too long for a name, and appends a hash of all of them.
fn bounded(words: Vec<String>) -> Vec<String> {
    let joined = words.join("_");
    if joined.len() <= MAX_LENGTH {
        return words;
    }
    let beginning = (0..=MAX_LENGTH).rev().find_map(|end| joined.get(..end)).unwrap_or_default();
    let kept = beginning.split('_').filter(|word| !word.is_empty()).map(str::to_owned);
    kept.chain([fingerprint(&joined)]).collect()
}

/// Returns a short hash of a text, the same on every machine.
///
/// It makes names unique that can't be distinguished otherwise.
pub fn fingerprint(text: &str) -> String {
    let hash = hash(text);
    format!("x{:08x}", (hash >> 32) ^ (hash & 0xffff_ffff))
}

/// Returns the hash FNV-1a. It detects accidental differences, and need not resist attacks.
pub fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn begins_with_letter(text: &str) -> bool {
    text.chars().next().is_some_and(unicode_ident::is_xid_start)
}

/// Replaces symbols by words: all of them, or only those at the ends.
fn spell(text: &str, all: bool) -> String {
    let characters: Vec<char> = text.chars().collect();
    let first = characters.iter().position(|character| character.is_alphanumeric());
    let last = characters.iter().rposition(|character| character.is_alphanumeric());
    let mut spelled = String::with_capacity(text.len() + 8);
    for (index, &character) in characters.iter().enumerate() {
        // Rust does not allow all letters and digits in identifiers.
        if character.is_alphanumeric() && unicode_ident::is_xid_continue(character) {
            spelled.push(character);
            continue;
        }
        let neighbours =
            (index.checked_sub(1).and_then(|before| characters.get(before)), characters.get(index + 1));
        let inside = first.is_some_and(|first| index > first) && last.is_some_and(|last| index < last);
        let word = match (character, neighbours) {
            _ if character.is_alphanumeric() => "",
            ('*', (Some(before), Some(after))) if before.is_numeric() && after.is_numeric() => "x",
            ('&', _) => " and ",
            _ if inside && !all => " ",
            // These often start or end a name without a meaning.
            (
                '_' | ' ' | '\t' | '\n' | '\r' | '(' | ')' | '[' | ']' | '{' | '}' | '"' | '\'' | '`' | ','
                | ';',
                _,
            ) if !all && first.is_some() => " ",
            ('-' | '.' | '/' | ':' | '?' | '!', _) if !all && last.is_some_and(|last| index > last) => " ",
            ('/', _) if !all && first.is_some() => " ",
            // `.get_info`, but `.5`.
            ('.', (_, Some(after))) if !all && after.is_alphabetic() => " ",
            ('-', _) if inside => " dash ",
            _ => symbol(character),
        };
        if word.is_empty() {
            spelled.push_str(&format!(" u{:x} ", u32::from(character)));
        } else {
            spelled.push_str(word);
        }
    }
    spelled
}

fn symbol(character: char) -> &'static str {
    match character {
        '+' => " plus ",
        '-' => " minus ",
        '@' => " at ",
        '$' => " dollar ",
        '#' => " hash ",
        '%' => " percent ",
        '*' => " star ",
        '!' => " not ",
        '~' => " tilde ",
        '^' => " caret ",
        '=' => " equal ",
        '<' => " less ",
        '>' => " greater ",
        '?' => " question ",
        '|' => " pipe ",
        '.' => " dot ",
        ',' => " comma ",
        ':' => " colon ",
        ';' => " semicolon ",
        '/' => " slash ",
        '\\' => " backslash ",
        '_' => " underscore ",
        ' ' => " space ",
        '\t' => " tab ",
        '\n' | '\r' => " newline ",
        '(' | ')' => " parenthesis ",
        '[' | ']' => " bracket ",
        '{' | '}' => " brace ",
        '"' => " quote ",
        '\'' => " apostrophe ",
        '`' => " backtick ",
        '&' => " and ",
        _ => "",
    }
}
