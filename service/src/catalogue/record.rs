//! The records of the catalogue.
//!
//! The store keeps whole records as JSON, and the columns that searches need.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::time::Millis;

/// The author of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Author {
    /// The id.
    pub id: i64,
    /// The name.
    pub name: String,
    /// The name in URLs.
    pub slug: String,
    /// The picture, as a key of the file store.
    pub avatar: String,
}

/// An id with a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// The id.
    pub id: i64,
    /// The name.
    pub name: String,
}

/// A tag or keyword.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tag {
    /// The name for machines.
    pub slug: String,
    /// The display name.
    pub name: String,
}

/// A picture with its size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thumbnail {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// The file, as a key of the file store.
    pub key: String,
}

/// An icon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Icon {
    /// The id, which is the same at each import.
    pub id: i64,
    /// The name in its set, such as `house-plus`.
    pub slug: String,
    /// The displayed name, such as `House plus`.
    pub name: String,
    /// The names in other languages, by language tag in lower case.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub names: BTreeMap<String, String>,
    /// The time at which its set was last changed.
    pub created_at: Millis,
    /// The style, such as `Outline` or `Solid`.
    pub style: Named,
    /// The set.
    pub family: Named,
    /// The author of the set.
    pub author: Author,
    /// Whether the SVG can be downloaded for free.
    pub free_svg: bool,
    /// The tags for what it shows.
    pub tags: Vec<Tag>,
    /// The slug without its style, such as `house` for `house-filled`.
    ///
    /// Icons of other sets with the same concept show the same.
    pub concept: String,
    /// The pictures in several sizes.
    pub thumbnails: Vec<Thumbnail>,
}

impl Icon {
    /// Returns the first word of the concept.
    ///
    /// Icons of a set that share it are variants of each other.
    #[must_use]
    pub fn stem(&self) -> &str {
        self.concept.split('-').next().unwrap_or_default()
    }
}

/// The properties that filters of resources use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facets {
    /// The kind: `photo`, `vector` or `psd`.
    pub kind: String,
    /// The shape: `horizontal`, `vertical`, `square`, `panoramic` or `unknown`.
    pub orientation: String,
    /// Whether it needs a premium licence.
    pub premium: bool,
    /// The main colours, as the API names them.
    pub colors: Vec<String>,
    /// The number of people in it; `None` if it is unknown.
    pub people: Option<u32>,
    /// The ages of the people, as the API names them.
    pub ages: Vec<String>,
    /// The genders of the people, as the API names them.
    pub genders: Vec<String>,
    /// Whether AI generated it.
    pub ai_generated: bool,
    /// The style of a vector.
    pub vector_style: Option<String>,
}

impl Facets {
    /// Returns the facets that responses show.
    #[must_use]
    pub fn appearance(&self) -> Appearance {
        let kind = match self.kind.as_str() {
            "vector" => Kind::Vector,
            "psd" => Kind::Psd,
            _ => Kind::Photo,
        };
        let orientation = match self.orientation.as_str() {
            "horizontal" => Orientation::Horizontal,
            "vertical" => Orientation::Vertical,
            "square" => Orientation::Square,
            "panoramic" => Orientation::Panoramic,
            _ => Orientation::Unknown,
        };
        Appearance { kind, orientation, premium: self.premium }
    }
}

/// The facets of a resource that responses show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appearance {
    /// The kind of picture.
    pub kind: Kind,
    /// The shape.
    pub orientation: Orientation,
    /// Whether it needs a premium licence.
    pub premium: bool,
}

/// A kind of picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A photo, or another picture made of pixels.
    Photo,
    /// A drawing made of shapes.
    Vector,
    /// A Photoshop document with layers.
    Psd,
}

/// A shape of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orientation {
    /// Wider than high.
    Horizontal,
    /// Higher than wide.
    Vertical,
    /// As wide as high.
    Square,
    /// Much wider than high.
    Panoramic,
    /// Unknown.
    Unknown,
}

/// A file of a resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormatFile {
    /// The id.
    pub id: i64,
    /// The name.
    pub name: Option<String>,
    /// The colour space, such as `sRGB`.
    pub colorspace: Option<String>,
    /// The size in bytes.
    pub size: u64,
}

/// A stock resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resource {
    /// The id, which is the same at each import.
    pub id: i64,
    /// The title.
    pub title: String,
    /// The titles in other languages, by language tag in lower case.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub titles: BTreeMap<String, String>,
    /// The name of the file.
    pub filename: String,
    /// The file, as a key of the file store.
    pub key: String,
    /// The keywords for what it shows.
    pub keywords: Vec<Tag>,
    /// The properties that filters use.
    pub facets: Facets,
    /// The preview picture.
    pub preview: Thumbnail,
    /// The files, keyed by the API's names of formats.
    pub formats: BTreeMap<String, Vec<FormatFile>>,
    /// The series; resources of one series are related.
    pub series: Option<String>,
    /// The author.
    pub author: Author,
    /// The time of publication.
    pub published_at: Millis,
    /// The time of the last change.
    pub updated_at: Millis,
    /// The number of downloads.
    pub downloads: u32,
    /// The number of likes.
    pub likes: u32,
}

/// The part of a resource that responses show with another resource.
///
/// It is in memory for every resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The id.
    pub id: i64,
    /// The title.
    pub title: Box<str>,
    /// The titles in other languages, by language tag in lower case.
    pub titles: BTreeMap<String, String>,
    /// The file, as a key of the file store.
    pub key: Box<str>,
    /// The kind, shape and licence.
    pub appearance: Appearance,
    /// The preview picture.
    pub preview: Thumbnail,
    /// The author.
    pub author: Arc<Author>,
}

/// A music track.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Track {
    /// The id, which is the same at each import.
    pub id: i64,
    /// The title.
    pub title: String,
    /// The artist.
    pub artist: String,
    /// The genres, as the API names them.
    pub genres: Vec<String>,
    /// The moods, as the API names them.
    pub moods: Vec<String>,
    /// The file, as a key of the file store.
    pub key: String,
    /// The file of the preview, as a key of the file store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// The cover, as a key of the file store.
    pub cover: String,
    /// The length in seconds.
    pub seconds: f64,
    /// The tempo in beats per minute; 0 if it is unknown.
    pub bpm: f64,
    /// The popularity from 0 to 1.
    pub popularity: f64,
    /// Whether it needs a premium licence.
    pub premium: bool,
    /// The time at which its file was last changed.
    pub created_at: Millis,
}

/// A category of sound effects, one of [`CATEGORIES`](super::CATEGORIES).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Category {
    /// The name.
    pub name: String,
}

/// A sound effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// The id, which is the same at each import.
    pub id: i64,
    /// The title.
    pub title: String,
    /// The tags for what is heard.
    pub tags: Vec<String>,
    /// The category.
    pub category: Category,
    /// The file, as a key of the file store.
    pub key: String,
    /// The length in seconds.
    pub duration: f64,
    /// Whether it needs a premium licence.
    pub premium: bool,
    /// The popularity from 0 to 1.
    pub popularity: f64,
    /// The number of downloads.
    pub downloads: u32,
    /// The time at which its file was last changed.
    pub created_at: Millis,
}
