//! Finds and decodes the escapes in strings of JSON text.

/// Returns the number of bytes before the first that needs a JSON escape.
///
/// Such bytes are quotes, backslashes and control characters. The search takes 32 bytes at a time after the
/// first 64.
#[inline]
pub(super) fn plain_len(bytes: &[u8]) -> usize {
    /// The length up to which the call that searches 32 bytes at a time is avoided.
    const SHORT: usize = 64;

    let Some((short, long)) = bytes.split_at_checked(SHORT) else {
        return len_before(bytes, special, is_special);
    };
    match len_before(short, special, is_special) {
        SHORT => SHORT + long_plain_len(long),
        found => found,
    }
}

#[inline(never)]
fn long_plain_len(bytes: &[u8]) -> usize {
    let rest = skip_plain_blocks(bytes);
    bytes.len() - rest.len() + len_before(rest, special, is_special)
}

/// Returns the number of bytes before the first of these ASCII characters, or the length of the text.
#[cfg(feature = "http")]
#[inline]
pub(crate) fn len_before_any<const N: usize>(text: &str, ends: [u8; N]) -> usize {
    let find = |word| ends.iter().fold(0, |found, end| found | low_bits(word, *end)) & !word & HIGHS;
    len_before(text.as_bytes(), find, |byte| ends.contains(&byte))
}

/// Returns the number of bytes before the first that is an end; optimized for short distances.
///
/// `find` returns a word whose lowest high bit marks the first end in a word of eight bytes, or 0.
#[inline]
fn len_before(bytes: &[u8], find: impl Fn(u64) -> u64, is_end: impl Fn(u8) -> bool) -> usize {
    let mut rest = bytes;
    while let Some((chunk, behind)) = rest.split_first_chunk::<8>() {
        let found = find(u64::from_le_bytes(*chunk));
        if found != 0 {
            return bytes.len() - rest.len() + (found.trailing_zeros() / 8) as usize;
        }
        rest = behind;
    }
    // The last bytes overlap those before, which contain no end. Without an end, `at` is 8.
    let at = |found: u64| (found.trailing_zeros() / 8) as usize;
    let length = bytes.len();
    if let Some(last) = bytes.last_chunk() {
        return length - 8 + at(find(u64::from_le_bytes(*last)));
    }
    if length >= 4 {
        let at = at(find(short_word(bytes)));
        return if at < 4 { at } else { length + at - 8 };
    }
    bytes.iter().position(|byte| is_end(*byte)).unwrap_or(length)
}

/// The maximum number of characters that an error quotes of a value.
pub(crate) const EXCERPT: usize = 60;

/// Returns the first characters of a text, in one line.
pub(crate) fn start_of(text: &[u8], length: usize) -> String {
    let text = text.trim_ascii();
    // A character has at most four bytes, so the rest of a long text is never read.
    let start = String::from_utf8_lossy(text.get(..length * 4).unwrap_or(text));
    let line = |character: char| if character.is_control() { ' ' } else { character };
    let mut line: String = start.chars().take(length).map(line).collect();
    if start.chars().count() > length || text.len() > length * 4 {
        line.push('…');
    }
    line
}

/// Returns whether two texts are equal; optimized for short texts.
#[inline]
pub(crate) fn same(left: &str, right: &str) -> bool {
    left.len() == right.len() && same_words(left.as_bytes(), right.as_bytes(), |_| true)
}

/// Returns whether two texts of one length are equal and need no JSON escapes.
#[inline]
pub(super) fn same_and_plain(left: &[u8], right: &[u8]) -> bool {
    same_words(left, right, |word| special(word) == 0)
}

/// Returns whether two texts of one length are equal and each word meets `are_so`.
///
/// A word is eight bytes. A shorter text is padded to a word with spaces or with copies of its own bytes.
#[inline]
fn same_words(left: &[u8], right: &[u8], are_so: impl Fn(u64) -> bool) -> bool {
    let both = |left: u64, right: u64| left == right && are_so(left);
    // The last eight bytes may overlap the word before them.
    if let (Some(last), Some(other)) = (left.last_chunk(), right.last_chunk()) {
        let mut words = left.as_chunks().0.iter().zip(right.as_chunks().0);
        return words.all(|(left, right)| both(u64::from_le_bytes(*left), u64::from_le_bytes(*right)))
            && both(u64::from_le_bytes(*last), u64::from_le_bytes(*other));
    }
    both(short_word(left), short_word(right))
}

/// Packs fewer than eight bytes into a word.
///
/// Different texts of one length give different words. Four bytes or more are in order, the first four and the last four.
#[inline]
fn short_word(bytes: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        return u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32;
    }
    let spaces = u64::from_le_bytes([b' '; 8]);
    bytes.iter().fold(spaces, |word, byte| word << 8 | u64::from(*byte))
}

const fn is_special(byte: u8) -> bool {
    matches!(byte, 0..0x20 | b'"' | b'\\')
}

/// A word of eight bytes 1.
const ONES: u64 = u64::MAX / 255;

/// The high bits of the bytes of a word.
const HIGHS: u64 = ONES << 7;

/// Returns a word with the high bit set in each byte that needs an escape in JSON.
///
/// Only the lowest bit that is set is exact. Higher ones may be set by mistake.
#[inline]
const fn special(word: u64) -> u64 {
    let control = word.wrapping_sub(ONES * 0x20);
    (low_bits(word, b'"') | low_bits(word, b'\\') | control) & !word & HIGHS
}

/// Returns a word with the high bit set in each byte that equals an ASCII character, and in others.
///
/// The lowest of these bits is exact in bytes whose high bit is not set in `word`.
#[inline]
const fn low_bits(word: u64, ascii: u8) -> u64 {
    (word ^ (ONES * ascii as u64)).wrapping_sub(ONES)
}

/// Removes the leading blocks of 32 bytes that contain no special byte.
///
/// The compiler turns the loop over a block into vector instructions.
#[inline(never)]
fn skip_plain_blocks(mut bytes: &[u8]) -> &[u8] {
    while let Some((block, behind)) = bytes.split_first_chunk::<32>() {
        let found = block.iter().fold(0, |found, byte| {
            found | u8::from(*byte < 0x20) | u8::from(*byte == b'"') | u8::from(*byte == b'\\')
        });
        if found != 0 {
            break;
        }
        bytes = behind;
    }
    bytes
}

/// Decodes the escape sequence after a backslash; also returns its length.
pub(super) fn escape(bytes: &[u8]) -> Result<(char, usize), &'static str> {
    let character = match bytes.first() {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode_escape(bytes),
        _ => return Err("unknown escape sequence"),
    };
    Ok((character, 1))
}

fn unicode_escape(bytes: &[u8]) -> Result<(char, usize), &'static str> {
    const LONE: &str = "unpaired surrogate in an escape sequence";

    let unit = hex(bytes, 1)?;
    if !(0xd800..0xdc00).contains(&unit) {
        return char::from_u32(unit).map(|character| (character, 5)).ok_or(LONE);
    }
    if bytes.get(5..7) != Some(b"\\u") {
        return Err(LONE);
    }
    let low = hex(bytes, 7)?;
    if !(0xdc00..0xe000).contains(&low) {
        return Err(LONE);
    }
    let character = char::from_u32(0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
    character.map(|character| (character, 11)).ok_or(LONE)
}

/// Parses the four hexadecimal digits at `start`.
fn hex(bytes: &[u8], start: usize) -> Result<u32, &'static str> {
    let digits = bytes.get(start..start + 4).ok_or("the input ends within an escape sequence")?;
    digits.iter().try_fold(0, |value, &digit| {
        let digit =
            char::from(digit).to_digit(16).ok_or("`\\u` must be followed by four hexadecimal digits")?;
        Ok(value << 4 | digit)
    })
}

/// Returns the text of a string in JSON, with its escapes decoded.
pub(super) fn unescaped(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    unescape(raw, &mut text);
    text
}

/// Decodes the content of a string, whose escapes must be valid, into `to`.
pub(super) fn unescape(raw: &str, to: &mut String) {
    let mut rest = raw;
    while let Some((plain, behind)) = rest.split_once('\\') {
        to.push_str(plain);
        let Ok((character, length)) = escape(behind.as_bytes()) else { return };
        to.push(character);
        rest = behind.get(length..).unwrap_or_default();
    }
    to.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_stretch_ends_at_each_special_byte_and_offset() {
        for special in (0..0x20).chain([b'"', b'\\']) {
            for before in (0..20).chain(60..140) {
                for filler in [b' ', b'!', b'#', b'[', b']', b'a', 0x7f, 0x80, 0xa2, 0xdc, 0xff] {
                    let mut bytes = vec![filler; before];
                    assert_eq!(plain_len(&bytes), before);
                    assert!(same_and_plain(&bytes, &bytes.clone()));
                    bytes.push(special);
                    bytes.extend([filler; 9]);
                    assert_eq!(plain_len(&bytes), before, "{special:#x} after {before} times {filler:#x}");
                    assert!(
                        !same_and_plain(&bytes, &bytes.clone()),
                        "{special:#x} after {before} times {filler:#x}"
                    );
                }
            }
        }
    }

    #[test]
    fn names_are_the_same_in_every_byte() {
        for length in 0..30 {
            let name = "abcdefghijklmnopqrstuvwxyzabcd".get(..length).unwrap();
            let copy = name.to_owned();
            assert!(same(name, &copy));
            assert!(!same(name, &format!("{name}x")));
            for at in 0..length {
                let mut other = name.to_owned();
                other.replace_range(at..=at, "#");
                assert!(!same(name, &other), "{name} is not {other}");
            }
        }
    }

    #[test]
    fn escapes() {
        for (text, expected) in [
            ("n", Some(('\n', 1))),
            ("/x", Some(('/', 1))),
            ("u00e4", Some(('ä', 5))),
            ("u0000", Some(('\0', 5))),
            ("uD83D\\uDE00", Some(('😀', 11))),
            ("ud83d\\ude00x", Some(('😀', 11))),
            ("uD83D", None),
            ("uD83D\\n", None),
            ("uD83D\\u0041", None),
            ("uDE00", None),
            ("u12", None),
            ("u12g4", None),
            ("u+123", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(escape(text.as_bytes()).ok(), expected, "{text}");
        }
    }
}
