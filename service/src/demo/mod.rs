//! `serve --demo`: imports a small catalogue, creates a key, prints working calls.
//!
//! A second start reuses all of them. The files are written to a folder `demo` of the data folder and
//! imported from there, like files of a user.

mod key;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use asset_engines::icon::{self, EmbeddedIcon};
use asset_engines::sound::{ProceduralSound, SoundParameters};
use asset_engines::{Engine, Job, Output};

use crate::files::Files;
use crate::import::{Collection, Import, ImportError, Parsers, icons, stable_id};
use crate::store::SharedStore;
use crate::time::Clock;
use crate::webhooks::sign;

/// Pictures: name, JPEG, and details as JSON.
const PICTURES: &[(&str, &[u8], &str)] = &[
    (
        "coffee",
        include_bytes!("../../assets/demo/coffee.jpg"),
        r#"{"title": "Cup of coffee on a wooden table", "keywords": ["coffee", "cup", "breakfast", "table"],
            "author": "Rachel Michetti", "people": 0, "downloads": 120, "likes": 31}"#,
    ),
    (
        "chelsea",
        include_bytes!("../../assets/demo/chelsea.jpg"),
        r#"{"title": "Face of a ginger cat", "keywords": ["cat", "pet", "animal"],
            "author": "Stefan van der Walt", "people": 0, "downloads": 480, "likes": 210}"#,
    ),
    (
        "rocket",
        include_bytes!("../../assets/demo/rocket.jpg"),
        r#"{"title": "Rocket launch at dusk", "keywords": ["rocket", "space", "launch", "sky"],
            "author": "SpaceX", "series": "space", "people": 0, "downloads": 96, "likes": 44}"#,
    ),
    (
        "astronaut",
        include_bytes!("../../assets/demo/astronaut.jpg"),
        r#"{"title": "Portrait of an astronaut", "keywords": ["astronaut", "space", "portrait", "woman"],
            "author": "NASA", "series": "space", "people": 1, "ages": ["adult"], "genders": ["female"],
            "downloads": 310, "likes": 95}"#,
    ),
];

/// Sound effects: category, name, and prompt.
const EFFECTS: &[(&str, &str, &str)] = &[
    ("rain-and-storm", "gentle-rain", "gentle rain on leaves"),
    ("rain-and-storm", "thunder", "distant rolling thunder"),
    ("wind", "cold-wind", "cold howling wind"),
    ("footsteps", "gravel-steps", "slow footsteps on gravel"),
    ("user-interface", "soft-click", "soft interface click"),
    ("whooshes", "fast-whoosh", "fast whoosh passing by"),
    ("explosions-and-crashes", "far-explosion", "distant explosion"),
    ("water", "drops", "water drops in a cave"),
];

/// Music that the sound engine can make: name, prompt, and details as JSON.
const MUSIC: &[(&str, &str, &str)] = &[
    (
        "slow-bells",
        "slow soft bells",
        r#"{"title": "Slow bells", "artist": "Procedural sound", "genres": ["Ambient"], "moods": ["Peaceful"], "bpm": 60,
            "popularity": 0.6}"#,
    ),
    (
        "dark-drone",
        "deep dark drone",
        r#"{"title": "Dark drone", "artist": "Procedural sound", "genres": ["Cinematic"], "moods": ["Dark", "Tension"],
            "bpm": 90, "popularity": 0.4}"#,
    ),
];

/// Imports the catalogue and creates a key; returns the instructions to print.
///
/// `report` receives progress messages.
///
/// # Errors
/// Fails if a file can't be written or if a store fails.
pub async fn prepare(
    store: &SharedStore,
    files: &Files,
    data_dir: &Path,
    base_url: &str,
    report: impl Fn(&str),
) -> Result<String, ImportError> {
    let folder = data_dir.join("demo");
    let quiet = |_: usize, _: usize| ();
    report("importing the demo catalogue: icons …");
    let import = Import { store: &**store, files, parsers: Parsers::default() };
    let house = import_icons(&import).await?;
    report("… pictures and sounds …");
    let written = folder.clone();
    let write = tokio::task::spawn_blocking(move || write_all(&written));
    write.await.map_err(|panic| ImportError::Content { path: folder.clone(), why: panic.to_string() })??;
    let part = |part: &str| Collection::at(&folder.join(part), Some("demo"));
    import.pictures(&part("pictures")?, quiet).await?;
    import.effects(&part("sfx")?, quiet).await?;
    import.music(&part("music")?, quiet).await?;
    report("… done");

    let (token, secret) = key::key(store, data_dir, Clock::System.now()).await?;
    Ok(beginning(token.reveal(), &sign::reveal(&secret), base_url, house))
}

/// Returns the instructions: calls that work.
fn beginning(key: &str, secret: &str, base_url: &str, house: i64) -> String {
    let get = format!("curl -H 'x-service-api-key: {key}'");
    let post = format!("{get} -H 'content-type: application/json'");
    format!(
        r#"API key: {key}
Webhook secret: {secret}
Read from the catalogue:
  {get} {base_url}/v1/icons/{house}
  {get} -g '{base_url}/v1/resources?term=space&filters[orientation][landscape]=1'
Create a task; the response contains its task_id:
  {post} -d '{{"text": "gentle rain", "duration_seconds": 4}}' {base_url}/v1/ai/sound-effects
  {post} -d '{{"prompt": "a lake in the mountains at dawn"}}' {base_url}/v1/ai/text-to-image/fast-model
Poll the task until it is COMPLETED; `generated` then holds the URLs of its files:
  {get} {base_url}/v1/ai/sound-effects/<task_id>
  {get} {base_url}/v1/ai/text-to-image/fast-model/<task_id>
All operations: {base_url}/docs"#
    )
}

/// Imports the icons with one-word names from the icon engine.
///
/// Returns the id of the icon `house`.
async fn import_icons(import: &Import<'_>) -> Result<i64, ImportError> {
    let familiar = icon::embedded().iter().filter(|icon| !icon.name.contains('-'));
    let set = icons::Set {
        prefix: icon::SET_NAME.to_lowercase(),
        icons: familiar.map(|icon| (icon.name.clone(), drawn(icon))).collect(),
        aliases: BTreeMap::new(),
        width: 24.0,
        height: 24.0,
        last_modified: 1_735_689_600,
        info: None,
        categories: BTreeMap::new(),
        names: BTreeMap::new(),
    };
    let report = import.icons(&set, |_, _| ()).await?;
    tracing::info!(new = report.imported.new, "imported the demo icons");
    Ok(stable_id("icon", &format!("{}:house", set.prefix)))
}

/// Converts an icon into the form of a set: lines in the current text colour.
fn drawn(icon: &EmbeddedIcon) -> icons::SetIcon {
    let body = format!(
        r#"<g fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">{}</g>"#,
        icon.body
    );
    icons::SetIcon { body, tags: icon.tags.clone(), ..Default::default() }
}

/// Writes the files that are missing.
fn write_all(folder: &Path) -> Result<(), ImportError> {
    for (name, picture, details) in PICTURES {
        let path = folder.join("pictures").join(name);
        write(&path.with_extension("jpg"), || picture.to_vec())?;
        write(&path.with_extension("json"), || details.as_bytes().to_vec())?;
    }
    for (category, name, text) in EFFECTS {
        write(&folder.join("sfx").join(category).join(name).with_extension("wav"), || sound(text, 3.0))?;
    }
    for (name, text, details) in MUSIC {
        let path = folder.join("music").join(name);
        write(&path.with_extension("wav"), || sound(text, 12.0))?;
        write(&path.with_extension("json"), || details.as_bytes().to_vec())?;
    }
    Ok(())
}

/// Makes a sound from this text with the sound engine.
fn sound(text: &str, seconds: f64) -> Vec<u8> {
    let made =
        ProceduralSound.run(&SoundParameters::new(text, seconds), (), &Job::with_seed(1)).unwrap_or_default();
    match made.into_iter().next() {
        Some(Output::File(file)) => file.bytes,
        _ => Vec::new(),
    }
}

fn write(path: &PathBuf, bytes: impl FnOnce() -> Vec<u8>) -> Result<(), ImportError> {
    if path.is_file() {
        return Ok(());
    }
    let failed = |source| ImportError::Read { path: path.clone(), source };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(path, bytes()).map_err(failed)
}
