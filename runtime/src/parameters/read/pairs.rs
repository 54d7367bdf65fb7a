//! Splits query strings, forms, cookies and matrix segments into pairs.

use std::borrow::Cow;

use http::{HeaderMap, header::COOKIE};

use super::parts::Part;
use super::split::halves;
use crate::codec::{len_before_any, same};
use crate::text::{Coding, Raw, trim};

/// A name and its value.
#[derive(Debug)]
pub(crate) struct Pair<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) value: Raw<'a>,
}

/// The initial capacity for pairs. Few requests have more.
const USUAL: usize = 12;

/// Pairs of names and values, in the order of the input.
#[derive(Debug, Default)]
pub(crate) struct Pairs<'a>(Vec<Pair<'a>>);

impl<'a> Pairs<'a> {
    /// Splits a form.
    pub(crate) fn of_form(form: &'a [u8]) -> Self {
        match std::str::from_utf8(form) {
            Ok(text) => Self::of(split_query(text)),
            Err(_) => {
                let texts = form.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty());
                Self(texts.map(|text| pair(text, Coding::Form)).collect())
            }
        }
    }

    /// Returns the texts of a multipart body.
    pub(crate) fn of_parts(parts: &'a [Part]) -> Self {
        let pair = |part: &'a Part| Pair {
            name: Cow::Borrowed(&part.name),
            value: Raw::new(&part.data, Coding::Plain),
        };
        Self(parts.iter().map(pair).collect())
    }

    /// Collects pairs.
    pub(crate) fn of(all: impl Iterator<Item = Pair<'a>>) -> Self {
        let mut pairs = Self::default();
        all.for_each(|pair| pairs.push(pair));
        pairs
    }

    /// Adds a pair.
    #[inline]
    pub(crate) fn push(&mut self, pair: Pair<'a>) {
        if self.0.is_empty() {
            self.0.reserve(USUAL);
        }
        self.0.push(pair);
    }

    /// Splits a matrix segment, which begins with a `;`.
    pub(crate) fn of_matrix(text: &'a [u8]) -> Self {
        let pairs = text.split(|byte| *byte == b';').filter(|pair| !pair.is_empty());
        Self(pairs.map(|text| pair(text, Coding::Percent)).collect())
    }

    /// Splits all `Cookie` headers. Their texts are plain in the style `cookie`, else percent-encoded.
    pub(crate) fn of_cookies(headers: &'a HeaderMap, coding: Coding) -> Self {
        let lines = headers.get_all(COOKIE).iter();
        let pairs = lines
            .flat_map(|line| line.as_bytes().split(|byte| *byte == b';'))
            .map(trim)
            .filter(|text| !text.is_empty());
        Self(pairs.map(|text| cookie(text, coding)).collect())
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Pair<'a>> {
        self.0.iter()
    }

    /// Returns the values of the pairs with this name.
    pub(crate) fn named<'b>(&'b self, name: &'b str) -> impl Iterator<Item = Raw<'a>> + 'b {
        self.0.iter().filter(move |pair| same(&pair.name, name)).map(|pair| pair.value)
    }
}

/// Returns the pairs of a query string.
#[inline]
pub(crate) fn split_query(query: &str) -> impl Iterator<Item = Pair<'_>> {
    let mut rest = query;
    std::iter::from_fn(move || {
        while let Some(behind) = rest.strip_prefix('&') {
            rest = behind;
        }
        let (pair, behind) = first_pair(rest)?;
        rest = behind;
        Some(pair)
    })
}

/// Returns the first pair of a query and the text after its `&`; `None` if the query is empty.
#[inline]
fn first_pair(query: &str) -> Option<(Pair<'_>, &str)> {
    if query.is_empty() {
        return None;
    }
    let (name, behind) = query.split_at_checked(len_before_any(query, [b'=', b'&', b'%', b'+']))?;
    let Some(value) = behind.strip_prefix('=') else { return encoded_pair(query) };
    let (text, behind) = value.split_at_checked(len_before_any(value, [b'&', b'%', b'+']))?;
    let (value, behind) = match behind.as_bytes().first() {
        Some(b'&') | None => (Raw::Text(text), behind),
        Some(_) => {
            let (text, behind) = value.split_at_checked(len_before_any(value, [b'&']))?;
            (Raw::new(text.as_bytes(), Coding::Form), behind)
        }
    };
    Some((Pair { name: Cow::Borrowed(name), value }, behind.strip_prefix('&').unwrap_or(behind)))
}

/// Returns the first pair of a query whose name is encoded or has no value.
#[inline(never)]
fn encoded_pair(query: &str) -> Option<(Pair<'_>, &str)> {
    let (text, behind) = query.split_at_checked(len_before_any(query, [b'&']))?;
    Some((pair(text.as_bytes(), Coding::Form), behind.strip_prefix('&').unwrap_or(behind)))
}

fn pair(text: &[u8], coding: Coding) -> Pair<'_> {
    let (name, value) = halves(text, b'=');
    let (name, malformed) = Raw::new(name, coding).decode_lossy();
    Pair { name, value: Raw::new(value, if malformed { Coding::Malformed } else { coding }) }
}

/// Returns a cookie; quotes around its value are removed, unless it is plain.
fn cookie(text: &[u8], coding: Coding) -> Pair<'_> {
    let mut pair = pair(text, coding);
    if let ([b'"', value @ .., b'"'], Coding::Percent) = (pair.value.bytes(), coding) {
        pair.value = pair.value.with(value);
    }
    pair
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(pairs: &Pairs<'_>) -> Vec<(String, Option<String>)> {
        let shown = |pair: &Pair<'_>| (pair.name.to_string(), pair.value.decode().ok().map(Cow::into_owned));
        pairs.iter().map(shown).collect()
    }

    fn expected(pairs: &[(&str, Option<&str>)]) -> Vec<(String, Option<String>)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), value.map(str::to_owned))).collect()
    }

    #[test]
    fn splits_a_query() {
        let pairs = Pairs::of_form(b"a=1&&b&c=&a%5B0%5D=x+y&=v&%FF=1&d=%FF&e=f=g");
        assert_eq!(
            reported(&pairs),
            expected(&[
                ("a", Some("1")),
                ("b", Some("")),
                ("c", Some("")),
                ("a[0]", Some("x y")),
                ("", Some("v")),
                ("\u{FFFD}\u{FFFD}", None),
                ("d", None),
                ("e", Some("f=g")),
            ])
        );
        assert!(reported(&Pairs::of_form(b"")).is_empty());
        for query in ["&", "&&a&", "a", "a+b", "a%20=1", "=", "=&=", "a=+", "\u{e9}=\u{e9}&%C3%A9=%C3%A9"] {
            let texts = query.split('&').filter(|text| !text.is_empty());
            let pairs = Pairs(texts.map(|text| pair(text.as_bytes(), Coding::Form)).collect());
            assert_eq!(reported(&Pairs::of(split_query(query))), reported(&pairs), "{query}");
        }
    }

    #[test]
    fn splits_cookies() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, "a=1; b=\"x y\";c=%20".parse().unwrap());
        headers.append(COOKIE, "a=2+3".parse().unwrap());
        let pairs = Pairs::of_cookies(&headers, Coding::Percent);
        assert_eq!(
            reported(&pairs),
            expected(&[("a", Some("1")), ("b", Some("x y")), ("c", Some(" ")), ("a", Some("2+3"))])
        );
        let pairs = Pairs::of_cookies(&headers, Coding::Plain);
        assert_eq!(
            reported(&pairs),
            expected(&[("a", Some("1")), ("b", Some("\"x y\"")), ("c", Some("%20")), ("a", Some("2+3"))])
        );
    }
}
