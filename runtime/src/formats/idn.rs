//! Internationalized host names (RFC 5890 to 5893).
//!
//! UTS 46 maps a name to lower case and to composed characters, decodes Punycode, and checks lengths,
//! hyphens, direction and joiners. It allows more characters than IDNA 2008, so the labels that result are
//! checked against RFC 5892.

use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};
use unicode_general_category::{GeneralCategory, get_general_category};

/// The maximum length of a name in bytes.
///
/// A name of 253 ASCII characters stands for at most as many characters, of at most four bytes each.
const MAX_LENGTH: usize = 253 * 4;

/// Returns whether `text` is a host name, also one with characters beyond ASCII.
pub fn is_hostname(text: &str) -> bool {
    // Hyphens at the third and fourth character are checked below: labels in ASCII may have them.
    let (denied, hyphens) = (AsciiDenyList::STD3, Hyphens::CheckFirstLast);
    let encoded = |text: &str| {
        Uts46::new().to_ascii(text.as_bytes(), denied, hyphens, DnsLength::Verify).ok().map(String::from)
    };
    let Some(ascii) = Some(text).filter(|text| text.len() <= MAX_LENGTH).and_then(encoded) else {
        return false;
    };
    let (name, result) = Uts46::new().to_unicode(ascii.as_bytes(), denied, hyphens);
    result.is_ok() && name.split('.').all(is_label)
}

/// Returns whether a mapped label has only characters that RFC 5892 allows in their context.
fn is_label(label: &str) -> bool {
    if label.is_ascii() {
        return true;
    }
    let characters: Vec<char> = label.chars().collect();
    let at = |index: Option<usize>| index.and_then(|index| characters.get(index)).copied();
    let has_reserved_hyphens = at(Some(2)) == Some('-') && at(Some(3)) == Some('-');
    let is_allowed = |(index, character): (usize, &char)| {
        let (before, after) = (at(index.checked_sub(1)), at(index.checked_add(1)));
        match character {
            '\u{b7}' => before == Some('l') && after == Some('l'),
            '\u{375}' => after.is_some_and(is_greek),
            '\u{5f3}' | '\u{5f4}' => before.is_some_and(is_hebrew),
            '\u{30fb}' => characters.iter().copied().any(is_japanese),
            '\u{660}'..='\u{669}' => !characters.iter().any(|it| matches!(it, '\u{6f0}'..='\u{6f9}')),
            '\u{6f0}'..='\u{6f9}' => !characters.iter().any(|it| matches!(it, '\u{660}'..='\u{669}')),
            // UTS 46 has checked the joiners.
            '\u{200c}' | '\u{200d}' => true,
            other => is_valid(*other),
        }
    };
    !has_reserved_hyphens && characters.iter().enumerate().all(is_allowed)
}

/// Returns whether a character is valid in any context: PVALID in RFC 5892, section 3.
///
/// Mapped labels have none of the characters that the section calls unstable or ignorable.
fn is_valid(character: char) -> bool {
    match character {
        // Exceptions that are valid, then exceptions that are not.
        '\u{df}' | '\u{3c2}' | '\u{6fd}' | '\u{6fe}' | '\u{f0b}' | '\u{3007}' | '-' => true,
        '\u{640}' | '\u{7fa}' | '\u{302e}' | '\u{302f}' | '\u{3031}'..='\u{3035}' | '\u{303b}' => false,
        // Conjoining Hangul.
        '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97c}' | '\u{d7b0}'..='\u{d7fb}' => false,
        // Marks for symbols, and marks of music.
        '\u{20d0}'..='\u{20ff}' | '\u{1d100}'..='\u{1d1ff}' | '\u{1d200}'..='\u{1d24f}' => false,
        _ => matches!(
            get_general_category(character),
            GeneralCategory::LowercaseLetter
                | GeneralCategory::UppercaseLetter
                | GeneralCategory::OtherLetter
                | GeneralCategory::ModifierLetter
                | GeneralCategory::DecimalNumber
                | GeneralCategory::NonspacingMark
                | GeneralCategory::SpacingMark
        ),
    }
}

const fn is_greek(character: char) -> bool {
    matches!(
        character,
        '\u{370}'..='\u{3e1}' | '\u{3f0}'..='\u{3ff}' | '\u{1d26}'..='\u{1d2a}' | '\u{1f00}'..='\u{1fff}'
    )
}

const fn is_hebrew(character: char) -> bool {
    matches!(character, '\u{591}'..='\u{5f4}')
}

/// Returns whether a character is Hiragana, Katakana or Han.
///
/// The middle dot, the voicing marks and the mark of long vowels belong to no script.
const fn is_japanese(character: char) -> bool {
    matches!(
        character,
        '\u{3005}' | '\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3038}'..='\u{303b}' | '\u{3041}'..='\u{3096}'
            | '\u{309d}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}' | '\u{30fd}'..='\u{30ff}'
            | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
            | '\u{1aff0}'..='\u{1affe}' | '\u{1b000}'..='\u{1b167}' | '\u{20000}'..='\u{3fffd}'
    )
}
