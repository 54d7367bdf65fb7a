//! The static tables in which a generated crate describes its API.
//!
//! An [`Operation`] holds the parameters, request body, responses and security requirements of one operation,
//! and the constraints of every value in them. The router, the request decoder, the validation engine, the
//! client's encoder and the exported rules all use this table.
//!
//! # The shape of an input
//! A generated input (`CreateVoiceoverInput`) encodes and decodes as an object. Its fields are the
//! operation's [`parameters`](Operation::parameters) in order, then the body if there is one. Readers and
//! writers of requests identify a field by this position.
//!
//! # The shape of an output
//! The output of an operation has up to four layers, outermost first:
//! - a `choice` among the rows of [`responses`](Operation::responses), if there are several;
//! - an object of `status`, the row's headers and `body`, if the row has headers or its status is not one
//!   code; `status` is left out if it is one code;
//! - a `choice` among the row's contents, if there are several;
//! - the body.
//!
//! Errors have the same layers over the rows of [`errors`](Operation::errors), and always have the first
//! `choice`.

mod json_schema;
mod operation;
mod pattern;
mod rows;
mod schema;
mod security;
#[cfg(feature = "xml")]
mod xml;

pub use crate::{
    codec::{Format, Kinds},
    stream::Framing,
};
pub use json_schema::{JsonSchema, Keyword};
#[cfg(any(feature = "client", feature = "server"))]
pub(crate) use operation::is_bodiless;
pub use operation::{
    Body, Content, ContentFormat, Encoding, ErrorUse, Errors, Header, Location, Operation, Parameter,
    Response, Status, Style,
};
pub use pattern::{Matched, Pattern};
#[cfg(any(feature = "client", feature = "server"))]
pub(crate) use rows::setters;
pub use schema::{
    Additional, Array, CrossRule, Field, Integer, Literal, Names, Number, Object, Schema, Text, Type, Union,
    Width,
};
pub use security::{Flow, FlowKind, Requirement, Scheme, SchemeKind};
#[cfg(feature = "xml")]
pub use xml::{Xml, XmlNode};

/// Stops the compilation if a module's tables are not made from the same document as its models.
///
/// Readers, writers and the checker identify fields by position, so tables of another document could take one field
/// for another. Generated code calls this function in a constant.
///
/// # Examples
/// ```
/// const _: () = openapi_crates_runtime::table::agree(0x0123_4567_89ab_cdef, 0x0123_4567_89ab_cdef);
/// ```
/// ```compile_fail
/// const _: () = openapi_crates_runtime::table::agree(0x0123_4567_89ab_cdef, 0);
/// ```
///
/// # Panics
/// If the fingerprints differ.
pub const fn agree(models: u64, tables: u64) {
    assert!(
        models == tables,
        "the models and the validation tables are generated from different documents, or by different versions of the \
         generator: generate both crates again"
    );
}
