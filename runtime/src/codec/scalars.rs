//! The codec of scalars, options, boxes, arrays and maps.

use std::borrow::Cow;

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{ByteStream, Bytes, Decode, DecodeError, Encode, File, Kind, Map, Number, Reader, Value, Writer};

impl Encode for bool {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.boolean(*self);
    }
}

impl Decode for bool {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        reader.boolean()
    }
}

/// Creates the error for a number that no integer type, or not the `expected` one, can hold.
#[cold]
fn no_integer(number: Number, expected: &'static str) -> DecodeError {
    if number.is_integer() {
        DecodeError::out_of_range(expected)
    } else {
        DecodeError::wrong_kind("an integer", Kind::Number)
    }
}

macro_rules! integers {
    ($($type:ident, $write:ident as $wide:ty, $expected:literal;)+) => {$(
        impl Encode for $type {
            fn encode(&self, writer: &mut dyn Writer) {
                writer.$write(<$wide>::from(*self));
            }
        }

        impl Decode for $type {
            fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
                let number = reader.number()?;
                let value = match number {
                    Number::Signed(value) => value.try_into().ok(),
                    Number::Unsigned(value) => value.try_into().ok(),
                    Number::Float(_) => None,
                };
                value.ok_or_else(|| no_integer(number, $expected))
            }
        }
    )+};
}

integers! {
    i32, i64 as i64, "a 32-bit integer";
    i64, i64 as i64, "a 64-bit integer";
    u16, u64 as u64, "an unsigned 16-bit integer";
    u32, u64 as u64, "an unsigned 32-bit integer";
    u64, u64 as u64, "an unsigned 64-bit integer";
}

impl Encode for f64 {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.f64(*self);
    }
}

impl Decode for f64 {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let value = reader.number()?.to_f64();
        if value.is_finite() {
            Ok(value)
        } else {
            Err(DecodeError::out_of_range("a 64-bit floating-point number"))
        }
    }
}

macro_rules! leaves {
    ($($type:ty: $write:ident, $read:ident;)+) => {$(
        impl Encode for $type {
            fn encode(&self, writer: &mut dyn Writer) {
                writer.$write(self);
            }
        }

        impl Decode for $type {
            fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
                reader.$read()
            }
        }
    )+};
}

leaves! {
    String: str, string;
    Bytes: bytes, bytes;
    File: file, file;
    ByteStream: byte_stream, byte_stream;
}

impl Encode for &str {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.str(self);
    }
}

/// Reads a string and parses it.
///
/// # Errors
/// Fails if the next value is not a string, or if `parse` fails.
pub fn parsed<T>(
    reader: &mut dyn Reader,
    parse: fn(&str) -> Result<T, DecodeError>,
) -> Result<T, DecodeError> {
    let mut value = None;
    reader.str(&mut |text| {
        value = Some(parse(text)?);
        Ok(())
    })?;
    value.ok_or_else(|| DecodeError::custom("internal error: the reader returned no string"))
}

/// Returns bytes as text: as they are, or in base64 if they are not UTF-8.
pub(crate) fn bytes_text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => STANDARD.encode(bytes).into(),
    }
}

impl Encode for Value {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.value(self);
    }
}

impl Decode for Value {
    const HOLDS_NULL: bool = true;

    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        reader.value()
    }
}

impl<T: Encode> Encode for Option<T> {
    fn encode(&self, writer: &mut dyn Writer) {
        match self {
            Some(value) => value.encode(writer),
            None => writer.null(),
        }
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: Decode> Decode for Option<T> {
    const HOLDS_NULL: bool = true;

    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        if reader.peek()? == Kind::Null {
            return reader.null().map(|()| None);
        }
        T::decode(reader).map(Some)
    }
}

impl<T: Encode> Encode for Box<T> {
    fn encode(&self, writer: &mut dyn Writer) {
        T::encode(self, writer);
    }

    fn is_absent(&self) -> bool {
        T::is_absent(self)
    }
}

impl<T: Decode> Decode for Box<T> {
    const HOLDS_NULL: bool = T::HOLDS_NULL;

    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        T::decode(reader).map(Self::new)
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.array(&mut self.iter().map(|item| item as &dyn Encode));
    }
}

impl<T: Decode> Decode for Vec<T> {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let mut items = Self::new();
        reader.array(&mut |reader| {
            items.push(T::decode(reader)?);
            Ok(())
        })?;
        Ok(items)
    }
}

impl<T: Encode> Encode for Map<T> {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[], Some(&mut entries(self)));
    }
}

impl<T: Decode> Decode for Map<T> {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let mut map = Self::new();
        reader.entries(&mut |name, reader| keep(&mut map, name, reader))?;
        Ok(map)
    }
}

/// Reads the value of the entry `name` into a map.
///
/// If the reader is tolerant, the last of several entries with one name wins, and a null that `T` can't hold
/// is skipped.
///
/// # Errors
/// Fails if `T` can't hold the value, or if the reader is strict and the map has an entry of this name
/// already.
pub fn keep<T: Decode>(map: &mut Map<T>, name: &str, reader: &mut dyn Reader) -> Result<(), DecodeError> {
    let is_tolerant = reader.is_tolerant();
    if !is_tolerant && map.contains_key(name) {
        return Err(DecodeError::duplicate(name));
    }
    if is_tolerant && !T::HOLDS_NULL && reader.peek()? == Kind::Null {
        return reader.null();
    }
    let value = T::decode(reader)?;
    map.insert(name.to_owned(), value);
    Ok(())
}

/// Returns the entries of a map, in the form that a [`Writer`] takes.
pub fn entries<T: Encode>(map: &Map<T>) -> impl Iterator<Item = (&str, &dyn Encode)> {
    map.iter().map(|(name, value)| (name.as_str(), value as &dyn Encode))
}

/// Writes null: `()` is the absence of a body.
impl Encode for () {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.null();
    }
}

/// Skips the next value of any kind; there may be none, as in an empty body.
impl Decode for () {
    const HOLDS_NULL: bool = true;

    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        if reader.peek().is_ok() { reader.skip() } else { Ok(()) }
    }
}

#[cfg(test)]
#[path = "tests/scalars.rs"]
mod tests;
