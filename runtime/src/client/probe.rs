//! Single values of a JSON body, by the names of the properties that lead to them.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
};

use crate::codec::{DecodeError, JsonReader, Kind, Number, Reader};

/// The names of properties, from the outermost one. Empty for the body itself.
pub(super) type Path = &'static [&'static str];

/// A value of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// A string.
    Text(String),
    /// A number, as text.
    Number(String),
    /// A boolean.
    Flag(bool),
    /// An array with this number of items.
    Items(u64),
    /// An object.
    Object,
}

/// Returns the value at a path, or `None` if it is absent or null.
///
/// A body that is not JSON has no values.
pub(super) fn find(body: &[u8], path: &[&str]) -> Option<Found> {
    let mut found = None;
    visit(&mut JsonReader::tolerant(body), path, &mut found).ok()?;
    found
}

/// Returns the string or the number at a path as text, unless it is empty.
pub(super) fn text(body: &[u8], path: &[&str]) -> Option<String> {
    match find(body, path) {
        Some(Found::Text(text) | Found::Number(text)) if !text.is_empty() => Some(text),
        _ => None,
    }
}

/// Returns the whole number at a path.
pub(super) fn number(body: &[u8], path: &[&str]) -> Option<u64> {
    text(body, path)?.parse().ok()
}

/// Returns the hash of a value. That of a text is as in [`hashes`].
pub(super) fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Adds the hashes of the strings and the numbers of a value, at any depth. Adds at most `most`.
pub(super) fn hashes(
    reader: &mut dyn Reader,
    most: usize,
    found: &mut HashSet<u64>,
) -> Result<(), DecodeError> {
    match reader.peek()? {
        Kind::Object => reader.entries(&mut |_, reader| hashes(reader, most, found)),
        Kind::Array => reader.array(&mut |reader| hashes(reader, most, found)),
        _ if found.len() >= most => reader.skip(),
        _ => {
            if let Some(Found::Text(text) | Found::Number(text)) = value(reader)? {
                found.insert(hash(&text));
            }
            Ok(())
        }
    }
}

fn visit(reader: &mut dyn Reader, path: &[&str], found: &mut Option<Found>) -> Result<(), DecodeError> {
    let Some((name, rest)) = path.split_first() else {
        *found = value(reader)?;
        return Ok(());
    };
    if reader.peek()? != Kind::Object {
        return reader.skip();
    }
    reader.entries(&mut |key, reader| if key == *name { visit(reader, rest, found) } else { reader.skip() })
}

fn value(reader: &mut dyn Reader) -> Result<Option<Found>, DecodeError> {
    Ok(match reader.peek()? {
        Kind::String | Kind::Text => Some(Found::Text(reader.string()?)),
        Kind::Boolean => Some(Found::Flag(reader.boolean()?)),
        Kind::Number => Some(Found::Number(match reader.number()? {
            Number::Signed(number) => number.to_string(),
            Number::Unsigned(number) => number.to_string(),
            Number::Float(number) => number.to_string(),
        })),
        Kind::Array => {
            let mut count = 0;
            reader.array(&mut |reader| {
                count += 1;
                reader.skip()
            })?;
            Some(Found::Items(count))
        }
        kind @ (Kind::Null | Kind::Object) => {
            reader.skip()?;
            (kind == Kind::Object).then_some(Found::Object)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_name() {
        let body =
            br#"{"a": {"b": [1, {"c": 2}], "d": "x", "n": 12, "f": 0.5, "t": true, "z": null}, "e": ""}"#;
        let is = |path: &[&str], expected: Option<Found>| assert_eq!(find(body, path), expected, "{path:?}");
        is(&["a", "b"], Some(Found::Items(2)));
        is(&["a", "d"], Some(Found::Text("x".to_owned())));
        is(&["a", "n"], Some(Found::Number("12".to_owned())));
        is(&["a", "f"], Some(Found::Number("0.5".to_owned())));
        is(&["a", "t"], Some(Found::Flag(true)));
        is(&["a", "z"], None);
        is(&["a"], Some(Found::Object));
        is(&["a", "d", "x"], None);
        is(&["b"], None);
        assert_eq!(text(body, &["e"]), None);
        assert_eq!(number(body, &["a", "n"]), Some(12));
        assert_eq!(find(b"[1, 2, 3]", &[]), Some(Found::Items(3)));
        assert_eq!(find(b"<a>", &["a"]), None);
    }
}
