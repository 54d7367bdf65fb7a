//! Records of any kind, as an operator lists and removes them.

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

/// A record of any kind.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyRecord {
    /// An icon.
    Icon(Icon),
    /// A stock resource.
    Resource(Box<Resource>),
    /// A music track.
    Track(Track),
    /// A sound effect.
    Effect(Effect),
}

impl AnyRecord {
    /// Parses a stored record.
    ///
    /// # Errors
    /// Another version of the service has written it.
    pub fn parse(kind: RecordKind, record: &str) -> serde_json::Result<Self> {
        Ok(match kind {
            RecordKind::Icons => Self::Icon(serde_json::from_str(record)?),
            RecordKind::Resources => Self::Resource(serde_json::from_str(record)?),
            RecordKind::Music => Self::Track(serde_json::from_str(record)?),
            RecordKind::Effects => Self::Effect(serde_json::from_str(record)?),
        })
    }

    /// Returns the displayed name.
    #[must_use]
    pub fn title(&self) -> &str {
        match self {
            Self::Icon(icon) => &icon.name,
            Self::Resource(resource) => &resource.title,
            Self::Track(track) => &track.title,
            Self::Effect(effect) => &effect.title,
        }
    }

    /// Returns the name in its set or folder, if the record has one.
    #[must_use]
    pub fn file_name(&self) -> &str {
        match self {
            Self::Icon(icon) => &icon.slug,
            Self::Resource(resource) => &resource.filename,
            Self::Track(_) | Self::Effect(_) => "",
        }
    }

    /// Returns who made it; empty for sound effects.
    #[must_use]
    pub fn author(&self) -> &str {
        match self {
            Self::Icon(icon) => &icon.author.name,
            Self::Resource(resource) => &resource.author.name,
            Self::Track(track) => &track.artist,
            Self::Effect(_) => "",
        }
    }

    /// Returns the groups that it belongs to: the set of an icon, the series of a resource, the genres of a track, the
    /// category of a sound effect.
    #[must_use]
    pub fn groups(&self) -> Vec<&str> {
        match self {
            Self::Icon(icon) => vec![&icon.family.name],
            Self::Resource(resource) => resource.series.as_deref().into_iter().collect(),
            Self::Track(track) => track.genres.iter().map(String::as_str).collect(),
            Self::Effect(effect) => vec![&effect.category.name],
        }
    }

    /// Returns its files, as keys of the file store. Other records may have the same ones.
    #[must_use]
    pub fn files(&self) -> Vec<&str> {
        match self {
            Self::Icon(icon) => icon.files(),
            Self::Resource(resource) => resource.files(),
            Self::Track(track) => track.files(),
            Self::Effect(effect) => effect.files(),
        }
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
