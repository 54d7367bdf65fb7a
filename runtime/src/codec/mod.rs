//! The codec, which reads and writes the values of models in any format.
//!
//! A model lists its fields once, over two trait objects. Its [`Decode`] calls one method of a [`Reader`],
//! and its [`Encode`] calls one method of a [`Writer`]. Neither trait is generic over the format, so a model
//! is compiled once and not once per format. Each format is one reader or writer: JSON text, JSON values,
//! parameters, forms, multipart bodies, the validation walk. [`serde_bridge!`](crate::serde_bridge) also
//! implements serde's traits for a model.
//!
//! # Strict and tolerant readers
//! A server reads strictly. Unknown fields of a closed object, duplicate fields and nulls that the schema
//! does not allow are decode errors. A client reads tolerantly, because a newer server may send more than the
//! document describes. It skips unknown fields, and it treats a null that a field's type can't hold as an
//! absent field.
//!
//! # Examples
//! For generated structs, [`object!`](crate::object) writes implementations of this form:
//! ```
//! use openapi_crates_runtime::codec::{Decode, Encode, DecodeError, Reader, AdditionalProperties, Writer, from_json, to_json};
//!
//! #[derive(Debug, PartialEq)]
//! struct Pet {
//!     name: String,
//!     age: Option<u32>,
//! }
//!
//! impl Decode for Pet {
//!     fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
//!         let (mut name, mut age) = (None, None);
//!         reader.object(&["name", "age"], &mut [&mut name, &mut age], AdditionalProperties::Closed)?;
//!         Ok(Self { name: name.ok_or_else(|| DecodeError::missing("name"))?, age })
//!     }
//! }
//!
//! impl Encode for Pet {
//!     fn encode(&self, writer: &mut dyn Writer) {
//!         writer.object(&[("name", &self.name), ("age", &self.age)], None);
//!     }
//! }
//!
//! let pet: Pet = from_json(br#"{"name": "Mia"}"#)?;
//! assert_eq!(pet, Pet { name: "Mia".to_owned(), age: None });
//! assert_eq!(to_json(&pet), br#"{"name":"Mia"}"#);
//!
//! let error = from_json::<Pet>(br#"{"name": 1}"#).unwrap_err();
//! assert_eq!(error.to_string(), "name: expected a string, found a number");
//! # Ok::<(), DecodeError>(())
//! ```

mod bridge;
mod candidates;
mod decode_error;
mod finite;
mod format;
mod json_lexer;
mod json_reader;
mod json_writer;
mod kinds;
mod macros;
mod number;
mod object;
mod one_of;
mod scalars;
mod shape;
mod slot;
mod tagged;
mod text;
mod tuples;
mod value_reader;
mod value_writer;

pub use bridge::{deserialize, serialize};
pub use candidates::{Candidates, candidates};
pub use decode_error::{DecodeError, DecodeErrorKind, Segment};
pub use format::Format;
pub use json_reader::{JsonReader, from_json};
pub use json_writer::{JsonWriter, to_json};
pub use kinds::Kinds;
pub use one_of::one_of;
pub use scalars::{entries, keep, parsed};
pub use shape::{Discriminator, Shape, UnionShape};
pub use slot::{Fill, Needed, Present};
pub use tagged::Tagged;
pub use value_reader::ValueReader;
pub use value_writer::{ValueWriter, to_value};

pub(crate) use finite::check_finite;
#[cfg(feature = "http")]
pub(crate) use slot::fill_field;
#[cfg(feature = "http")]
pub(crate) use text::len_before_any;
#[cfg(feature = "validation")]
pub(crate) use text::same;
pub(crate) use text::{EXCERPT, start_of};

#[cfg(test)]
mod arbitrary;

use crate::{
    stream::{ByteStream, Items, RawItems},
    types::{Bytes, File, Value},
};

/// A value that any [`Writer`] can write.
///
/// Encoding can't fail. Each writer decides how to write a value that its format can't represent, such as NaN
/// in JSON.
pub trait Encode {
    /// Writes this value with exactly one call to a method of `writer`.
    fn encode(&self, writer: &mut dyn Writer);

    /// Returns whether an object leaves this value out if it is a field.
    ///
    /// Only `Option::None`, boxed or not, is left out. The default is `false`.
    fn is_absent(&self) -> bool {
        false
    }
}

/// A value that can be read from any [`Reader`].
pub trait Decode: Sized {
    /// Whether this type can hold a null.
    ///
    /// A tolerant reader treats a null in a field of any other type as an absent field. The default is
    /// `false`.
    const HOLDS_NULL: bool = false;

    /// Reads one value.
    ///
    /// # Errors
    /// Fails at the first part of the input that this type can't hold.
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError>;
}

/// The kind of the next value in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
    /// Untyped text, such as a parameter or a form field. It may hold any scalar.
    Text,
}

/// A number that was read from the input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// An integer that fits in an `i64`; `1.0` and `1e2` are integers too.
    Signed(i64),
    /// An integer above `i64::MAX` that fits in a `u64`.
    Unsigned(u64),
    /// Any other number; an integer that needs more than 64 bits is rounded.
    Float(f64),
}

/// The treatment of additional properties.
///
/// These are the fields of an object that its type does not name.
pub enum AdditionalProperties<'a> {
    /// Readers skip them.
    Ignore,
    /// They are not allowed: a strict reader fails, a tolerant reader skips them.
    Closed,
    /// Readers pass each name and value to this function.
    Keep(&'a mut Entry<'a>),
}

/// A function that receives one entry of an object.
///
/// Its arguments are the entry's name and a reader whose next value is the entry's. The function must consume
/// it.
pub type Entry<'a> = dyn FnMut(&str, &mut dyn Reader) -> Result<(), DecodeError> + 'a;

/// A function that receives one item of an array.
///
/// Its argument is a reader whose next value is the item. The function must consume it.
pub type Item<'a> = dyn FnMut(&mut dyn Reader) -> Result<(), DecodeError> + 'a;

/// A source of values. Each reading method consumes exactly one value or fails.
pub trait Reader {
    /// Returns the kind of the next value and consumes nothing.
    ///
    /// # Errors
    /// Fails if the input ends here or is malformed.
    fn peek(&mut self) -> Result<Kind, DecodeError>;

    /// Returns whether this reader accepts what a newer sender may add.
    ///
    /// See [strict and tolerant readers](self#strict-and-tolerant-readers).
    fn is_tolerant(&self) -> bool;

    /// Returns whether a date-time without an offset is one in UTC, and not an error. The default is `false`.
    fn assumes_utc(&self) -> bool {
        false
    }

    /// Reads `null`.
    ///
    /// # Errors
    /// Fails if the next value is not a null.
    fn null(&mut self) -> Result<(), DecodeError>;

    /// Reads `true` or `false`.
    ///
    /// # Errors
    /// Fails if the next value is not a boolean.
    fn boolean(&mut self) -> Result<bool, DecodeError>;

    /// Reads a number.
    ///
    /// # Errors
    /// Fails if the next value is not a number.
    fn number(&mut self) -> Result<Number, DecodeError>;

    /// Reads a string and passes it to `visit`, without a copy where possible.
    ///
    /// # Errors
    /// Fails if the next value is not a string, or if `visit` fails.
    fn str(&mut self, visit: &mut dyn FnMut(&str) -> Result<(), DecodeError>) -> Result<(), DecodeError>;

    /// Reads a string.
    ///
    /// # Errors
    /// Fails if the next value is not a string.
    fn string(&mut self) -> Result<String, DecodeError>;

    /// Reads raw bytes.
    ///
    /// They are a binary body or part; in a text format they are the bytes of a string.
    ///
    /// # Errors
    /// Fails if the next value is neither.
    fn bytes(&mut self) -> Result<Bytes, DecodeError>;

    /// Reads a file.
    ///
    /// Formats with files also return its name and media type. The default implementation returns the bytes
    /// alone.
    ///
    /// # Errors
    /// Fails if the next value is not a file and has no bytes.
    fn file(&mut self) -> Result<File, DecodeError> {
        self.bytes().map(File::from)
    }

    /// Reads a body as a stream of bytes.
    ///
    /// The default implementation returns a stream of the bytes that are in memory.
    ///
    /// # Errors
    /// Fails if the next value has no bytes.
    fn byte_stream(&mut self) -> Result<ByteStream, DecodeError> {
        self.bytes().map(ByteStream::from)
    }

    /// Reads a body as a stream of items.
    ///
    /// The result is `None` if the format has no such streams. Then the items are an array, which is not read
    /// yet. The default implementation returns `None`.
    ///
    /// # Errors
    /// Fails if the next value is a stream, but not one of items.
    fn items(&mut self) -> Result<Option<RawItems>, DecodeError> {
        Ok(None)
    }

    /// Reads an array and calls `item` for each item.
    ///
    /// # Errors
    /// Fails if the next value is not an array, or if `item` fails. An error of `item` gains the item's
    /// index.
    fn array(&mut self, item: &mut Item<'_>) -> Result<(), DecodeError>;

    /// Reads an object and puts the value of field `names[i]` into `slots[i]`.
    ///
    /// Both slices have the same length. A reader whose input has no field names, such as a whole request,
    /// uses the position instead. Fields that `names` does not list are treated as `rest` says.
    ///
    /// # Errors
    /// Fails if the next value is not an object, if a slot fails (the error gains the field's name), if a
    /// strict reader finds a field more than once, or if `rest` forbids a field.
    fn object(
        &mut self,
        names: &[&'static str],
        slots: &mut [&mut dyn Fill],
        rest: AdditionalProperties<'_>,
    ) -> Result<(), DecodeError>;

    /// Reads an object as a map and calls `entry` for each entry, in input order.
    ///
    /// Entries with the same name are not merged: each one is passed to `entry`.
    ///
    /// # Errors
    /// Fails if the next value is not an object, or if `entry` fails. An error of `entry` gains the entry's
    /// name.
    fn entries(&mut self, entry: &mut Entry<'_>) -> Result<(), DecodeError>;

    /// Reads any value.
    ///
    /// # Errors
    /// Fails if the input is malformed.
    fn value(&mut self) -> Result<Value, DecodeError>;

    /// Consumes any value.
    ///
    /// # Errors
    /// Fails if the input is malformed.
    fn skip(&mut self) -> Result<(), DecodeError>;

    /// Consumes the value of a field that is not in the value that is being read, and remembers that.
    ///
    /// The default implementation does not remember it.
    ///
    /// # Errors
    /// Fails if the input is malformed.
    fn skip_field(&mut self) -> Result<(), DecodeError> {
        self.skip()
    }

    /// Returns whether this reader [skipped a field](Self::skip_field).
    ///
    /// A value that was read then lacks a part of the input. The default is `false`.
    fn has_skipped(&self) -> bool {
        false
    }

    /// Returns whether the scalars of the input are untyped text, as in parameters and forms.
    ///
    /// The default is `false`.
    fn is_text(&self) -> bool {
        false
    }

    /// Runs `read`, then returns to the current position.
    ///
    /// # Errors
    /// Returns the error of `read`, or [`DecodeErrorKind::TooDeep`] if this reader has re-read too much of its
    /// input.
    fn ahead(&mut self, read: &mut Item<'_>) -> Result<(), DecodeError>;

    /// Runs `read`, then returns to the current position if `read` failed.
    ///
    /// # Errors
    /// Returns the error of `read`, or [`DecodeErrorKind::TooDeep`] if this reader has re-read too much of its
    /// input.
    fn attempt(&mut self, read: &mut Item<'_>) -> Result<(), DecodeError>;

    /// Returns the index of the documented alternative that the input is.
    ///
    /// The alternatives are the media types of a body or the statuses of a response. A reader of plain values
    /// has none and returns 0.
    fn choice(&mut self) -> usize;
}

/// The entries of a map, in the form that a [`Writer`] takes.
pub type Entries<'a> = dyn Iterator<Item = (&'a str, &'a dyn Encode)> + 'a;

/// A sink of values. Each call writes exactly one value.
pub trait Writer {
    /// Writes `null`.
    fn null(&mut self);

    /// Writes a boolean.
    fn boolean(&mut self, value: bool);

    /// Writes a signed integer.
    fn i64(&mut self, value: i64);

    /// Writes an unsigned integer.
    fn u64(&mut self, value: u64);

    /// Writes a number.
    ///
    /// A format that can't represent NaN and infinities writes null for them. Clients and servers refuse to send such a
    /// value.
    fn f64(&mut self, value: f64);

    /// Writes a string.
    fn str(&mut self, value: &str);

    /// Writes a string that is guaranteed to have this format.
    ///
    /// The types that call this method produce the string themselves, so the validation checker need not
    /// check it. The string can differ from the text that the value was read from. JSON writes dates and UUIDs without
    /// escapes, so any other string for these formats makes the output invalid.
    fn formatted(&mut self, format: Format, value: &str) {
        let _ = format;
        self.str(value);
    }

    /// Writes a string that can differ from the text that the value was read from.
    fn rewritten(&mut self, value: &str) {
        self.str(value);
    }

    /// Writes raw bytes.
    ///
    /// Text formats write them as a string, in base64 if they are not UTF-8.
    fn bytes(&mut self, value: &Bytes);

    /// Writes a file.
    ///
    /// The default implementation writes its bytes.
    fn file(&mut self, value: &File) {
        self.bytes(&value.data);
    }

    /// Writes a streamed body.
    ///
    /// The default implementation writes the bytes if they are all in memory, and otherwise no bytes.
    fn byte_stream(&mut self, value: &ByteStream) {
        self.bytes(&value.held().unwrap_or_default());
    }

    /// Writes a body that is a stream of items.
    ///
    /// The default implementation writes an array of the items that are available without waiting.
    fn items(&mut self, items: &dyn Items) {
        self.value(&Value::Array(items.ready()));
    }

    /// Writes an array.
    fn array(&mut self, items: &mut dyn ExactSizeIterator<Item = &dyn Encode>);

    /// Writes an object: its fields in order, then the entries of `rest`.
    ///
    /// Fields that are [absent](Encode::is_absent) are left out.
    fn object(&mut self, fields: &[(&'static str, &dyn Encode)], rest: Option<&mut Entries<'_>>);

    /// Writes the value of a union.
    ///
    /// `index` is the position of the value's variant in the schema's list.
    fn variant(&mut self, index: usize, value: &dyn Encode);

    /// Writes the value of a union that may have a discriminator.
    ///
    /// The default implementation [fills in](Tagged) the discriminator. A writer that checks values writes them as they are.
    fn tagged(&mut self, union: &'static UnionShape, index: usize, value: &dyn Encode) {
        match union.discriminator {
            Some(_) => self.variant(index, &Tagged::new(union, index, value)),
            None => self.variant(index, value),
        }
    }

    /// Writes the documented alternative `index` of a body or response.
    ///
    /// The alternatives are the media types of a body or the statuses of a response.
    fn choice(&mut self, index: usize, value: &dyn Encode);

    /// Writes any value.
    fn value(&mut self, value: &Value);
}
