//! A hash table from literal text to a number.
//!
//! Its keys come from the document, never from requests. So it needs no hash that resists attacks: a request
//! can't make a chain longer than the document made it.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

/// Texts with a number for each.
#[derive(Debug, Default)]
pub(super) struct Literals {
    numbers: HashMap<Box<[u8]>, usize, BuildHasherDefault<TextHasher>>,
    /// The length of the longest text. Longer texts, such as ids, need no lookup.
    longest: usize,
}

impl Literals {
    /// Returns the number of a text.
    #[inline]
    pub(super) fn get(&self, text: &[u8]) -> Option<usize> {
        if text.len() > self.longest { None } else { self.numbers.get(text).copied() }
    }

    /// Returns the number of a text, after setting it to `number` if it has none.
    pub(super) fn get_or_insert(&mut self, text: Box<[u8]>, number: usize) -> usize {
        self.longest = self.longest.max(text.len());
        *self.numbers.entry(text).or_insert(number)
    }
}

/// Hashes eight bytes at a time. The last eight may overlap the ones before.
#[derive(Debug, Default)]
struct TextHasher(u64);

impl Hasher for TextHasher {
    #[inline]
    fn write_usize(&mut self, length: usize) {
        self.0 = length as u64;
    }

    #[inline]
    fn write(&mut self, text: &[u8]) {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut mix = |word: u64| self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(FACTOR);
        if let Some(last) = text.last_chunk::<8>() {
            text.as_chunks::<8>().0.iter().for_each(|chunk| mix(u64::from_le_bytes(*chunk)));
            mix(u64::from_le_bytes(*last));
        } else if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
            mix(u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32);
        } else {
            mix(text.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        }
    }

    #[inline]
    fn finish(&self) -> u64 {
        // The upper bits are mixed best, and the table selects a slot by the lower ones.
        self.0.rotate_left(26)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_keeps_its_number() {
        let texts = (0..300)
            .map(|index| "abcdefghijklmnopqrstuvwxyz".repeat(3)[index % 60..][..index % 19].to_owned());
        let mut texts: Vec<String> = texts.collect();
        texts.sort();
        texts.dedup();
        let mut literals = Literals::default();
        assert_eq!(literals.get(b""), None);
        for (number, text) in texts.iter().enumerate() {
            assert_eq!(literals.get(text.as_bytes()), None, "{text}");
            assert_eq!(literals.get_or_insert(text.as_bytes().into(), number), number);
        }
        for (number, text) in texts.iter().enumerate() {
            assert_eq!(literals.get(text.as_bytes()), Some(number), "{text}");
            assert_eq!(literals.get_or_insert(text.as_bytes().into(), 1000), number);
            assert_eq!(literals.get(format!("{text}-").as_bytes()), None);
        }
    }
}
