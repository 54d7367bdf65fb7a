//! The packed CMU Pronouncing Dictionary.
//!
//! `data/cmudict/README.md` describes how it is made.

use std::cmp::Ordering;
use std::sync::LazyLock;

use crate::speech::phonemes::Phone;

static PACKED: &[u8] = include_bytes!("../../../data/cmudict/pronunciations.deflate");

/// A limit above the dictionary's size, in case the file is damaged.
const MAX_BYTES: usize = 8 << 20;

/// The words in order, one per line, each with a blank and a character for each phone.
static LINES: LazyLock<String> = LazyLock::new(|| {
    let bytes = miniz_oxide::inflate::decompress_to_vec_with_limit(PACKED, MAX_BYTES);
    String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default()
});

/// Returns the pronunciation of a lower-case word, by a binary search for its line.
pub(super) fn look_up(word: &str) -> Option<Vec<Phone>> {
    let mut rest = LINES.as_str();
    while !rest.is_empty() {
        let start = rest.get(..rest.len() / 2)?.rfind('\n').map_or(0, |end| end + 1);
        let (before, after) = rest.split_at_checked(start)?;
        let (line, after) = after.split_once('\n')?;
        let (known, phones) = line.split_once(' ')?;
        rest = match word.as_bytes().cmp(known.as_bytes()) {
            Ordering::Less => before,
            Ordering::Equal => return phones.bytes().map(Phone::from_code).collect(),
            Ordering::Greater => after,
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found() {
        let words: Vec<&str> = LINES.lines().filter_map(|line| line.split(' ').next()).collect();
        assert!(words.len() > 100_000 && words.is_sorted_by(|left, right| left < right));
        assert!(words.iter().step_by(97).all(|word| look_up(word).is_some()));
        let cat: Vec<_> = ["K", "AE1", "T"].into_iter().map(|phone| Phone::parse(phone).unwrap()).collect();
        assert_eq!(look_up("cat"), Some(cat));
        assert!(look_up("a").is_some() && look_up("zebra").is_some());
        assert_eq!(look_up("zzyzxq"), None);
        assert_eq!(look_up(""), None);
    }
}
