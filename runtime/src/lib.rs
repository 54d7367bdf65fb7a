//! The hand-written runtime of the crates that `openapi-crates` generates.
//!
//! Generated code consists of data and thin glue. Its behaviour is implemented and tested in this crate:
//! - [`codec`]: reads and writes values in any format, without code per format and type;
//! - [`stream`]: streamed bodies: bytes, server-sent events, JSON lines;
//! - [`types`]: types that generated models need in addition to the standard library's;
//! - [`parameters`]: wire formats of parameters, forms and multipart bodies (feature `http`); XML bodies (feature `xml`);
//! - [`table`]: static tables of operations, schemas and constraints (feature `validation`; `patterns-fancy` for
//!   patterns with look-around or back-references);
//! - [`validation`]: the engine that interprets those tables (feature `validation`);
//! - [`samples`]: values of a schema for property tests (feature `samples`);
//! - [`server`]: routing, authentication, request decoding, error responses (feature `server`);
//! - [`client`]: calls, retries, typed errors (feature `client`);
//! - [`webhooks`]: verification of webhooks, and their receiver (feature `webhooks`).

// The list above links to modules that these features add.
#![cfg_attr(
    not(all(feature = "samples", feature = "webhooks", feature = "client")),
    allow(rustdoc::broken_intra_doc_links)
)]

pub mod codec;
pub mod stream;
pub mod types;

#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "http")]
pub mod parameters;
#[cfg(feature = "samples")]
pub mod samples;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "validation")]
pub mod table;
#[cfg(feature = "validation")]
pub mod validation;
#[cfg(feature = "webhooks")]
pub mod webhooks;

#[cfg(feature = "sources")]
#[doc(hidden)]
pub mod sources;

#[cfg(feature = "validation")]
mod formats;
mod tags;
#[cfg(test)]
mod tests;
#[cfg(feature = "http")]
mod text;
#[cfg(all(feature = "http", feature = "xml"))]
mod xml;

/// The names that generated models use.
///
/// Generated code imports them with one line: `use openapi_crates_runtime::model as rt;`.
pub mod model {
    pub use crate::codec::{
        AdditionalProperties, Decode, DecodeError, Encode, Fill, Kinds, Needed, NullIsAbsent, Present,
        Reader, Shape, UnionShape, Writer, entries, keep, one_of, parsed,
    };
    pub use crate::types::{
        Base64, Base64Medium, ByteStream, Bytes, DataUriMedium, Date, Event, File, ItemStream, Map, NoError,
        Nullable, Timestamp, Uuid, Value, With,
    };
    pub use crate::{choice, object, string_enum, union};
}

// The code that `serde_bridge!` expands to refers to serde by this path.
pub use serde;
