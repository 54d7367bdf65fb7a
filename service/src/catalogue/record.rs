//! What the catalogue holds, as the store keeps it: whole records, as JSON, beside the columns that searches need.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::time::Millis;

/// Who made something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Author {
    /// Their id.
    pub id: i64,
    /// Their name.
    pub name: String,
    /// Their name in URLs.
    pub slug: String,
    /// Their picture: a key of the file store.
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
    /// For machines.
    pub slug: String,
    /// For people.
    pub name: String,
}

/// A picture of a size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thumbnail {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// The file's key.
    pub key: String,
}

/// An icon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Icon {
    /// Its id: the same at each import.
    pub id: i64,
    /// Its name in its set: `house-plus`.
    pub slug: String,
    /// Its name: `House plus`.
    pub name: String,
    /// Its name in other languages, by their tags in lower case.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub names: BTreeMap<String, String>,
    /// When its set was made.
    pub created_at: Millis,
    /// `Outline`, `Solid`, ….
    pub style: Named,
    /// Its set.
    pub family: Named,
    /// Who made the set.
    pub author: Author,
    /// Whether the SVG can be downloaded for free.
    pub free_svg: bool,
    /// What it shows.
    pub tags: Vec<Tag>,
    /// The first tag's slug: icons of other sets with the same one show the same.
    pub concept: String,
    /// Its pictures.
    pub thumbnails: Vec<Thumbnail>,
}

impl Icon {
    /// The first word of what it shows: icons of a set that share it are variants of each other.
    #[must_use]
    pub fn stem(&self) -> &str {
        self.concept.split('-').next().unwrap_or_default()
    }
}

/// What resources are filtered by.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facets {
    /// `photo`, `vector`, `psd`.
    pub kind: String,
    /// `horizontal`, `vertical`, `square`, `panoramic`, `unknown`.
    pub orientation: String,
    /// Whether it needs a premium licence.
    pub premium: bool,
    /// Its main colours: names of the API.
    pub colors: Vec<String>,
    /// How many people are on it; `None`: not known.
    pub people: Option<u32>,
    /// Their ages: names of the API.
    pub ages: Vec<String>,
    /// Their genders: names of the API.
    pub genders: Vec<String>,
    /// Whether AI has made it.
    pub ai_generated: bool,
    /// The style of a vector.
    pub vector_style: Option<String>,
}

impl Facets {
    /// What is shown of them.
    #[must_use]
    pub fn look(&self) -> Look {
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
        Look { kind, orientation, premium: self.premium }
    }
}

/// What is shown of a resource's facets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// What kind of picture it is.
    pub kind: Kind,
    /// Its shape.
    pub orientation: Orientation,
    /// Whether it needs a premium licence.
    pub premium: bool,
}

/// A kind of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Of a camera, or painted in pixels.
    Photo,
    /// Drawn by shapes.
    Vector,
    /// With layers.
    Psd,
}

/// A shape of pictures.
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
    /// Not known.
    Unknown,
}

/// A file that a resource consists of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormatFile {
    /// Its id.
    pub id: i64,
    /// Its name.
    pub name: Option<String>,
    /// `sRGB`, ….
    pub colorspace: Option<String>,
    /// In bytes.
    pub size: u64,
}

/// A stock resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resource {
    /// Its id: the same at each import.
    pub id: i64,
    /// Its title.
    pub title: String,
    /// Its title in other languages, by their tags in lower case.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub titles: BTreeMap<String, String>,
    /// The name of its file.
    pub filename: String,
    /// Its file: a key of the file store.
    pub key: String,
    /// What it shows.
    pub keywords: Vec<Tag>,
    /// What it is filtered by.
    pub facets: Facets,
    /// The picture that is shown for it.
    pub preview: Thumbnail,
    /// Its files, by the API's names of formats.
    pub formats: BTreeMap<String, Vec<FormatFile>>,
    /// What it is a part of: those with the same one are related.
    pub series: Option<String>,
    /// Who made it.
    pub author: Author,
    /// When it was published.
    pub published_at: Millis,
    /// When it was changed last.
    pub updated_at: Millis,
    /// How often it was downloaded.
    pub downloads: u32,
    /// How many like it.
    pub likes: u32,
}

/// What is shown of a resource beside another one. It is in memory, for each resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Its id.
    pub id: i64,
    /// Its title.
    pub title: Box<str>,
    /// Its title in other languages.
    pub titles: BTreeMap<String, String>,
    /// Its file: a key of the file store.
    pub key: Box<str>,
    /// What its picture is like.
    pub look: Look,
    /// The picture that is shown for it.
    pub preview: Thumbnail,
    /// Who made it.
    pub author: Arc<Author>,
}

/// A piece of music.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Track {
    /// Its id: the same at each import.
    pub id: i64,
    /// Its title.
    pub title: String,
    /// Who plays it.
    pub artist: String,
    /// Names of the API.
    pub genres: Vec<String>,
    /// Names of the API.
    pub moods: Vec<String>,
    /// Its file's key.
    pub key: String,
    /// Its cover's key.
    pub cover: String,
    /// Its length.
    pub seconds: f64,
    /// Its tempo in beats a minute.
    pub bpm: f64,
    /// From 0 to 1.
    pub popularity: f64,
    /// Whether it needs a premium licence.
    pub premium: bool,
    /// When its file was changed last.
    pub created_at: Millis,
}

/// A category of sound effects: its place in [`CATEGORIES`](super::CATEGORIES).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Category {
    /// The name.
    pub name: String,
}

/// A sound effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// Its id: the same at each import.
    pub id: i64,
    /// Its title.
    pub title: String,
    /// What is heard.
    pub tags: Vec<String>,
    /// Where it belongs.
    pub category: Category,
    /// Its file's key.
    pub key: String,
    /// Its length in seconds.
    pub duration: f64,
    /// Whether it needs a premium licence.
    pub premium: bool,
    /// From 0 to 1.
    pub popularity: f64,
    /// How often it was downloaded.
    pub downloads: u32,
    /// When its file was changed last.
    pub created_at: Millis,
}
