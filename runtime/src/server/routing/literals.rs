//! A small hash table from literal text to a number.
//!
//! Its keys come from the document, never from requests. So it needs no hash that resists attacks: a request
//! can't make a chain longer than the document made it.

/// Texts with a number for each.
#[derive(Debug, Default)]
pub(super) struct Literals {
    entries: Vec<(Box<[u8]>, usize)>,
    /// The length of the longest text. Longer texts, such as ids, need no lookup.
    longest: usize,
    /// Hashes and indexes of entries.
    ///
    /// The length is a power of two, at least twice that of the entries.
    slots: Vec<Option<(u32, usize)>>,
}

impl Literals {
    /// Returns the number of a text.
    #[inline]
    pub(super) fn get(&self, text: &[u8]) -> Option<usize> {
        if text.len() > self.longest {
            return None;
        }
        let mask = self.slots.len().checked_sub(1)?;
        let wanted = hash(text);
        let mut slot = wanted as usize & mask;
        loop {
            let (hash, entry) = (*self.slots.get(slot)?)?;
            if hash == wanted {
                let (known, number) = self.entries.get(entry)?;
                if **known == *text {
                    return Some(*number);
                }
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Returns the number of a text, after setting it to `number` if it has none.
    pub(super) fn get_or_insert(&mut self, text: Box<[u8]>, number: usize) -> usize {
        if let Some(known) = self.get(&text) {
            return known;
        }
        self.longest = self.longest.max(text.len());
        self.entries.push((text, number));
        let size = (self.entries.len() * 2).next_power_of_two();
        self.slots = vec![None; size];
        for (entry, (text, _)) in self.entries.iter().enumerate() {
            let hash = hash(text);
            // Half of the slots are free, so the loop finds one.
            for step in 0..size {
                if let Some(slot @ None) = self.slots.get_mut((hash as usize + step) & (size - 1)) {
                    *slot = Some((hash, entry));
                    break;
                }
            }
        }
        number
    }
}

/// Hashes eight bytes at a time. The last eight may overlap the ones before.
#[inline]
fn hash(text: &[u8]) -> u32 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    let mut hash = text.len() as u64;
    if let Some(last) = text.last_chunk::<8>() {
        for chunk in text.as_chunks::<8>().0 {
            hash = mix(hash, u64::from_le_bytes(*chunk));
        }
        hash = mix(hash, u64::from_le_bytes(*last));
    } else if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        hash = mix(hash, u64::from(first) | u64::from(last) << 32);
    } else {
        hash = mix(hash, text.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
    }
    // The upper bits are mixed best.
    (hash >> 32) as u32
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
