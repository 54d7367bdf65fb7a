//! Tests of reading and writing documents.

mod hostile;
mod models;
mod reading;
mod round_trip;
mod writing;

use super::{Document, write_xml};
use crate::codec::{Decode, DecodeError, Encode};
use crate::table::{Schema, Xml};
use crate::text::ReadMode;
use crate::validation::{Position, Violations, check, walk};

const STRICT: ReadMode = ReadMode::STRICT;
const TOLERANT: ReadMode = ReadMode { is_tolerant: true, assumes_utc: false };

/// The declaration at the start of each written document.
const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";

/// Returns the document of a value, without the declaration.
fn written(root: &'static Xml, schema: &'static Schema, value: &dyn Encode) -> Result<String, &'static str> {
    let written = write_xml(root, schema, value);
    let text = String::from_utf8(written.bytes).unwrap();
    match written.unwritable {
        Some(name) => Err(name),
        None => Ok(text.strip_prefix(HEAD).unwrap().to_owned()),
    }
}

fn read<T: Decode>(
    root: &'static Xml,
    schema: &'static Schema,
    mode: ReadMode,
    text: &str,
) -> Result<T, DecodeError> {
    let document = Document::parse(text.as_bytes(), root, schema, mode)?;
    let mut value = None;
    document.read(0, &mut |reader| {
        value = Some(T::decode(reader)?);
        Ok(())
    })?;
    Ok(value.unwrap())
}

/// Returns the names and codes of the violations in a document, as a server finds them.
fn violations<T: Decode + Encode>(
    root: &'static Xml,
    schema: &'static Schema,
    text: &str,
) -> Result<Vec<String>, DecodeError> {
    let document = Document::parse(text.as_bytes(), root, schema, STRICT)?;
    let mut out = Violations::new();
    document.read(0, &mut |reader| walk(schema, reader, &Position::body(), &mut out))?;
    let is_valid = read::<T>(root, schema, STRICT, text).is_ok_and(|value| check(schema, &value));
    assert_eq!(is_valid, out.is_empty(), "both paths agree about {text}: {out:?}");
    Ok(out.iter().map(|it| format!("{} {}", it.name, it.code().as_str())).collect())
}
