//! The catalogue: icons, stock resources, music and sound effects.
//!
//! Plain data and rules: records, queries, tokens, relevance, and the index in memory. The store keeps the records, and imports add them.

mod any;
pub mod audio;
pub mod index;
pub mod query;
mod record;
pub mod relevance;
pub mod tokens;

pub use any::{AnyRecord, RecordKind};
pub use record::{
    Appearance, Author, Category, Effect, Facets, FormatFile, Icon, Kind, Named, Orientation, Resource,
    Summary, Tag, Thumbnail, Track,
};

/// The 42 categories of sound effects, as `(name, parent)`.
///
/// They form a tree of two levels, in the API's order. Ids count from 1.
pub static CATEGORIES: &[(&str, Option<&str>)] = &[
    ("ambience", None),
    ("forest", Some("ambience")),
    ("city-ambience", Some("ambience")),
    ("room-tones", Some("ambience")),
    ("rain-and-storm", Some("ambience")),
    ("beach-and-ocean", Some("ambience")),
    ("wind", Some("ambience")),
    ("foley", None),
    ("weapons-and-warfare", Some("foley")),
    ("footsteps", Some("foley")),
    ("explosions-and-crashes", Some("foley")),
    ("kicks-and-punches", Some("foley")),
    ("clothing", Some("foley")),
    ("debris", Some("foley")),
    ("human-sounds", Some("foley")),
    ("genre", None),
    ("glitch-and-noise", Some("genre")),
    ("cartoon-voices-and-sounds", Some("genre")),
    ("sci-fi-sounds", Some("genre")),
    ("ghosts-and-horror-transitions", Some("genre")),
    ("gaming-and-fantasy", Some("genre")),
    ("interface-and-alerts", None),
    ("user-interface", Some("interface-and-alerts")),
    ("musical", None),
    ("drum-and-percussion-loops", Some("musical")),
    ("vocal-phrases", Some("musical")),
    ("one-shots", Some("musical")),
    ("melodic-loops", Some("musical")),
    ("realistic", None),
    ("wildlife", Some("realistic")),
    ("machines-and-tools", Some("realistic")),
    ("household-objects", Some("realistic")),
    ("cars-and-airplanes", Some("realistic")),
    ("water", Some("realistic")),
    ("electronic-devices", Some("realistic")),
    ("pets-and-farm-animals", Some("realistic")),
    ("transitions", None),
    ("epic-transitions", Some("transitions")),
    ("cinematic-impacts", Some("transitions")),
    ("whooshes", Some("transitions")),
    ("risers", Some("transitions")),
    ("intros-and-outros", Some("transitions")),
];

/// Returns the id of a category; `None` if no category has this name.
#[must_use]
pub fn category_id(name: &str) -> Option<i64> {
    CATEGORIES.iter().zip(1..).find(|((known, _), _)| *known == name).map(|(_, id)| id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_are_a_tree_of_two_levels() {
        assert_eq!(CATEGORIES.len(), 42);
        for (name, parent) in CATEGORIES {
            if let Some(parent) = parent {
                assert!(CATEGORIES.contains(&(parent, None)), "{name}");
            }
        }
        assert_eq!(category_id("ambience"), Some(1));
        assert_eq!(category_id("noise"), None);
    }
}
