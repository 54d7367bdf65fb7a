//! How a body is written on the wire.

/// The format of a body on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentFormat {
    /// JSON: `application/json`, `+json`.
    Json,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// `multipart/form-data`.
    Multipart,
    /// `text/*`.
    Text,
    /// XML: `application/xml`, `text/xml`, `+xml`.
    Xml,
    /// Anything else.
    Bytes,
    /// A sequence of items.
    Items(Framing),
    /// Parts without names, as an array.
    Parts,
    /// A sequence of parts without names.
    PartStream,
}

/// How items are separated in a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// `text/event-stream`.
    Events,
    /// `application/x-ndjson`, `application/jsonl`.
    Lines,
    /// `application/json-seq`.
    Sequence,
}
