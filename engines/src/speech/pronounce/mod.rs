//! Pronounces words.
//!
//! It tries the dictionary, known words with endings, compounds of two known words, and finally spelling
//! rules.

mod dictionary;
mod rules;

use super::phonemes::{Phone, Phoneme};

/// The phonemes of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spoken {
    pub(super) phones: Vec<Phone>,
    /// Whether it is a function word, which has no accent.
    pub(super) is_weak: bool,
    /// Whether it is a question word. Questions with one can't be answered with yes or no.
    pub(super) asks: bool,
}

const WEAK: &str = "a an the of to and or but in on at by for from with as is are was were be been am it its he she they we \
    i you me him her them us my your his our their this that these those has have had do does did will would can could \
    shall should may might must not if than then so there";
const QUESTION_WORDS: &str = "what who whom whose where when why how which";

/// The reduced pronunciation of some function words.
#[rustfmt::skip]
const REDUCED: &[(&str, &str)] = &[
    ("a", "AH0"), ("the", "DH AH0"), ("to", "T UH0"), ("of", "AH0 V"), ("and", "AH0 N D"), ("for", "F ER0"),
    ("from", "F R AH0 M"), ("was", "W AH0 Z"), ("that", "DH AE0 T"), ("or", "ER0"), ("your", "Y ER0"), ("are", "AA0 R"),
];

/// Endings that are pronounced the same after every word.
#[rustfmt::skip]
const ENDINGS: &[(&str, &str)] = &[
    ("ing", "IH0 NG"), ("ers", "ER0 Z"), ("er", "ER0"), ("est", "AH0 S T"), ("ly", "L IY0"), ("ness", "N AH0 S"),
    ("less", "L AH0 S"), ("ful", "F AH0 L"), ("ment", "M AH0 N T"), ("able", "AH0 B AH0 L"), ("ish", "IH0 SH"),
    ("ism", "IH0 Z AH0 M"),
];

/// Returns the phonemes of a word with letters a to z and apostrophes.
pub(super) fn pronounce(word: &str) -> Spoken {
    let is = |list: &str| list.split_whitespace().any(|known| known == word);
    let is_weak = is(WEAK);
    let reduced = REDUCED.iter().find(|(known, _)| *known == word);
    let mut phones = match reduced {
        Some((_, sounds)) => parsed(sounds).collect(),
        None => full(word),
    };
    if is_weak {
        for phone in &mut phones {
            phone.stress = 0;
        }
    }
    Spoken { phones, is_weak, asks: is(QUESTION_WORDS) }
}

fn full(word: &str) -> Vec<Phone> {
    let word = word.trim_matches('\'');
    dictionary::look_up(word)
        .or_else(|| with_ending(word))
        .or_else(|| compound(word))
        .unwrap_or_else(|| rules::spell_out(word))
}

/// Pronounces a known word with a common English ending.
fn with_ending(word: &str) -> Option<Vec<Phone>> {
    if let Some(base) =
        word.strip_suffix("'s").or_else(|| word.strip_suffix("s'")).or_else(|| word.strip_suffix('s'))
    {
        let singular = dictionary::look_up(base)
            .or_else(|| dictionary::look_up(&format!("{}y", base.strip_suffix("ie")?)));
        if let Some(mut phones) = singular.or_else(|| dictionary::look_up(base.strip_suffix('e')?)) {
            phones.extend(plural(phones.last()?.phoneme));
            return Some(phones);
        }
    }
    for (ending, sounds) in ENDINGS {
        if let Some(mut phones) = word.strip_suffix(ending).and_then(base) {
            phones.extend(parsed(sounds));
            return Some(phones);
        }
    }
    let mut phones = word.strip_suffix("ed").and_then(base)?;
    phones.extend(past_ending(phones.last()?.phoneme));
    Some(phones)
}

/// Pronounces the word to which an ending was added.
///
/// It restores a final e or y, or undoes a doubled consonant.
fn base(stem: &str) -> Option<Vec<Phone>> {
    if stem.len() < 3 {
        return None;
    }
    let last = stem.chars().last()?;
    let single = stem.strip_suffix(last).filter(|shorter| shorter.ends_with(last));
    dictionary::look_up(stem)
        .or_else(|| dictionary::look_up(&format!("{stem}e")))
        .or_else(|| dictionary::look_up(&format!("{}y", stem.strip_suffix('i')?)))
        .or_else(|| dictionary::look_up(single?))
}

fn parsed(sounds: &'static str) -> impl Iterator<Item = Phone> {
    sounds.split(' ').filter_map(Phone::parse)
}

/// Returns the ending -s after a phoneme.
fn plural(last: Phoneme) -> impl Iterator<Item = Phone> {
    use Phoneme::{Ch, F, Jh, K, P, S, Sh, T, Th, Z, Zh};
    parsed(match last {
        S | Z | Sh | Zh | Ch | Jh => "IH0 Z",
        P | T | K | F | Th => "S",
        _ => "Z",
    })
}

/// Returns the ending -ed after a phoneme.
fn past_ending(last: Phoneme) -> impl Iterator<Item = Phone> {
    use Phoneme::{Ch, D, F, K, P, S, Sh, T, Th};
    parsed(match last {
        T | D => "IH0 D",
        P | K | F | Th | S | Sh | Ch => "T",
        _ => "D",
    })
}

/// Pronounces two known words written as one. The second has less stress.
fn compound(word: &str) -> Option<Vec<Phone>> {
    if word.len() > 30 {
        return None;
    }
    let (first, second) = (3..word.len().saturating_sub(2)).rev().find_map(|at| {
        let (first, second) = word.split_at_checked(at)?;
        Some((dictionary::look_up(first)?, dictionary::look_up(second)?))
    })?;
    let lesser =
        second.into_iter().map(|phone| Phone { stress: if phone.stress == 1 { 2 } else { 0 }, ..phone });
    Some(first.into_iter().chain(lesser).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sounds(word: &str) -> String {
        let name = |phone: &Phone| {
            let name = format!("{:?}", phone.phoneme).to_uppercase();
            if phone.phoneme.is_vowel() { format!("{name}{}", phone.stress) } else { name }
        };
        pronounce(word).phones.iter().map(name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_are_pronounced() {
        for (word, expected) in [
            ("though", "DH OW1"),
            ("through", "TH R UW1"),
            ("the", "DH AH0"),
            ("cats", "K AE1 T S"),
            ("dog's", "D AO1 G Z"),
            ("boxes", "B AA1 K S AH0 Z"),
            ("snowboarder", "S N OW1 B AO2 R D ER0"),
            ("robotly", "R OW1 B AA2 T L IY0"),
        ] {
            assert_eq!(sounds(word), expected, "{word}");
        }
    }

    #[test]
    fn small_words_are_weak() {
        assert!(pronounce("of").is_weak && !pronounce("cat").is_weak);
        assert!(pronounce("why").asks);
    }

    #[test]
    fn any_word_has_sounds() {
        for word in ["qqq", "zxcvb", "'", "a'b", &"abc".repeat(150)] {
            let _ = pronounce(word);
        }
    }
}
