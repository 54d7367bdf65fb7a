//! Imports music and sound effects from folders of audio files.
//!
//! Title, artist, genre, tempo and length come from the files. A JSON file next to a file adds to them:
//! `rain.json` belongs to `rain.wav`. Music can have a preview: `rain.preview.mp3` belongs to `rain.wav`.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use lofty::config::ParseOptions;
use lofty::file::{AudioFile, TaggedFileExt};
use lofty::probe::Probe;
use lofty::tag::{Accessor, ItemKey};
use serde::{Deserialize, Serialize};

use super::{
    Collection, Failed, Import, ImportError, Report, extension_of, json_beside, modified, read_one, title,
};
use crate::catalogue::{CATEGORIES, Category, Effect, Track, relevance};
use crate::time::Millis;

/// The largest audio file, in bytes.
const MAX_BYTES: u64 = 512 * 1024 * 1024;

/// The content of the JSON file next to an audio file.
///
/// All keys are optional. An unknown key is an error.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Details {
    /// The title; defaults to the file's tag, then to the file's name.
    pub title: Option<String>,
    /// The artist of music; defaults to the file's tag.
    pub artist: Option<String>,
    /// The genres of music, as the API names them, such as `Lofi`.
    pub genres: Vec<String>,
    /// The moods of music, as the API names them, such as `Hopeful`.
    pub moods: Vec<String>,
    /// The tempo of music in beats per minute; defaults to the file's tag.
    pub bpm: Option<f64>,
    /// The tags of a sound effect; default to the words of the title.
    pub tags: Vec<String>,
    /// The category of a sound effect, by the API's name; defaults to the folder.
    pub category: Option<String>,
    /// Whether it needs a premium licence.
    pub premium: bool,
    /// The popularity from 0 to 1.
    pub popularity: f64,
    /// The number of downloads.
    pub downloads: u32,
}

/// The tags and the length of an audio file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Tags {
    title: Option<String>,
    artist: Option<String>,
    genre: Option<String>,
    bpm: Option<f64>,
    seconds: f64,
}

/// An inspected audio file.
struct Audio {
    id: i64,
    title: String,
    artist: Option<String>,
    genre: Option<String>,
    bpm: Option<f64>,
    seconds: f64,
    key: String,
    details: Details,
    folder: String,
    changed_at: Millis,
}

impl Import<'_> {
    /// Imports the music of a folder and its subfolders, or one file.
    ///
    /// The import leaves out and reports a file that is not audio, whose preview is not audio, or whose JSON file is
    /// invalid. The same applies to a preview of no track.
    ///
    /// # Errors
    /// Fails if the folder can't be read or if a store fails.
    pub async fn music(
        &self,
        collection: &Collection,
        progress: impl Fn(usize, usize),
    ) -> Result<Report, ImportError> {
        let mut report = Report::default();
        let (previews, audio): (Vec<_>, Vec<_>) =
            audio_files(collection)?.into_iter().partition(|file| is_preview(file));
        let used: BTreeSet<PathBuf> = audio.iter().filter_map(|file| preview_of(file)).collect();
        for preview in previews.iter().filter(|preview| !used.contains(*preview)) {
            report.leave_out(
                preview,
                "it is the preview of no track; `rain.preview.mp3` belongs to `rain.wav`",
            );
        }
        let read = async |file: &Path| {
            let preview = self.preview(file).await?;
            Ok(self.track(self.inspect(collection, file, "music").await?, preview).await?)
        };
        let put = async |tracks: &[Track]| self.store.put_tracks(tracks).await;
        self.each(&mut report, &audio, progress, read, put, Track::files).await?;
        Ok(report)
    }

    /// Imports the sound effects of a folder and its subfolders, or one file.
    ///
    /// A file is left out and reported if it is not audio, if it has no category, or if its JSON file is invalid.
    ///
    /// # Errors
    /// Fails if the folder can't be read or if a store fails.
    pub async fn effects(
        &self,
        collection: &Collection,
        progress: impl Fn(usize, usize),
    ) -> Result<Report, ImportError> {
        let mut report = Report::default();
        let read = async |file: &Path| Ok(effect(self.inspect(collection, file, "sfx").await?)?);
        let put = async |effects: &[Effect]| self.store.put_effects(effects).await;
        self.each(&mut report, &audio_files(collection)?, progress, read, put, Effect::files).await?;
        Ok(report)
    }

    /// Stores the preview of a track and returns its key, if it has one.
    async fn preview(&self, track: &Path) -> Result<Option<String>, Failed> {
        let Some(preview) = preview_of(track) else { return Ok(None) };
        let named =
            |why: String| format!("{}: {why}", preview.file_name().unwrap_or_default().to_string_lossy());
        self.parsers.read_tags(&preview).await.map_err(named)?;
        let bytes = read_one(&preview, MAX_BYTES).map_err(named)?;
        Ok(Some(self.stored("music", bytes, &extension_of(&preview)).await?))
    }

    /// Reads the tags and the length of a file, and stores the file.
    async fn inspect(&self, collection: &Collection, path: &Path, kind: &str) -> Result<Audio, Failed> {
        let details: Details = json_beside(path)?;
        if !(0.0..=1.0).contains(&details.popularity) {
            return Err("`popularity` in its JSON file must be from 0 to 1".to_owned().into());
        }
        let bytes = read_one(path, MAX_BYTES)?;
        let tags = self.parsers.read_tags(path).await?;
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let key = self.stored(kind, bytes, &extension_of(path)).await?;
        Ok(Audio {
            id: collection.id(kind, path),
            title: details.title.clone().or(tags.title).unwrap_or_else(|| title(&stem)),
            artist: details.artist.clone().or(tags.artist),
            genre: tags.genre,
            bpm: details.bpm.or(tags.bpm),
            seconds: tags.seconds,
            key,
            details,
            folder: collection.folder_of(path),
            changed_at: modified(path),
        })
    }

    async fn track(&self, audio: Audio, preview: Option<String>) -> Result<Track, ImportError> {
        let artist = audio.artist.unwrap_or_else(|| "Unknown".to_owned());
        let cover = self.author(&artist).await?.avatar;
        let genres = if audio.details.genres.is_empty() {
            audio.genre.into_iter().collect()
        } else {
            audio.details.genres
        };
        Ok(Track {
            id: audio.id,
            title: audio.title,
            artist,
            genres,
            moods: audio.details.moods,
            key: audio.key,
            preview,
            cover,
            seconds: audio.seconds,
            bpm: audio.bpm.filter(|bpm| bpm.is_finite() && *bpm > 0.0).unwrap_or_default(),
            popularity: audio.details.popularity,
            premium: audio.details.premium,
            created_at: audio.changed_at,
        })
    }
}

/// The extensions of audio files.
const EXTENSIONS: [&str; 7] = ["wav", "mp3", "ogg", "opus", "flac", "m4a", "oga"];

/// Returns whether a file is the preview of another one.
fn is_preview(file: &Path) -> bool {
    file.file_stem().is_some_and(|stem| Path::new(stem).extension().is_some_and(|part| part == "preview"))
}

/// Returns the preview of a track, if it has one.
fn preview_of(track: &Path) -> Option<PathBuf> {
    let mut candidates =
        EXTENSIONS.iter().map(|extension| track.with_extension(format!("preview.{extension}")));
    candidates.find(|candidate| candidate.is_file())
}

fn audio_files(collection: &Collection) -> Result<Vec<PathBuf>, ImportError> {
    let is_audio = |file: &PathBuf| {
        let extension = file.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str()))
    };
    Ok(collection.files()?.into_iter().filter(is_audio).collect())
}

/// Reads the tags and the length of a file.
///
/// The library inflates compressed tags without any limit, so only a limited process may call this.
pub(super) fn read_tags(path: &Path) -> Result<Tags, String> {
    let read = || {
        let options = ParseOptions::new().read_cover_art(false);
        Probe::open(path)?.options(options).read()
    };
    let file = read().map_err(|error| error.to_string())?;
    let tag = file.primary_tag().or_else(|| file.first_tag());
    let trimmed =
        |item: Option<Cow<'_, str>>| item.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let bpm =
        tag.and_then(|tag| tag.get_string(ItemKey::Bpm).or_else(|| tag.get_string(ItemKey::IntegerBpm)));
    Ok(Tags {
        title: trimmed(tag.and_then(Accessor::title)),
        artist: trimmed(tag.and_then(Accessor::artist)),
        genre: trimmed(tag.and_then(Accessor::genre)),
        bpm: bpm.and_then(|bpm| bpm.trim().parse().ok()).filter(|bpm: &f64| bpm.is_finite()),
        seconds: file.properties().duration().as_secs_f64(),
    })
}

fn effect(audio: Audio) -> Result<Effect, String> {
    let category = audio.details.category.unwrap_or(audio.folder);
    if !CATEGORIES.iter().any(|(name, _)| *name == category) {
        return Err(format!(
            "unknown category `{category}`; use a folder with a category's name, or set `category` in the JSON file"
        ));
    }
    let tags =
        if audio.details.tags.is_empty() { relevance::words(&audio.title) } else { audio.details.tags };
    Ok(Effect {
        id: audio.id,
        title: audio.title,
        tags,
        category: Category { name: category },
        key: audio.key,
        duration: audio.seconds,
        premium: audio.details.premium,
        popularity: audio.details.popularity,
        downloads: audio.details.downloads,
        created_at: audio.changed_at,
    })
}
