//! The hand-written code that generated crates stand on.
//!
//! Generated code is data and thin glue; what it does is here, once, and tested:
//! - [`codec`]: how a value is read from and written to any format, without code per format and type;
//! - [`stream`]: bodies that come or go piece by piece;
//! - [`types`]: the few types that generated models need beside the standard library's;
//! - [`table`]: the static rows that describe operations, schemas and rules;
//! - [`validation`]: the one engine that interprets those rows (feature `validation`);
//! - [`server`]: routing, authentication, decoding, refusals (feature `server`);
//! - [`client`]: calls, retries, typed errors (feature `client`).

pub mod codec;
pub mod stream;
pub mod types;

#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "http")]
pub mod parameters;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "validation")]
pub mod table;
#[cfg(feature = "validation")]
pub mod validation;

mod families;

/// What generated models name: one stable import, `use openapi_crates_runtime::model as rt;`.
pub mod model {
    pub use crate::codec::{
        Decode, Discriminator, Encode, Fault, Fill, Kinds, Reader, Rest, Shape, UnionShape, Writer, choose,
        entries, keep, one_of, one_of_or, parsed,
    };
    pub use crate::types::{
        Base64, ByteStream, Bytes, Date, Event, File, ItemStream, Map, NoError, Nullable, Timestamp, Uuid,
        Value, With,
    };
}

pub use serde;
