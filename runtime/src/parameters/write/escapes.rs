//! Percent-encoding of parameters and forms.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::table::{Location, Parameter, Style};

/// Returns a set without these characters.
const fn without(mut set: AsciiSet, mut characters: &[u8]) -> AsciiSet {
    while let [character, others @ ..] = characters {
        set = set.remove(*character);
        characters = others;
    }
    set
}

/// All characters except those that RFC 3986 calls unreserved.
const RESERVED: &AsciiSet = &without(NON_ALPHANUMERIC.remove(b'-'), b"._~");

/// The characters to escape in style `label`, whose delimiter may be a dot.
const RESERVED_AND_DOT: &AsciiSet = &RESERVED.add(b'.');

/// The reserved characters that no location uses as a delimiter.
const HARMLESS: &AsciiSet = &without(RESERVED.remove(b':'), b"@!$'()*,=");

const BESIDE_QUERY: &AsciiSet = &without(HARMLESS.remove(b'/'), b"?;");
const BESIDE_PATH: &AsciiSet = &without(HARMLESS.remove(b'&'), b"+");
/// The same in style `label`.
const BESIDE_LABEL: &AsciiSet = &BESIDE_PATH.add(b'.');

/// RFC 6265 allows no comma in a cookie.
const BESIDE_COOKIE: &AsciiSet = &without(HARMLESS.add(b','), b"/?#[]&+");

/// How the texts of a value are percent-encoded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Escapes {
    /// The characters to escape in names and in values; `None` in headers and the style `cookie`.
    sets: Option<(&'static AsciiSet, &'static AsciiSet)>,
    /// Whether reserved characters stay in values (`allowReserved`), and what is percent-encoded already.
    is_reserved: bool,
}

impl Escapes {
    /// Nothing is escaped.
    pub(crate) const NONE: Self = Self { sets: None, is_reserved: false };

    /// Everything is escaped that is not unreserved.
    pub(crate) const ALL: Self = Self::all(RESERVED);

    /// Reserved characters stay if they are not delimiters of a query or form.
    pub(crate) const IN_QUERY: Self = Self::reserved(RESERVED, BESIDE_QUERY);

    const fn all(set: &'static AsciiSet) -> Self {
        Self { sets: Some((set, set)), is_reserved: false }
    }

    const fn reserved(names: &'static AsciiSet, values: &'static AsciiSet) -> Self {
        Self { sets: Some((names, values)), is_reserved: true }
    }

    /// Returns the encoding of a parameter.
    pub(crate) const fn of(parameter: &Parameter) -> Self {
        match (parameter.style, parameter.location, parameter.allow_reserved) {
            (Style::Cookie, ..) | (_, Location::Header, _) => Self::NONE,
            (Style::Label, _, false) => Self::all(RESERVED_AND_DOT),
            (Style::Label, _, true) => Self::reserved(RESERVED_AND_DOT, BESIDE_LABEL),
            (_, _, false) => Self::ALL,
            (_, Location::Path, true) => Self::reserved(RESERVED, BESIDE_PATH),
            (_, Location::Cookie, true) => Self::reserved(RESERVED, BESIDE_COOKIE),
            (_, Location::Query | Location::QueryString, true) => Self::IN_QUERY,
        }
    }

    /// Returns whether nothing is escaped.
    pub(crate) const fn is_none(self) -> bool {
        self.sets.is_none()
    }

    /// Returns an escaped text.
    pub(crate) fn text(self, text: &str) -> String {
        let Some((_, set)) = self.sets else { return text.to_owned() };
        if self.is_reserved { around_escapes(text, set) } else { utf8_percent_encode(text, set).to_string() }
    }

    /// Returns a delimiter in the form that this encoding has.
    pub(crate) const fn delimiter(self, plain: &'static str, escaped: &'static str) -> &'static str {
        if self.sets.is_some() { escaped } else { plain }
    }

    /// Returns an escaped name.
    pub(crate) fn name(self, name: &str) -> String {
        match self.sets {
            Some((set, _)) => utf8_percent_encode(name, set).to_string(),
            None => name.to_owned(),
        }
    }

    /// Returns an escaped text in a list, where commas are delimiters.
    pub(crate) fn item(self, text: &str) -> String {
        let escaped = self.text(text);
        if self.is_reserved { escaped.replace(',', "%2C") } else { escaped }
    }
}

/// Escapes a text, but not what is percent-encoded in it.
fn around_escapes(text: &str, set: &'static AsciiSet) -> String {
    let mut pieces = text.split('%');
    let mut out = utf8_percent_encode(pieces.next().unwrap_or_default(), set).to_string();
    for piece in pieces {
        let is_escape = piece.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2;
        out.push_str(if is_escape { "%" } else { "%25" });
        out.extend(utf8_percent_encode(piece, set));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Schema;

    #[test]
    fn reserved_characters_stay_where_they_are_no_delimiters() {
        let text = ":/?#[]@!$&'()*+,;= %20%2f%2%zzé";
        let cases = [
            (Parameter::path("a", &Schema::TEXT), ":%2F%3F%23%5B%5D@!$&'()*+,%3B=%20%20%2f%252%25zz%C3%A9"),
            (Parameter::query("a", &Schema::TEXT), ":/?%23%5B%5D@!$%26'()*%2B,;=%20%20%2f%252%25zz%C3%A9"),
            (Parameter::cookie("a", &Schema::TEXT), ":/?#[]@!$&'()*+%2C%3B=%20%20%2f%252%25zz%C3%A9"),
        ];
        for (parameter, expected) in cases {
            assert_eq!(Escapes::of(&parameter.allow_reserved()).text(text), expected);
        }
        assert_eq!(Escapes::IN_QUERY.item("a,b/c"), "a%2Cb/c");
        assert_eq!(Escapes::ALL.text("a,b/c%20"), "a%2Cb%2Fc%2520");
        assert_eq!(Escapes::IN_QUERY.name("a/b"), "a%2Fb");
        assert_eq!(Escapes::NONE.name("a/b"), "a/b");
    }
}
