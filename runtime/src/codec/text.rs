//! What the JSON reader and writer share: where a string's plain stretch ends, and what an escape stands for.

/// How many bytes at the front of `bytes` stand in a JSON string as they are: up to a quote, a backslash or a control
/// character. Looks at eight bytes at a time.
#[inline]
pub(super) fn plain_len(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGHS: u64 = ONES << 7;

    let mut rest = bytes;
    while let Some((chunk, behind)) = rest.split_first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        // The lowest high bit set in these is exact; those above it may be wrong, and are not looked at.
        let quote = (word ^ (ONES * 0x22)).wrapping_sub(ONES);
        let backslash = (word ^ (ONES * 0x5c)).wrapping_sub(ONES);
        let control = word.wrapping_sub(ONES * 0x20);
        let found = (quote | backslash | control) & !word & HIGHS;
        if found != 0 {
            return bytes.len() - rest.len() + (found.trailing_zeros() / 8) as usize;
        }
        rest = behind;
    }
    let end = rest.iter().position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\'));
    bytes.len() - rest.len() + end.unwrap_or(rest.len())
}

/// The character that the escape at the front of `bytes` (behind its backslash) stands for, and the escape's length.
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
        _ => return Err("no such escape"),
    };
    Ok((character, 1))
}

fn unicode_escape(bytes: &[u8]) -> Result<(char, usize), &'static str> {
    const LONE: &str = "half of a surrogate pair";

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

/// The four hexadecimal digits at `start`.
fn hex(bytes: &[u8], start: usize) -> Result<u32, &'static str> {
    let digits = bytes.get(start..start + 4).ok_or("the input ends within an escape")?;
    digits.iter().try_fold(0, |value, &digit| {
        let digit =
            char::from(digit).to_digit(16).ok_or("an escape with \\u takes four hexadecimal digits")?;
        Ok(value << 4 | digit)
    })
}

/// Appends what `raw`, a string's inside whose escapes were checked, stands for.
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
    fn plain_stretch_ends_at_each_special_byte_and_place() {
        for special in (0..0x20).chain([b'"', b'\\']) {
            for before in 0..20 {
                for filler in [b' ', b'!', b'#', b'[', b']', b'a', 0x7f, 0x80, 0xa2, 0xdc, 0xff] {
                    let mut bytes = vec![filler; before];
                    assert_eq!(plain_len(&bytes), before);
                    bytes.push(special);
                    bytes.extend([filler; 9]);
                    assert_eq!(plain_len(&bytes), before, "{special:#x} behind {before} times {filler:#x}");
                }
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
