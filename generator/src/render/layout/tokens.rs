//! Splits the text of a token stream into tokens and matches their brackets.

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or keyword, including `true` and `false`.
    Word,
    /// `'a`
    Lifetime,
    /// `"text"` without a prefix.
    Text,
    /// Any other literal.
    Literal,
    /// An opening bracket, with the index of the closing one.
    Open(usize),
    /// A closing bracket.
    Close,
    /// `::`, `->`, `=>`, `..`, or one character.
    Punct,
}

/// A token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'s> {
    pub(crate) kind: Kind,
    pub(crate) text: &'s str,
    /// The position of its first byte.
    pub(crate) start: usize,
}

impl Token<'_> {
    /// Returns the position after its last byte.
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// Returns the tokens in the text of a token stream.
///
/// An opening bracket without a closing one refers to itself.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token<'_>> = Vec::with_capacity(text.len() / 4);
    let mut open = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.bytes().next() {
        let (mut kind, length) = next(rest, first);
        let (token, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
        let place = tokens.len();
        match kind {
            Kind::Open(_) => {
                open.push(place);
                kind = Kind::Open(place);
            }
            Kind::Close => {
                if let Some(opening) = open.pop().and_then(|opening: usize| tokens.get_mut(opening)) {
                    opening.kind = Kind::Open(place);
                }
            }
            _ => {}
        }
        tokens.push(Token { kind, text: token, start: text.len() - rest.len() });
        rest = behind.trim_ascii_start();
    }
    tokens
}

/// Returns the kind of the first token and its length, which is at least one character.
fn next(text: &str, first: u8) -> (Kind, usize) {
    match first {
        b'(' | b'[' | b'{' => (Kind::Open(0), 1),
        b')' | b']' | b'}' => (Kind::Close, 1),
        b'"' => (Kind::Text, quoted(text, 1)),
        b'\'' => lifetime_or_character(text),
        b'0'..=b'9' => (Kind::Literal, number(text)),
        b'_' | b'a'..=b'z' | b'A'..=b'Z' | 128.. => word(text),
        _ => {
            let is_pair = ["::", "->", "=>", ".."].iter().any(|pair| text.starts_with(pair));
            (Kind::Punct, if is_pair { 2 } else { 1 })
        }
    }
}

/// Returns the end of a literal whose content begins at `from`: after the next unescaped quote.
fn quoted(text: &str, from: usize) -> usize {
    let mut at = from;
    while let Some(rest) = text.as_bytes().get(at..) {
        match rest.iter().position(|byte| matches!(byte, b'"' | b'\\')) {
            Some(place) if rest.get(place) == Some(&b'"') => return at + place + 1,
            Some(place) => at += place + 2,
            None => break,
        }
    }
    text.len()
}

/// Returns the end of a raw literal whose quote or first `#` is at `from`.
fn raw(text: &str, from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    let end = format!("\"{}", "#".repeat(hashes));
    let contents = rest.get(hashes + 1..).unwrap_or_default();
    contents.find(&end).map_or(text.len(), |place| from + hashes + 1 + place + end.len())
}

fn lifetime_or_character(text: &str) -> (Kind, usize) {
    let mut characters = text.char_indices().skip(1);
    let (first, second) = (characters.next(), characters.next());
    match (first, second) {
        (Some((_, '\\')), _) => {
            let end = text.get(3..).and_then(|rest| rest.find('\''));
            (Kind::Literal, end.map_or(text.len(), |place| place + 4))
        }
        (Some(_), Some((place, '\''))) => (Kind::Literal, place + 1),
        _ => (Kind::Lifetime, 1 + word_length(text.get(1..).unwrap_or_default())),
    }
}

fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        let is_more = match byte {
            b'.' => bytes.get(at + 1).is_some_and(u8::is_ascii_digit),
            b'-' | b'+' => matches!(bytes.get(at - 1), Some(b'e' | b'E')),
            byte => byte.is_ascii_alphanumeric() || *byte == b'_',
        };
        if !is_more {
            break;
        }
        at += 1;
    }
    at
}

fn word(text: &str) -> (Kind, usize) {
    let length = word_length(text);
    let behind = text.as_bytes().get(length);
    match (text.get(..length), behind) {
        (Some("b" | "c"), Some(b'"')) => (Kind::Literal, quoted(text, length + 1)),
        (Some("b"), Some(b'\'')) => {
            let (_, character) = lifetime_or_character(text.get(length..).unwrap_or_default());
            (Kind::Literal, length + character)
        }
        (Some("r" | "br" | "cr"), Some(b'"')) => (Kind::Literal, raw(text, length)),
        (Some("r" | "br" | "cr"), Some(b'#')) => {
            let name = text.get(length + 1..).unwrap_or_default();
            match name.starts_with(['"', '#']) {
                true => (Kind::Literal, raw(text, length)),
                false => (Kind::Word, length + 1 + word_length(name)),
            }
        }
        _ => (Kind::Word, length.max(1)),
    }
}

fn word_length(text: &str) -> usize {
    let is_end = |byte: &u8| !(byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 128);
    text.as_bytes().iter().position(is_end).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind() {
        let text =
            r##"a :: r#type ( 'a' , '\'' , 'static ) 1.5e-7 [ "a\"" ] b"x" r#"""# 0 .. é => b'x' 2.0f32"##;
        let found: Vec<_> = tokens(text).iter().map(|token| (token.kind, token.text)).collect();
        use Kind::*;
        let expected = [
            (Word, "a"),
            (Punct, "::"),
            (Word, "r#type"),
            (Open(9), "("),
            (Literal, "'a'"),
            (Punct, ","),
            (Literal, r"'\''"),
            (Punct, ","),
            (Lifetime, "'static"),
            (Close, ")"),
            (Literal, "1.5e-7"),
            (Open(13), "["),
            (Text, r#""a\"""#),
            (Close, "]"),
            (Literal, "b\"x\""),
            (Literal, r##"r#"""#"##),
            (Literal, "0"),
            (Punct, ".."),
            (Word, "é"),
            (Punct, "=>"),
            (Literal, "b'x'"),
            (Literal, "2.0f32"),
        ];
        assert_eq!(found, expected);
    }
}
