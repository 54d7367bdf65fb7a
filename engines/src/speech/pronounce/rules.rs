//! Spelling rules for words that are not in the dictionary.
//!
//! The first rule that matches applies. Each has conditions for the letters before and after. Finally, the word
//! gets a stress.

use crate::speech::phonemes::{Phone, Phoneme};

/// A condition for the letters next to a spelling.
#[derive(Clone, Copy)]
enum Beside {
    Anything,
    Start,
    End,
    Vowel,
    Consonant,
    /// e, i or y, which soften c and g.
    Front,
    /// One consonant and then a vowel, which makes the vowel before long.
    Open,
    /// One consonant and then an e or "ing".
    Mute,
}

use Beside::{Anything as X, Consonant as C, End, Front, Mute, Open, Start, Vowel as V};

/// Spelling, condition before, condition after, phonemes. The first match wins.
#[rustfmt::skip]
const SPELLINGS: &[(&str, Beside, Beside, &str)] = &[
    ("ough", X, End, "OW"), ("ough", X, X, "AO"), ("augh", X, X, "AO"), ("eigh", X, X, "EY"), ("tion", X, X, "SH AH N"),
    ("sion", V, X, "ZH AH N"), ("sion", X, X, "SH AH N"), ("cian", X, X, "SH AH N"), ("tial", X, X, "SH AH L"),
    ("cial", X, X, "SH AH L"), ("ture", X, End, "CH ER"), ("sure", V, End, "ZH ER"), ("cious", X, X, "SH AH S"),
    ("tious", X, X, "SH AH S"), ("eous", X, End, "IY AH S"), ("ious", X, End, "IY AH S"), ("ous", X, End, "AH S"),
    ("able", X, End, "AH B AH L"), ("ible", X, End, "AH B AH L"), ("age", C, End, "IH JH"), ("tch", X, X, "CH"),
    ("dge", X, X, "JH"), ("igh", X, X, "AY"), ("sch", Start, X, "SH"), ("eau", X, X, "OW"), ("oor", X, X, "AO R"),
    ("our", X, X, "AO R"), ("ear", X, C, "ER"), ("ear", X, X, "IH R"), ("eer", X, X, "IH R"), ("air", X, X, "EH R"),
    ("are", X, End, "EH R"), ("ire", X, End, "AY ER"), ("ure", X, End, "Y UH R"), ("ore", X, End, "AO R"),
    ("ing", X, End, "IH NG"), ("ign", X, End, "AY N"), ("all", X, End, "AO L"), ("alk", X, X, "AO K"),
    ("olk", X, X, "OW K"), ("ind", C, End, "AY N D"), ("old", X, X, "OW L D"), ("qu", X, X, "K W"), ("ck", X, X, "K"),
    ("ch", X, C, "K"), ("ch", X, X, "CH"), ("sh", X, X, "SH"), ("ph", X, X, "F"), ("th", X, X, "TH"),
    ("wh", X, X, "W"), ("wr", Start, X, "R"), ("kn", Start, X, "N"), ("gn", Start, X, "N"), ("ps", Start, X, "S"),
    ("pn", Start, X, "N"), ("rh", Start, X, "R"), ("mb", X, End, "M"), ("mn", X, End, "M"), ("ng", X, End, "NG"),
    ("ng", X, C, "NG"), ("ng", X, Front, "N JH"), ("ng", X, X, "NG G"), ("nk", X, X, "NG K"), ("gh", Start, X, "G"),
    ("gh", X, X, ""), ("sc", X, Front, "S"), ("zh", X, X, "ZH"), ("cc", X, Front, "K S"), ("dg", X, Front, "JH"),
    ("ee", X, X, "IY"), ("ea", X, X, "IY"), ("oo", X, X, "UW"), ("oa", X, X, "OW"), ("ou", X, X, "AW"),
    ("ow", X, End, "OW"), ("ow", X, X, "AW"), ("oi", X, X, "OY"), ("oy", X, X, "OY"), ("ai", X, X, "EY"),
    ("ay", X, X, "EY"), ("au", X, X, "AO"), ("aw", X, X, "AO"), ("ei", X, X, "AY"), ("ey", X, End, "IY"),
    ("ey", X, X, "EY"), ("eu", X, X, "UW"), ("ew", X, X, "UW"), ("ie", X, End, "IY"), ("ie", X, X, "IY"),
    ("ue", X, End, "UW"), ("ui", X, X, "UW"), ("oe", X, End, "OW"), ("ae", X, X, "EY"), ("ia", X, End, "IY AH"),
    ("ia", X, X, "IY AH"), ("io", X, X, "IY OW"), ("eo", X, X, "IY OW"), ("ua", X, X, "W AA"), ("uo", X, X, "W OW"),
    ("aa", X, X, "AA"), ("uu", X, X, "UW"), ("ii", X, X, "IY"), ("ar", X, V, "AE R"), ("ar", X, X, "AA R"),
    ("er", X, V, "EH R"), ("er", X, X, "ER"), ("ir", X, V, "IH R"), ("ir", X, X, "ER"), ("or", X, X, "AO R"),
    ("ur", X, V, "Y UH R"), ("ur", X, X, "ER"), ("yr", X, C, "ER"), ("le", C, End, "AH L"), ("es", X, End, "IH Z"),
    ("ed", X, End, "D"), ("x", Start, X, "Z"), ("x", X, X, "K S"), ("a", X, End, "AH"), ("a", X, Mute, "EY"),
    ("a", X, X, "AE"), ("e", C, End, ""), ("e", X, Mute, "IY"), ("e", X, X, "EH"),
    ("i", X, End, "IY"), ("i", X, Mute, "AY"), ("i", X, X, "IH"), ("o", X, End, "OW"), ("o", X, Open, "OW"),
    ("o", X, X, "AA"), ("u", Start, Open, "Y UW"), ("u", X, End, "UW"), ("u", X, Open, "UW"), ("u", X, X, "AH"),
    ("y", Start, V, "Y"), ("y", V, V, "Y"), ("y", X, End, "IY"), ("y", X, Mute, "AY"), ("y", X, X, "IH"),
    ("b", X, X, "B"), ("c", X, Front, "S"), ("c", X, X, "K"), ("d", X, X, "D"), ("f", X, X, "F"),
    ("g", X, Front, "JH"), ("g", X, X, "G"), ("h", X, V, "HH"), ("h", X, X, ""), ("j", X, X, "JH"), ("k", X, X, "K"),
    ("l", X, X, "L"), ("m", X, X, "M"), ("n", X, X, "N"), ("p", X, X, "P"), ("q", X, X, "K"), ("r", X, X, "R"),
    ("s", V, End, "Z"), ("s", X, X, "S"), ("t", X, X, "T"), ("v", X, X, "V"), ("w", X, V, "W"), ("w", X, X, ""),
    ("z", X, X, "Z"),
];

/// Returns the phonemes of a word with letters a to z.
pub(super) fn spell_out(word: &str) -> Vec<Phone> {
    let letters: Vec<char> = word.chars().filter(char::is_ascii_lowercase).collect();
    let mut phones: Vec<Phone> = Vec::new();
    let mut at = 0;
    while let Some(rest) = letters.get(at..).filter(|rest| !rest.is_empty()) {
        let (length, sounds) = SPELLINGS
            .iter()
            .find(|(spelling, before, after, _)| {
                let length = spelling.len();
                rest.len() >= length
                    && spelling.chars().zip(rest).all(|(wanted, letter)| wanted == *letter)
                    && is_before(&letters, at, *before)
                    && is_after(&letters, at + length, *after)
            })
            .map_or((1, ""), |(spelling, _, _, sounds)| (spelling.len(), *sounds));
        phones.extend(sounds.split_whitespace().filter_map(Phone::parse));
        // A doubled consonant is one phoneme.
        let last = rest.first().copied().unwrap_or_default();
        let doubled = length == 1
            && !is_vowel(last)
            && rest.get(1) == Some(&last)
            && !(last == 'c' && is_front(rest.get(2)));
        at += if doubled { 2 } else { length };
    }
    stress(&mut phones);
    phones
}

fn is_vowel(letter: char) -> bool {
    "aeiouy".contains(letter)
}

fn is_front(letter: Option<&char>) -> bool {
    letter.is_some_and(|letter| "eiy".contains(*letter))
}

fn is_before(letters: &[char], at: usize, wanted: Beside) -> bool {
    let before = at.checked_sub(1).and_then(|before| letters.get(before));
    match wanted {
        Start => before.is_none(),
        V => before.is_some_and(|letter| is_vowel(*letter)),
        C => before.is_some_and(|letter| !is_vowel(*letter)),
        _ => true,
    }
}

fn is_after(letters: &[char], at: usize, wanted: Beside) -> bool {
    let after = letters.get(at);
    match wanted {
        End => after.is_none(),
        V => after.is_some_and(|letter| is_vowel(*letter)),
        C => after.is_some_and(|letter| !is_vowel(*letter)),
        Front => is_front(after),
        Open => {
            after.is_some_and(|letter| !is_vowel(*letter) && *letter != 'x')
                && letters.get(at + 1).is_some_and(|letter| is_vowel(*letter))
        }
        Mute => {
            is_after(letters, at, Open)
                && letters
                    .get(at + 1..)
                    .is_some_and(|rest| rest.starts_with(&['e']) || rest.starts_with(&['i', 'n', 'g']))
        }
        X | Start => true,
    }
}

/// Stresses the third vowel from the end, or the first in shorter words.
///
/// Some short vowels without stress become a schwa.
fn stress(phones: &mut [Phone]) {
    let syllables = phones.iter().filter(|phone| phone.phoneme.is_vowel()).count();
    let main = syllables.saturating_sub(3);
    let vowels = phones.iter_mut().filter(|phone| phone.phoneme.is_vowel());
    for (index, phone) in vowels.enumerate() {
        phone.stress = u8::from(index == main);
        if index != main && matches!(phone.phoneme, Phoneme::Ae | Phoneme::Eh | Phoneme::Aa) {
            phone.phoneme = Phoneme::Ah;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sounds(word: &str) -> String {
        let names: Vec<String> =
            spell_out(word).iter().map(|phone| format!("{:?}", phone.phoneme).to_uppercase()).collect();
        names.join(" ")
    }

    #[test]
    fn spellings_become_sounds() {
        for (word, expected) in [
            ("cat", "K AE T"),
            ("snape", "S N EY P"),
            ("blick", "B L IH K"),
            ("quazing", "K W EY Z IH NG"),
            ("thrish", "TH R IH SH"),
            ("city", "S IH T IY"),
            ("zibble", "Z IH B AH L"),
            ("glation", "G L AE SH AH N"),
            ("phone", "F OW N"),
        ] {
            assert_eq!(sounds(word), expected, "{word}");
        }
    }

    #[test]
    fn spelling_out_ends_for_every_word() {
        for word in ["", "q", "hhh", "zzzz", "aeiouy", "xyzzy", &"bcdfg".repeat(100)] {
            let _ = spell_out(word);
        }
        assert!(spell_out("'").is_empty());
    }
}
