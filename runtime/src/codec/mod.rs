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
mod byte_stream;
mod candidates;
mod decode_error;
mod file;
mod finite;
mod format;
mod items;
mod joined;
mod json_lexer;
mod json_reader;
mod json_writer;
mod kinds;
mod macros;
mod number;
mod object;
mod one_of;
mod read;
mod scalars;
mod shape;
mod slot;
mod stream_error;
mod tagged;
mod text;
mod tuples;
mod value_reader;
mod value_writer;
#[cfg_attr(not(feature = "validation"), allow(dead_code, reason = "mostly the validation inspects values"))]
pub(crate) mod view;
mod write;

/// An object with arbitrary field names and one type of values.
pub type Map<T> = std::collections::BTreeMap<String, T>;

pub use bytes::Bytes;
pub use serde_json::Value;

pub use bridge::{deserialize, serialize};
pub use byte_stream::ByteStream;
pub use candidates::{Candidates, candidates};
pub use decode_error::{DecodeError, DecodeErrorKind, Segment};
pub use file::File;
pub use format::Format;
pub use items::{ItemSlot, ItemSource, ItemWriter, Items};
pub use json_reader::{JsonReader, from_json};
pub use json_writer::{JsonWriter, to_json};
pub use kinds::Kinds;
pub use one_of::one_of;
pub use read::{AdditionalProperties, Decode, Entry, Item, Kind, Number, Reader};
pub use scalars::{entries, keep, parsed};
pub use shape::{Discriminator, Shape, UnionShape};
pub use slot::{Fill, Needed, NullIsAbsent, Present};
pub use stream_error::{ItemError, StreamCall, StreamError, StreamErrorKind};
pub use tagged::Tagged;
pub use value_reader::ValueReader;
pub use value_writer::to_value;
pub use write::{Encode, Entries, Writer};

#[cfg(feature = "samples")]
pub(crate) use decode_error::path_text;
pub(crate) use finite::check_finite;
#[cfg(feature = "server")]
pub(crate) use joined::Joined;
#[cfg(feature = "validation")]
pub(crate) use number::Decimal;
#[cfg(feature = "http")]
pub(crate) use read::{untyped_array, untyped_object};
#[cfg(feature = "http")]
pub(crate) use slot::fill_field;
pub(crate) use stream_error::BoxError;
#[cfg(feature = "http")]
pub(crate) use text::len_before_any;
#[cfg(feature = "validation")]
pub(crate) use text::same;
pub(crate) use text::{EXCERPT, start_of};
#[cfg(feature = "validation")]
pub(crate) use value_writer::object_value;

#[cfg(test)]
#[path = "tests/arbitrary.rs"]
mod arbitrary;
