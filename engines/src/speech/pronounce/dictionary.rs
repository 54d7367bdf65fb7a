//! The packed CMU Pronouncing Dictionary.
//!
//! `data/cmudict/README.md` describes how it is made.

use std::sync::OnceLock;

use crate::speech::phonemes::Phone;

static PACKED: &[u8] = include_bytes!("../../../data/cmudict/pronunciations.deflate");

/// A limit above the dictionary's size, in case the file is damaged.
const MOST_BYTES: usize = 8 << 20;

struct Dictionary {
    /// Each line has a word, a blank and a character for each phone.
    lines: Vec<u8>,
    /// The offset of each line.
    starts: Vec<u32>,
}

/// Returns the pronunciation of a lower-case word.
pub(super) fn look_up(word: &str) -> Option<Vec<Phone>> {
    let dictionary = dictionary();
    let place =
        dictionary.starts.binary_search_by(|start| line(dictionary, *start).0.cmp(word.as_bytes())).ok()?;
    let (_, phones) = line(dictionary, *dictionary.starts.get(place)?);
    phones.iter().map(|code| Phone::from_code(*code)).collect()
}

fn line(dictionary: &Dictionary, start: u32) -> (&[u8], &[u8]) {
    let rest = dictionary.lines.get(start as usize..).unwrap_or_default();
    let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let line = rest.get(..end).unwrap_or_default();
    let blank = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
    (line.get(..blank).unwrap_or_default(), line.get(blank + 1..).unwrap_or_default())
}

fn dictionary() -> &'static Dictionary {
    static DICTIONARY: OnceLock<Dictionary> = OnceLock::new();
    DICTIONARY.get_or_init(|| {
        let packed =
            miniz_oxide::inflate::decompress_to_vec_with_limit(PACKED, MOST_BYTES).unwrap_or_default();
        let mut lines = Vec::with_capacity(packed.len() * 2);
        let mut starts = Vec::new();
        let mut previous: Vec<u8> = Vec::new();
        for line in packed.split(|byte| *byte == b'\n') {
            let [shared, rest @ ..] = line else { continue };
            previous.truncate(usize::from(shared.saturating_sub(b'0')));
            let blank = rest.iter().position(|byte| *byte == b' ').unwrap_or(rest.len());
            previous.extend_from_slice(rest.get(..blank).unwrap_or_default());
            starts.push(lines.len() as u32);
            lines.extend_from_slice(&previous);
            lines.extend_from_slice(rest.get(blank..).unwrap_or_default());
            lines.push(b'\n');
        }
        Dictionary { lines, starts }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found() {
        let dictionary = dictionary();
        assert!(dictionary.starts.len() > 100_000);
        assert!(
            dictionary
                .starts
                .windows(2)
                .all(|pair| line(dictionary, pair[0]).0 < line(dictionary, pair[1]).0)
        );
        let cat: Vec<_> = ["K", "AE1", "T"].into_iter().map(|phone| Phone::parse(phone).unwrap()).collect();
        assert_eq!(look_up("cat"), Some(cat));
        assert!(look_up("a").is_some() && look_up("zebra").is_some());
        assert_eq!(look_up("zzyzxq"), None);
        assert_eq!(look_up(""), None);
    }
}
