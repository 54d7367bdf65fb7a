//! The codec: a model says once, over two trait objects, which fields it has; readers and writers do the rest.
//!
//! A model's [`Decode`] calls one method of a [`Reader`], its [`Encode`] one method of a [`Writer`]. Neither is
//! generic over the format, so a model costs the compiler a fraction of what a serde derive costs, and every format
//! (JSON text, JSON values, parameters, forms, multipart, the validation walk) is written once, here.
//! The bridge ([`serde_bridge!`](crate::serde_bridge)) makes every model `serde::Serialize` and `Deserialize` as well.
//!
//! **Strict and tolerant readers.** A server reads strictly: unknown fields of a closed object, duplicate fields and
//! nulls that no schema allows are faults. A client reads tolerantly, because a newer server may say more: unknown
//! fields are skipped, a null in an optional field is absence.

mod bridge;
mod fault;
mod format;
mod json_lexer;
mod json_reader;
mod json_writer;
mod number;
mod one_of;
mod scalars;
mod shape;
mod slot;
mod text;
mod tuples;
mod value_reader;
mod value_writer;

pub use bridge::{deserialize, serialize};
pub use fault::{Fault, FaultKind, Segment};
pub use format::Format;
pub use json_reader::{JsonReader, from_json};
pub use json_writer::{JsonWriter, to_json};
pub use one_of::{one_of, one_of_or};
pub use scalars::{entries, keep, parsed};
pub use shape::{Candidates, Discriminator, Kinds, Shape, UnionShape, candidates, choose};
pub use slot::Fill;
pub use value_reader::ValueReader;
pub use value_writer::{ValueWriter, to_value};

#[cfg(feature = "validation")]
pub(crate) use text::same;

#[cfg(test)]
mod arbitrary;

use crate::{
    stream::{ByteStream, Items, RawItems},
    types::{Bytes, File, Value},
};

/// A value that can be written by any [`Writer`]. Encoding can't fail: what a format can't say is its writer's to settle.
pub trait Encode {
    /// Writes this value: exactly one call of a method of `writer`.
    fn encode(&self, writer: &mut dyn Writer);

    /// Whether this value, as a field of an object, is left out. Only `Option::None` is.
    fn is_absent(&self) -> bool {
        false
    }
}

/// A value that can be read from any [`Reader`].
pub trait Decode: Sized {
    /// Whether this type holds a null; to a tolerant reader, a null in a field of another type is absence.
    const HOLDS_NULL: bool = false;

    /// Reads one value.
    ///
    /// # Errors
    /// The first thing in the input that this type can't hold.
    fn decode(reader: &mut dyn Reader) -> Result<Self, Fault>;
}

/// What stands next in the input.
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
    /// Text without a type of its own (a parameter, a form field): any scalar may be in it.
    Text,
}

/// A number as it stands in the input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// An integer (`1.0` and `1e2` are integers too) that fits 64 bits with a sign.
    Signed(i64),
    /// An integer above `i64::MAX` that fits 64 bits.
    Unsigned(u64),
    /// Everything else; an integer beyond 64 bits is here, rounded.
    Float(f64),
}

/// What to do with the fields of an object that its type doesn't name.
pub enum Rest<'a> {
    /// They are skipped.
    Ignore,
    /// They are not allowed: a fault for a strict reader, skipped by a tolerant one.
    Closed,
    /// They are handed over, name and value.
    Keep(&'a mut Entry<'a>),
}

/// Receives one entry of an object: its name, and the reader that stands before its value (which it must consume).
pub type Entry<'a> = dyn FnMut(&str, &mut dyn Reader) -> Result<(), Fault> + 'a;

/// Receives one item of an array: the reader that stands before it (which it must consume).
pub type Item<'a> = dyn FnMut(&mut dyn Reader) -> Result<(), Fault> + 'a;

/// A source of values. Every method that reads consumes exactly one value, or fails.
pub trait Reader {
    /// What stands next; consumes nothing.
    ///
    /// # Errors
    /// The input ends here or is malformed.
    fn peek(&mut self) -> Result<Kind, Fault>;

    /// Whether this reader forgives what a newer sender may say (see the module's words on strict and tolerant).
    fn is_tolerant(&self) -> bool;

    /// Reads `null`.
    ///
    /// # Errors
    /// Something else stands here.
    fn null(&mut self) -> Result<(), Fault>;

    /// Reads `true` or `false`.
    ///
    /// # Errors
    /// Something else stands here.
    fn boolean(&mut self) -> Result<bool, Fault>;

    /// Reads a number.
    ///
    /// # Errors
    /// Something else stands here.
    fn number(&mut self) -> Result<Number, Fault>;

    /// Reads a string and hands it to `visit` without copying it where the format allows.
    ///
    /// # Errors
    /// Something else stands here, or `visit` fails.
    fn str(&mut self, visit: &mut dyn FnMut(&str) -> Result<(), Fault>) -> Result<(), Fault>;

    /// Reads a string.
    ///
    /// # Errors
    /// Something else stands here.
    fn string(&mut self) -> Result<String, Fault>;

    /// Reads raw bytes: a binary body or part; in a text format, the bytes of a string.
    ///
    /// # Errors
    /// Something else stands here.
    fn bytes(&mut self) -> Result<Bytes, Fault>;

    /// Reads a file: bytes, and the name and media type they came with, in the formats that have such.
    ///
    /// # Errors
    /// Something else stands here.
    fn file(&mut self) -> Result<File, Fault> {
        self.bytes().map(File::from)
    }

    /// Reads a body as a stream; in the formats that have none, the bytes that are here.
    ///
    /// # Errors
    /// Something else stands here.
    fn byte_stream(&mut self) -> Result<ByteStream, Fault> {
        self.bytes().map(ByteStream::from)
    }

    /// Reads a body as a stream of items.
    ///
    /// # Errors
    /// Something else stands here; in most formats nothing else can.
    fn items(&mut self) -> Result<RawItems, Fault> {
        Err(Fault::custom("a stream of items can't be read from here"))
    }

    /// Reads an array, item by item.
    ///
    /// # Errors
    /// Something else stands here, or `item` fails (the fault gains the item's index).
    fn array(&mut self, item: &mut Item<'_>) -> Result<(), Fault>;

    /// Reads an object whose fields are `names[i]`, each into `slots[i]`; both slices have the same length.
    /// Readers whose input is not addressed by name (a whole request) go by position.
    ///
    /// # Errors
    /// Something else stands here, a slot fails (the fault gains the field's name), a field stands twice in the
    /// input of a strict reader, or `rest` forbids a field.
    fn object(
        &mut self,
        names: &[&'static str],
        slots: &mut [&mut dyn Fill],
        rest: Rest<'_>,
    ) -> Result<(), Fault>;

    /// Reads an object as a map, entry by entry, in the order of the input; duplicates are handed over as they come.
    ///
    /// # Errors
    /// Something else stands here, or `entry` fails (the fault gains the entry's name).
    fn entries(&mut self, entry: &mut Entry<'_>) -> Result<(), Fault>;

    /// Reads any value.
    ///
    /// # Errors
    /// The input is malformed.
    fn value(&mut self) -> Result<Value, Fault>;

    /// Consumes any value.
    ///
    /// # Errors
    /// The input is malformed.
    fn skip(&mut self) -> Result<(), Fault>;

    /// Runs `read` and then stands where it stood before, whatever `read` consumed.
    ///
    /// # Errors
    /// Those of `read`.
    fn ahead(&mut self, read: &mut Item<'_>) -> Result<(), Fault>;

    /// Runs `read`; where it fails, stands where it stood before.
    ///
    /// # Errors
    /// Those of `read`.
    fn attempt(&mut self, read: &mut Item<'_>) -> Result<(), Fault>;

    /// Which of the documented alternatives of a body or response (media types, statuses) the input is; a reader of
    /// plain values, which knows of none, answers 0.
    fn choice(&mut self) -> usize;
}

/// The entries of a map, as a [`Writer`] takes them.
pub type Entries<'a> = dyn Iterator<Item = (&'a str, &'a dyn Encode)> + 'a;

/// A sink of values. Every call writes exactly one value.
pub trait Writer {
    /// Writes `null`.
    fn null(&mut self);

    /// Writes a boolean.
    fn boolean(&mut self, value: bool);

    /// Writes an integer.
    fn i64(&mut self, value: i64);

    /// Writes an integer.
    fn u64(&mut self, value: u64);

    /// Writes a number. Text formats write what is no number (NaN, infinities) as `null`.
    fn f64(&mut self, value: f64);

    /// Writes a string.
    fn str(&mut self, value: &str);

    /// Writes a string that its type has written, and so is of this form for sure.
    fn formatted(&mut self, format: Format, value: &str) {
        let _ = format;
        self.str(value);
    }

    /// Writes raw bytes; text formats write them as a string, in base64 where they are not UTF-8.
    fn bytes(&mut self, value: &Bytes);

    /// Writes a file; formats without files write its bytes.
    fn file(&mut self, value: &File) {
        self.bytes(&value.data);
    }

    /// Writes a body as a stream; formats without streams write the bytes that are here.
    fn byte_stream(&mut self, value: &ByteStream) {
        self.bytes(&value.held().unwrap_or_default());
    }

    /// Writes a body as a stream of items; formats without streams write an array of those that are here.
    fn items(&mut self, items: &dyn Items) {
        self.value(&Value::Array(items.ready()));
    }

    /// Writes an array.
    fn array(&mut self, items: &mut dyn ExactSizeIterator<Item = &dyn Encode>);

    /// Writes an object: its fields in order, without those that are absent, then the entries of `rest`.
    fn object(&mut self, fields: &[(&'static str, &dyn Encode)], rest: Option<&mut Entries<'_>>);

    /// Writes a union's value; `index` is the variant's place in the schema's list.
    fn variant(&mut self, index: usize, value: &dyn Encode);

    /// Writes the `index`th of the documented alternatives of a body or response (media types, statuses).
    fn choice(&mut self, index: usize, value: &dyn Encode);

    /// Writes any value.
    fn value(&mut self, value: &Value);
}

/// Declares `serde::Serialize` and `serde::Deserialize` for models, over their own codec.
#[macro_export]
macro_rules! serde_bridge {
    ($($model:ty),+ $(,)?) => {$(
        impl $crate::serde::Serialize for $model {
            fn serialize<S: $crate::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::codec::serialize(self, serializer)
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $model {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::codec::deserialize(deserializer)
            }
        }
    )+};
}
