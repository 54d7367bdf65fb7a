//! The rules of strings, and the media that strings hold.

use super::{PatternId, TextFormat};

/// The constraints of a string.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TextRules {
    /// The Rust type.
    pub ty: TextType,
    /// The minimum length in code points.
    pub min_length: Option<u64>,
    /// The maximum length in code points.
    pub max_length: Option<u64>,
    /// The regular expression.
    pub pattern: Option<PatternId>,
    /// The format to check.
    pub format: Option<TextFormat>,
    /// Rules that are documented and not checked.
    pub stated: Option<Box<Stated>>,
}

/// Rules of a string that are documented and in `rules.json`, but not checked.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stated {
    /// A pattern that `x-unchecked` names.
    pub pattern: Option<String>,
    /// The medium that the string holds or refers to (`x-media`).
    pub media: Option<Media>,
}

/// A medium that a string holds (for example as base64) or refers to by URL (`x-media`).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Media {
    /// The kind: `image`, `audio` or `video`.
    pub kind: String,
    /// The accepted media types; empty if the document does not list them.
    pub types: Vec<String>,
    /// The form in which the string can hold the medium itself. Without it, the document does not say whether it can.
    pub inline: Option<Inline>,
    /// The limits, in the order of [`MediaLimit::ALL`].
    pub limits: Vec<(MediaLimit, f64)>,
}

/// The form of a medium within a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inline {
    /// Base64.
    Base64,
    /// A `data:` URI.
    DataUri,
}

impl Inline {
    /// Both forms.
    pub const ALL: [Self; 2] = [Self::Base64, Self::DataUri];

    /// Returns the name that documents use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Base64 => "base64",
            Self::DataUri => "data-uri",
        }
    }
}

/// A limit of a medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaLimit {
    /// The maximum size in bytes.
    MaxBytes,
    /// The maximum size in decoded bytes, if the string itself holds the medium.
    MaxInlineBytes,
    /// The minimum length of a side, in pixels.
    MinSide,
    /// The maximum length of a side, in pixels.
    MaxSide,
    /// The maximum number of pixels.
    MaxPixels,
    /// The minimum length in seconds.
    MinSeconds,
    /// The maximum length in seconds.
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
    /// The type at this index of [`Api::foreign_types`](super::Api::foreign_types).
    Foreign(usize),
}
