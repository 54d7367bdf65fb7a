//! A schema where it is used: what Rust sees, and the rules of the wire.

use super::{Ident, Module, TypeId};

/// A schema where it is used.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// What it is.
    pub ty: Type,
    /// Whether `null` is allowed as well.
    pub nullable: bool,
    /// The only values allowed, for what is no enum type of its own; empty: no such rule.
    pub allowed: Vec<Literal>,
}

impl Schema {
    /// A schema of this type and no other rule.
    #[must_use]
    pub fn new(ty: Type) -> Self {
        Self { ty, nullable: false, allowed: Vec::new() }
    }
}

/// What a schema is.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// Anything: `rt::Value`.
    Any,
    /// Nothing: `()`, a response without a body.
    Unit,
    /// `bool`.
    Boolean,
    /// An integer type.
    Integer(IntegerRules),
    /// `f64`.
    Number(NumberRules),
    /// A string, or what a string stands for.
    Text(TextRules),
    /// Raw bytes: `rt::Bytes`.
    Bytes,
    /// A part of a multipart body: `rt::File`.
    File,
    /// A body that comes piece by piece; nowhere else.
    Stream(Box<Stream>),
    /// `Vec<T>`.
    Array(Box<ArrayRules>),
    /// `(A, B)`: an array of so many items, at most [`MAX_TUPLE`](Self::MAX_TUPLE).
    Tuple(Vec<Schema>),
    /// `rt::Map<T>`.
    Map(Box<MapRules>),
    /// A type of its own.
    Named {
        /// The type.
        id: TypeId,
        /// Whether it stands behind a `Box`, because it would contain itself.
        boxed: bool,
    },
}

impl Type {
    /// The runtime reads and writes tuples up to this size.
    pub const MAX_TUPLE: usize = 8;
}

/// A body that comes piece by piece.
#[derive(Debug, Clone, PartialEq)]
pub enum Stream {
    /// Raw bytes: `rt::ByteStream`.
    Bytes,
    /// Items of this schema: `rt::ItemStream<T>`.
    Items(Schema),
    /// Events of which this is the data: `rt::ItemStream<rt::Event<T>>`.
    Events(Schema),
}

impl Stream {
    /// What the document says of each piece, if it says anything.
    #[must_use]
    pub const fn piece(&self) -> Option<&Schema> {
        match self {
            Self::Bytes => None,
            Self::Items(schema) | Self::Events(schema) => Some(schema),
        }
    }

    /// The same, to be changed.
    pub const fn piece_mut(&mut self) -> Option<&mut Schema> {
        match self {
            Self::Bytes => None,
            Self::Items(schema) | Self::Events(schema) => Some(schema),
        }
    }
}

/// Rules of an integer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IntegerRules {
    /// The Rust type.
    pub width: Width,
    /// At least.
    pub minimum: Option<i128>,
    /// Greater than.
    pub exclusive_minimum: Option<i128>,
    /// At most.
    pub maximum: Option<i128>,
    /// Less than.
    pub exclusive_maximum: Option<i128>,
    /// A multiple of; above 0.
    pub multiple_of: Option<i128>,
}

/// The Rust type of an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Width {
    /// `u16`: only the status of a [`StructRole::Response`](super::StructRole::Response), which has no table row.
    U16,
    /// `i32`.
    I32,
    /// `i64`.
    #[default]
    I64,
    /// `u32`.
    U32,
    /// `u64`.
    U64,
}

/// Rules of a number.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NumberRules {
    /// At least.
    pub minimum: Option<f64>,
    /// Greater than.
    pub exclusive_minimum: Option<f64>,
    /// At most.
    pub maximum: Option<f64>,
    /// Less than.
    pub exclusive_maximum: Option<f64>,
    /// A multiple of; above 0.
    pub multiple_of: Option<f64>,
}

/// Rules of a string.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TextRules {
    /// The Rust type.
    pub ty: TextType,
    /// At least this many code points.
    pub min_length: Option<u64>,
    /// At most this many code points.
    pub max_length: Option<u64>,
    /// Matches.
    pub pattern: Option<PatternId>,
    /// A form that is checked.
    pub format: Option<TextFormat>,
    /// Rules that are documented and not checked.
    pub stated: Option<Box<Stated>>,
}

/// Rules of a string that documentation and `rules.json` state, and that no table checks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stated {
    /// A pattern that `x-unchecked` names.
    pub pattern: Option<String>,
    /// The medium that the string holds or refers to (`x-media`).
    pub media: Option<Media>,
}

/// A medium that a string holds, as base64 or the like, or refers to by URL (`x-media`).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Media {
    /// What it is: `image`, `audio`, `video`.
    pub kind: String,
    /// The media types that are taken; empty: the document does not say.
    pub types: Vec<String>,
    /// Its limits, by name, in the order of [`MediaLimit::ALL`].
    pub limits: Vec<(MediaLimit, f64)>,
}

/// A limit of a medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaLimit {
    /// The most bytes.
    MaxBytes,
    /// The most bytes where the string itself holds it, decoded.
    MaxInlineBytes,
    /// The least length of a side, in pixels.
    MinSide,
    /// The greatest length of a side, in pixels.
    MaxSide,
    /// The most pixels.
    MaxPixels,
    /// The least length in seconds.
    MinSeconds,
    /// The greatest length in seconds.
    MaxSeconds,
}

impl MediaLimit {
    /// All limits.
    pub const ALL: [Self; 7] = [
        Self::MaxBytes,
        Self::MaxInlineBytes,
        Self::MinSide,
        Self::MaxSide,
        Self::MaxPixels,
        Self::MinSeconds,
        Self::MaxSeconds,
    ];

    /// Returns the name that documents use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MaxBytes => "max-bytes",
            Self::MaxInlineBytes => "max-inline-bytes",
            Self::MinSide => "min-side",
            Self::MaxSide => "max-side",
            Self::MaxPixels => "max-pixels",
            Self::MinSeconds => "min-seconds",
            Self::MaxSeconds => "max-seconds",
        }
    }
}

impl Media {
    /// Returns this limit, if the document has it.
    #[must_use]
    pub fn limit(&self, limit: MediaLimit) -> Option<f64> {
        self.limits.iter().find(|(name, _)| *name == limit).map(|(_, value)| *value)
    }
}

/// The Rust type of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextType {
    /// `String`.
    #[default]
    String,
    /// `rt::Uuid`.
    Uuid,
    /// `rt::Timestamp`.
    Timestamp,
    /// `rt::Date`.
    Date,
    /// `rt::Base64`.
    Base64,
    /// The type at this place in [`Api::foreign_types`](super::Api::foreign_types).
    Foreign(usize),
}

/// The forms of strings that are checked; the runtime's `table::Format` has the same names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextFormat {
    /// RFC 3339 date and time.
    DateTime,
    /// RFC 3339 full date.
    Date,
    /// UUID.
    Uuid,
    /// Absolute URI.
    Uri,
    /// E-mail address.
    Email,
    /// IPv4 address.
    Ipv4,
    /// IPv6 address.
    Ipv6,
    /// Base64.
    Base64,
}

/// A place in [`Api::patterns`](super::Api::patterns).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PatternId(pub usize);

/// A regular expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// The module whose tables use it.
    pub module: Module,
    /// The static that holds it.
    pub constant: Ident,
    /// The source, in the syntax of the `regex` crate (translated from ECMA where they differ).
    pub source: String,
}

/// Rules of an array.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayRules {
    /// Each item.
    pub items: Schema,
    /// At least this many.
    pub min_items: Option<u64>,
    /// At most this many.
    pub max_items: Option<u64>,
    /// No two alike.
    pub unique: bool,
}

/// Rules of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct MapRules {
    /// Each value.
    pub values: Schema,
    /// At least this many.
    pub min_properties: Option<u64>,
    /// At most this many.
    pub max_properties: Option<u64>,
    /// Rules on the names.
    pub names: Option<Box<NameRules>>,
}

/// Rules on the names of a map, or of what an object holds beside its fields, and on values by their names.
#[derive(Debug, Clone, PartialEq)]
pub struct NameRules {
    /// What each name must be: a text.
    pub each: Option<Schema>,
    /// The names whose values have rules of their own; nothing, where those of all values are enough.
    pub patterns: Vec<(PatternId, Option<Schema>)>,
    /// The rules of values whose names match none of the patterns.
    pub others: Option<Schema>,
    /// Whether names that match none of the patterns are forbidden.
    pub closed: bool,
}

impl NameRules {
    /// The schemas that stand directly in these rules.
    pub fn schemas(&self) -> impl Iterator<Item = &Schema> {
        self.each
            .iter()
            .chain(self.patterns.iter().filter_map(|(_, schema)| schema.as_ref()))
            .chain(&self.others)
    }

    /// The same, to be changed.
    pub fn schemas_mut(&mut self) -> impl Iterator<Item = &mut Schema> {
        let patterns = self.patterns.iter_mut().filter_map(|(_, schema)| schema.as_mut());
        self.each.iter_mut().chain(patterns).chain(&mut self.others)
    }
}

/// A constant of the document.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// `null`.
    Null,
    /// A boolean.
    Boolean(bool),
    /// An integer.
    Integer(i128),
    /// A number.
    Number(f64),
    /// A string.
    Text(String),
    /// An array or object.
    Json(serde_json::Value),
}

impl Literal {
    /// Whether two constants are the same value, however their numbers are written.
    #[must_use]
    pub fn is(&self, other: &serde_json::Value) -> bool {
        match self {
            Self::Null => other.is_null(),
            Self::Boolean(value) => other.as_bool() == Some(*value),
            Self::Integer(value) => {
                other.as_i64().map(i128::from).or_else(|| other.as_u64().map(i128::from)) == Some(*value)
            }
            Self::Number(value) => other.as_f64() == Some(*value),
            Self::Text(value) => other.as_str() == Some(value),
            Self::Json(value) => other == value,
        }
    }
}
