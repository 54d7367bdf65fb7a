//! Relevance: ranks the records that contain all words of a search.
//!
//! The database or the index finds the matches, most popular first. The rank depends on where the words occur
//! in a record. It is the same for both databases, and its cost is bounded.

/// The number of matches, most popular first, that are ranked by relevance.
///
/// The others follow by popularity.
pub const CANDIDATES: usize = 1000;

/// Splits a text into words in lower case, as the databases search for them.
///
/// Characters other than letters and digits separate words. At most [`MAX_WORDS`] words are returned, and at most
/// [`MAX_WORD_CHARACTERS`] characters of each.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(MAX_WORDS)
        .map(|word| start(word).to_lowercase())
        .collect()
}

/// Returns whether [`words`] leaves out nothing of a text but white space.
#[must_use]
pub fn is_clean(text: &str) -> bool {
    let is_word = |word: &str| word.chars().all(char::is_alphanumeric) && start(word) == word;
    text.split_whitespace().count() <= MAX_WORDS && text.split_whitespace().all(is_word)
}

/// Returns a word without its plural ending, so that singular and plural match.
#[must_use]
pub fn stem(word: &str) -> String {
    let (stem, end) = singular(word);
    [stem, end].concat()
}

/// Passes the stem of each word of a text to `with`.
///
/// It allocates no string for each stem, because an index consists of millions.
pub fn each_stem(text: &str, mut with: impl FnMut(&str)) {
    let mut buffer = String::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(MAX_WORDS) {
        let word = start(word);
        buffer.clear();
        if word.is_ascii() {
            buffer.push_str(word);
            buffer.make_ascii_lowercase();
        } else {
            buffer.push_str(&word.to_lowercase());
        }
        let (stem, end) = singular(&buffer);
        let length = stem.len();
        buffer.truncate(length);
        buffer.push_str(end);
        with(&buffer);
    }
}

/// Returns the first [`MAX_WORD_CHARACTERS`] characters of a word.
#[must_use]
pub fn start(word: &str) -> &str {
    word.char_indices().nth(MAX_WORD_CHARACTERS).map_or(word, |(end, _)| word.get(..end).unwrap_or(word))
}

/// Splits a word into the beginning and the end of its singular.
fn singular(word: &str) -> (&str, &'static str) {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.chars().count() > 1) {
        return (stem, "y");
    }
    let plural = word.len() > 3 && !word.ends_with("ss") && !word.ends_with("us");
    (word.strip_suffix('s').filter(|_| plural).unwrap_or(word), "")
}

/// The maximum number of words of a text; the words after them are ignored.
pub const MAX_WORDS: usize = 16;

/// The maximum number of characters of a word; those after them are ignored. PostgreSQL refuses a search for 2,048 bytes.
pub const MAX_WORD_CHARACTERS: usize = 100;

/// Returns how well a record matches the words.
///
/// The whole title counts most, then words of the title, words of the keywords, and the brevity of the title.
#[must_use]
pub fn score<'k>(words: &[String], title: &str, keywords: impl IntoIterator<Item = &'k str>) -> u32 {
    let stems = |text: &str| self::words(text).iter().map(|word| stem(word)).collect::<Vec<_>>();
    let words: Vec<String> = words.iter().map(|word| stem(word)).collect();
    let title = stems(title);
    let keywords: Vec<String> = keywords.into_iter().flat_map(stems).collect();
    Fit {
        is_whole_title: !words.is_empty() && title == words,
        in_title: words.iter().filter(|word| title.contains(word)).count(),
        in_keywords: words.iter().filter(|word| keywords.contains(word)).count(),
        title_words: title.len(),
    }
    .score()
}

/// The positions of words in a record.
#[derive(Debug, Clone, Copy)]
pub struct Fit {
    /// Whether the words are its title.
    pub is_whole_title: bool,
    /// The number of words that occur in its title.
    pub in_title: usize,
    /// The number of words that occur among its keywords.
    pub in_keywords: usize,
    /// The number of words that its title has.
    pub title_words: usize,
}

impl Fit {
    /// Returns the score; a higher one is better.
    #[must_use]
    pub fn score(self) -> u32 {
        if self.is_whole_title {
            return 10_000;
        }
        let brevity = 20_usize.saturating_sub(self.title_words);
        u32::try_from(self.in_title * 100 + self.in_keywords * 40 + brevity).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_counts_more_than_keywords() {
        let words = words("white house");
        let whole = score(&words, "White House", []);
        let title = score(&words, "A white house on a hill", []);
        let half = score(&words, "A house", ["white"]);
        let keywords = score(&words, "A hill", ["white house"]);
        assert!(whole > title && title > half && half > keywords && keywords > score(&words, "A hill", []));
    }

    #[test]
    fn stems_of_a_text_are_those_of_its_words() {
        let long = ["a ".repeat(100), "Ä".repeat(100), "ς".repeat(101), "ies".repeat(99)];
        let short = ["White Houses, cities & glass", "Über-große Ähren ΣΑΣ", "ies is", ""];
        for text in short.into_iter().chain(long.iter().map(String::as_str)) {
            let mut stems = Vec::new();
            each_stem(text, |stem| stems.push(stem.to_owned()));
            assert_eq!(stems, words(text).iter().map(|word| stem(word)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_search_is_clean_if_it_has_the_whole_text() {
        for (text, clean) in [
            ("", true),
            ("  White   Houses ", true),
            ("\u{df}ber 3d", true),
            ("white-house", false),
            ("house!", false),
            (&"a".repeat(MAX_WORD_CHARACTERS), true),
            (&"a".repeat(MAX_WORD_CHARACTERS + 1), false),
            (&"a ".repeat(MAX_WORDS), true),
            (&"a ".repeat(MAX_WORDS + 1), false),
        ] {
            assert_eq!(is_clean(text), clean, "{text}");
            assert_eq!(
                clean,
                words(text).join(" ") == text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
            );
        }
    }

    #[test]
    fn words_are_bounded_and_plain() {
        assert_eq!(words("  Über-große Häuser! "), ["über", "große", "häuser"]);
        assert_eq!(words(&"a ".repeat(100)).len(), MAX_WORDS);
        assert!(words("\"*'()").is_empty());
        assert_eq!(words(&"Ä".repeat(60_000)), ["ä".repeat(MAX_WORD_CHARACTERS)]);
    }
}
