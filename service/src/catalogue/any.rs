//! The common parts of all records, by which an operator lists and removes them.

use serde::Serialize;

use super::{Effect, Icon, Resource, Track};

/// A kind of record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordKind {
    /// Icons.
    Icons,
    /// Stock resources.
    Resources,
    /// Music tracks.
    Music,
    /// Sound effects.
    Effects,
}

impl RecordKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Icons, Self::Resources, Self::Music, Self::Effects];

    /// Returns the name that commands use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Icons => "icons",
            Self::Resources => "resources",
            Self::Music => "music",
            Self::Effects => "sfx",
        }
    }
}

/// The parts that the records of all kinds have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnyRecord {
    /// The displayed name.
    pub title: String,
    /// The name in its set or folder; empty for audio.
    #[serde(rename = "file")]
    pub file_name: String,
    /// Who made it; empty for sound effects.
    pub author: String,
    /// The groups that it belongs to: the set of an icon, the series of a resource, the genres of a track, the category of a
    /// sound effect.
    pub groups: Vec<String>,
    /// Its files, as keys of the file store. Other records may have the same ones.
    pub files: Vec<String>,
}

impl AnyRecord {
    /// Parses a stored record.
    ///
    /// # Errors
    /// Another version of the service has written it.
    pub fn parse(kind: RecordKind, record: &str) -> serde_json::Result<Self> {
        let owned = |files: Vec<&str>| files.into_iter().map(str::to_owned).collect();
        Ok(match kind {
            RecordKind::Icons => {
                let icon: Icon = serde_json::from_str(record)?;
                let (files, groups) = (owned(icon.files()), vec![icon.family.name]);
                Self { title: icon.name, file_name: icon.slug, author: icon.author.name, groups, files }
            }
            RecordKind::Resources => {
                let resource: Resource = serde_json::from_str(record)?;
                let (files, groups) = (owned(resource.files()), resource.series.into_iter().collect());
                let (file_name, author) = (resource.filename, resource.author.name);
                Self { title: resource.title, file_name, author, groups, files }
            }
            RecordKind::Music => {
                let track: Track = serde_json::from_str(record)?;
                let (files, file_name) = (owned(track.files()), String::new());
                Self { title: track.title, file_name, author: track.artist, groups: track.genres, files }
            }
            RecordKind::Effects => {
                let effect: Effect = serde_json::from_str(record)?;
                let (files, groups) = (owned(effect.files()), vec![effect.category.name]);
                let (file_name, author) = (String::new(), String::new());
                Self { title: effect.title, file_name, author, groups, files }
            }
        })
    }
}

impl Icon {
    /// Returns its files, as keys of the file store.
    #[must_use]
    pub fn files(&self) -> Vec<&str> {
        let pictures = self.thumbnails.iter().map(|picture| picture.key.as_str());
        pictures.chain([self.author.avatar.as_str()]).collect()
    }
}

impl Resource {
    /// Returns its files, as keys of the file store.
    #[must_use]
    pub fn files(&self) -> Vec<&str> {
        vec![&self.key, &self.preview.key, &self.author.avatar]
    }
}

impl Track {
    /// Returns its files, as keys of the file store.
    #[must_use]
    pub fn files(&self) -> Vec<&str> {
        [&self.key, &self.cover].into_iter().chain(&self.preview).map(String::as_str).collect()
    }
}

impl Effect {
    /// Returns its files, as keys of the file store.
    #[must_use]
    pub fn files(&self) -> Vec<&str> {
        vec![&self.key]
    }
}
