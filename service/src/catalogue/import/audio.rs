//! Music and sound effects from folders of audio files. Title, artist, genre, tempo and length are read from the files; a
//! file beside one, `rain.json` beside `rain.wav`, says more.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use lofty::file::{AudioFile, TaggedFileExt};
use lofty::tag::{Accessor, ItemKey};
use serde::Deserialize;

use super::{Collection, ImportError, Report, beside, content_key, icons, modified, read_one, title};
use crate::catalogue::{CATEGORIES, Category, Effect, Track, relevance};
use crate::files::{Area, Files};
use crate::store::Store;
use crate::time::Millis;

/// How many records are kept at a time.
const BATCH: usize = 64;

/// What a file beside an audio file may say. Everything may be left out; a key that is not known is an error.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Details {
    /// The title.
    pub title: Option<String>,
    /// Who plays music.
    pub artist: Option<String>,
    /// Genres of music: names of the API, such as `Lofi`.
    pub genres: Vec<String>,
    /// Moods of music: names of the API, such as `Hopeful`.
    pub moods: Vec<String>,
    /// The tempo of music in beats a minute.
    pub bpm: Option<f64>,
    /// What a sound effect is.
    pub tags: Vec<String>,
    /// The category of a sound effect: a name of the API; its folder's name, unless said.
    pub category: Option<String>,
    /// Whether it needs a premium licence.
    pub premium: bool,
    /// From 0 to 1.
    pub popularity: f64,
    /// How often it was downloaded.
    pub downloads: u32,
}

/// What is known of an audio file.
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

/// Imports the music of a folder and the folders in it, or of a file.
///
/// # Errors
/// The folder can't be read, or a store failed. A file that is no audio, or whose file beside it makes no sense, is left out
/// and told.
pub async fn import_music(
    store: &dyn Store,
    files: &Files,
    collection: &Collection,
    progress: impl Fn(usize, usize),
) -> Result<Report, ImportError> {
    let mut report = Report::default();
    let audio = audio_files(collection)?;
    for (done, batch) in audio.chunks(BATCH).enumerate() {
        progress(done * BATCH, audio.len());
        let mut tracks = Vec::with_capacity(batch.len());
        for file in batch {
            match inspect(files, collection, file, "music").await? {
                Ok(audio) => tracks.push(track(files, audio).await?),
                Err(why) => report.leave_out(file, why),
            }
        }
        report.add(store.put_tracks(&tracks).await?);
    }
    progress(audio.len(), audio.len());
    Ok(report)
}

/// Imports the sound effects of a folder and the folders in it, or of a file.
///
/// # Errors
/// The folder can't be read, or a store failed. A file that is no audio or of no category, or whose file beside it makes no
/// sense, is left out and told.
pub async fn import_effects(
    store: &dyn Store,
    files: &Files,
    collection: &Collection,
    progress: impl Fn(usize, usize),
) -> Result<Report, ImportError> {
    let mut report = Report::default();
    let audio = audio_files(collection)?;
    for (done, batch) in audio.chunks(BATCH).enumerate() {
        progress(done * BATCH, audio.len());
        let mut effects = Vec::with_capacity(batch.len());
        for file in batch {
            match inspect(files, collection, file, "sfx").await?.and_then(effect) {
                Ok(effect) => effects.push(effect),
                Err(why) => report.leave_out(file, why),
            }
        }
        report.add(store.put_effects(&effects).await?);
    }
    progress(audio.len(), audio.len());
    Ok(report)
}

fn audio_files(collection: &Collection) -> Result<Vec<PathBuf>, ImportError> {
    const EXTENSIONS: [&str; 7] = ["wav", "mp3", "ogg", "opus", "flac", "m4a", "oga"];
    let is_audio = |file: &PathBuf| {
        let extension = file.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str()))
    };
    Ok(collection.files()?.into_iter().filter(is_audio).collect())
}

/// Reads a file's tags and length, and puts it.
async fn inspect(
    files: &Files,
    collection: &Collection,
    path: &Path,
    kind: &str,
) -> Result<Result<Audio, String>, ImportError> {
    let read = beside(path).and_then(|details: Details| Ok((details, read_one(path)?)));
    let (details, bytes) = match read {
        Ok(read) => read,
        Err(why) => return Ok(Err(why)),
    };
    let tagged = match lofty::read_from_path(path) {
        Ok(tagged) => tagged,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let tag = tagged.primary_tag().or_else(|| tagged.first_tag());
    let said = |item: Option<std::borrow::Cow<'_, str>>| {
        item.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    let bpm =
        tag.and_then(|tag| tag.get_string(ItemKey::Bpm).or_else(|| tag.get_string(ItemKey::IntegerBpm)));
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    let key = content_key(kind, &bytes, extension.as_deref().unwrap_or("bin"));
    if files.size(Area::Catalogue, &key).await?.is_none() {
        files.put(Area::Catalogue, &key, Bytes::from(bytes)).await?;
    }
    Ok(Ok(Audio {
        id: collection.id(kind, path),
        title: details
            .title
            .clone()
            .or_else(|| said(tag.and_then(Accessor::title)))
            .unwrap_or_else(|| title(&stem)),
        artist: details.artist.clone().or_else(|| said(tag.and_then(Accessor::artist))),
        genre: said(tag.and_then(Accessor::genre)),
        bpm: details.bpm.or_else(|| bpm.and_then(|bpm| bpm.trim().parse().ok())),
        seconds: tagged.properties().duration().as_secs_f64(),
        key,
        details,
        folder: collection.folder_of(path),
        changed_at: modified(path),
    }))
}

async fn track(files: &Files, audio: Audio) -> Result<Track, ImportError> {
    let artist = audio.artist.unwrap_or_else(|| "Unknown".to_owned());
    let cover = icons::author(files, &artist).await?.avatar;
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
        cover,
        seconds: audio.seconds,
        bpm: audio.bpm.filter(|bpm| bpm.is_finite() && *bpm > 0.0).unwrap_or_default(),
        popularity: audio.details.popularity,
        premium: audio.details.premium,
        created_at: audio.changed_at,
    })
}

fn effect(audio: Audio) -> Result<Effect, String> {
    let category = audio.details.category.unwrap_or(audio.folder);
    if !CATEGORIES.iter().any(|(name, _)| *name == category) {
        return Err(format!(
            "`{category}` is no category: put it in a folder named like one, or say `category` beside it"
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
