//! Splits text at delimiters.

use memchr::{memchr, memchr3_iter};

use crate::text::Raw;

/// The delimiter between the items of one text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delimiter {
    /// `,`.
    Comma,
    /// `.`.
    Dot,
    /// A space; if it is encoded, `%20` or `+`.
    Space,
    /// `|`; if it is encoded, `%7C`.
    Pipe,
}

impl Delimiter {
    /// Returns the position and the length of its first occurrence in a text.
    fn find(self, text: Raw<'_>) -> Option<(usize, usize)> {
        let bytes = text.bytes();
        let plain = |byte| memchr(byte, bytes).map(|at| (at, 1));
        match self {
            Self::Comma => plain(b','),
            Self::Dot => plain(b'.'),
            Self::Space if text.is_plain() => plain(b' '),
            Self::Pipe if text.is_plain() => plain(b'|'),
            Self::Space => find_encoded(bytes, *b" +", b"%20"),
            Self::Pipe => find_encoded(bytes, *b"||", b"%7c"),
        }
    }
}

/// Finds a delimiter in its plain or encoded form.
///
/// One search looks for both forms. A search for each form alone could scan to the end for every item.
fn find_encoded(bytes: &[u8], plain: [u8; 2], encoded: &[u8; 3]) -> Option<(usize, usize)> {
    memchr3_iter(plain[0], plain[1], b'%', bytes).find_map(|at| match bytes.get(at..)? {
        [b'%', ..] => {
            let is_encoded = bytes.get(at..at + 3)?.eq_ignore_ascii_case(encoded);
            is_encoded.then_some((at, 3))
        }
        _ => Some((at, 1)),
    })
}

/// An iterator over the items of one text. An empty text has no items.
#[derive(Debug, Clone)]
pub(crate) struct Items<'a> {
    rest: Option<Raw<'a>>,
    delimiter: Delimiter,
}

impl<'a> Items<'a> {
    pub(crate) fn new(text: Raw<'a>, delimiter: Delimiter) -> Self {
        Self { rest: (!text.bytes().is_empty()).then_some(text), delimiter }
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Raw<'a>;

    fn next(&mut self) -> Option<Raw<'a>> {
        let text = self.rest.take()?;
        let Some((at, length)) = self.delimiter.find(text) else { return Some(text) };
        let (item, rest) = text.bytes().split_at_checked(at)?;
        self.rest = rest.get(length..).map(|rest| text.with(rest));
        Some(text.with(item))
    }
}

/// Splits at the first `separator`; without one, the second half is empty.
pub(crate) fn halves(bytes: &[u8], separator: u8) -> (&[u8], &[u8]) {
    memchr(separator, bytes)
        .and_then(|at| Some((bytes.get(..at)?, bytes.get(at + 1..)?)))
        .unwrap_or((bytes, &[]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Coding;

    #[test]
    fn splits_at_delimiters() {
        let cases: &[(&str, Delimiter, &[&str])] = &[
            ("", Delimiter::Comma, &[]),
            ("a", Delimiter::Comma, &["a"]),
            ("a,b,", Delimiter::Comma, &["a", "b", ""]),
            (",", Delimiter::Comma, &["", ""]),
            ("a%2Cb,c", Delimiter::Comma, &["a%2Cb", "c"]),
            ("a.b", Delimiter::Dot, &["a", "b"]),
            ("a%20b+c d", Delimiter::Space, &["a", "b", "c", "d"]),
            ("a|b%7Cc%7cd", Delimiter::Pipe, &["a", "b", "c", "d"]),
            ("%7", Delimiter::Pipe, &["%7"]),
            ("%41|%7", Delimiter::Pipe, &["%41", "%7"]),
            ("a%7C|b", Delimiter::Pipe, &["a", "", "b"]),
            ("%20%7C+", Delimiter::Space, &["", "%7C", ""]),
        ];
        for (text, delimiter, expected) in cases {
            let items: Vec<&[u8]> =
                Items::new(Raw::new(text.as_bytes(), Coding::Form), *delimiter).map(Raw::bytes).collect();
            let expected: Vec<&[u8]> = expected.iter().map(|item| item.as_bytes()).collect();
            assert_eq!(items, expected, "{text}");
        }
    }

    #[test]
    fn plain_text_has_plain_delimiters() {
        for (delimiter, expected) in
            [(Delimiter::Space, &["a+b%20c|d", "e%7Cf"][..]), (Delimiter::Pipe, &["a+b%20c", "d e%7Cf"])]
        {
            let text = Raw::new(b"a+b%20c|d e%7Cf", Coding::Plain);
            let items: Vec<&[u8]> = Items::new(text, delimiter).map(Raw::bytes).collect();
            let expected: Vec<&[u8]> = expected.iter().map(|item| item.as_bytes()).collect();
            assert_eq!(items, expected);
        }
    }

    /// Checks that splitting takes linear time. Quadratic time would be minutes.
    #[test]
    fn splits_a_long_text_in_one_pass() {
        const COUNT: usize = 1_000_000;
        for delimiter in ["|", "%7C", " ", "+", "%20", ",", "."] {
            let kind = match delimiter {
                "," => Delimiter::Comma,
                "." => Delimiter::Dot,
                "|" | "%7C" => Delimiter::Pipe,
                _ => Delimiter::Space,
            };
            let text = format!("x{delimiter}").repeat(COUNT);
            assert_eq!(Items::new(Raw::new(text.as_bytes(), Coding::Form), kind).count(), COUNT + 1);
        }
    }

    #[test]
    fn halves_a_text() {
        assert_eq!(halves(b"a=b=c", b'='), (&b"a"[..], &b"b=c"[..]));
        assert_eq!(halves(b"a", b'='), (&b"a"[..], &b""[..]));
        assert_eq!(halves(b"=", b'='), (&b""[..], &b""[..]));
    }
}
