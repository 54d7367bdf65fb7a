//! `import`: fills the catalogue from real files.

use std::cell::Cell;
use std::io::{IsTerminal, Write, stderr};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};

use super::{CommandError, Place, out};
use crate::catalogue::import::icons::{self, Set};
use crate::catalogue::import::{Collection, Report, audio, pictures};
use crate::machine;
use crate::store::Imported;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Icons of an Iconify set: a folder with icons.json (the npm package @iconify-json/<set>), or such a file
    ///
    /// A file translations.json beside it may say what icons are called in other languages: {"es": {"house": "Casa"}}.
    Icons {
        /// Folder or file
        path: PathBuf,
        /// Print the id and name of each icon, a line each: what `GET /v1/icons/{id}` is asked for
        #[arg(long)]
        list: bool,
    },
    /// Stock resources from a folder of pictures (JPEG, PNG, WebP, SVG)
    ///
    /// Size, shape and main colours are measured. A JSON file beside a picture (house.json beside house.jpg) may say the rest:
    ///
    ///   title, author, series        texts; unless said: the file's name, `Unknown`, the folder
    ///   titles                       the title in other languages: {"es": "Casa"}
    ///   keywords                     a list of texts; unless said: the title's words
    ///   premium, ai_generated        true or false
    ///   people                       how many are on it
    ///   ages                         a list of infant, child, teen, young-adult, adult, senior, elder
    ///   genders                      a list of male, female
    ///   vector_style                 watercolor, flat, cartoon, geometric, gradient, isometric, 3d, hand-drawn
    ///   downloads, likes             how often
    ///
    /// A field of another name is told, and its picture is left out; the others are imported, and the exit code is 1.
    #[command(verbatim_doc_comment)]
    Resources(What),
    /// Music from a folder of audio files (WAV, MP3, Ogg, FLAC, M4A)
    ///
    /// Title, artist, genre, tempo and length are read from the files. A JSON file beside one (rain.json beside rain.wav) may
    /// say title, artist, genres, moods (lists of the API's names), bpm, premium, popularity (from 0 to 1).
    Music(What),
    /// Sound effects from a folder of audio files
    ///
    /// The folder that a file lies in names its category (footsteps/snow.wav). A JSON file beside one may say title,
    /// tags (a list), category, premium, popularity (from 0 to 1), downloads.
    Sfx(What),
}

#[derive(Debug, Args)]
pub(super) struct What {
    /// Folder or file
    path: PathBuf,
    /// What the files are a part of: a file of the same collection, folder and name is the same record at each import, and
    /// one of another collection is another record [default: the folder's name]
    #[arg(long, value_name = "NAME")]
    collection: Option<String>,
}

impl What {
    fn collection(&self) -> Result<Collection, CommandError> {
        Ok(Collection::at(&self.path, self.collection.as_deref())?)
    }
}

pub(super) async fn run(place: &Place, command: Command) -> Result<(), CommandError> {
    let store = place.store().await?;
    let files = place.files(&store).await?;
    machine::give_way();
    match command {
        Command::Icons { path, list } => {
            let set = icons::read_set(&path)?;
            let report = icons::import_set(&*store, &files, &set, progress()).await?;
            let told = tell(&report, &path, "shown icons", if list { out::beside } else { out::line });
            let listed = if list { tell_icons(&set) } else { Ok(()) };
            tell_an_icon(&set);
            told.and(listed)
        }
        Command::Resources(what) => {
            let report = pictures::import(&*store, &files, &what.collection()?, progress()).await?;
            tell(&report, &what.path, "JPEG, PNG, WebP or SVG", out::line)
        }
        Command::Music(what) => {
            let report = audio::import_music(&*store, &files, &what.collection()?, progress()).await?;
            tell(&report, &what.path, AUDIO, out::line)
        }
        Command::Sfx(what) => {
            let report = audio::import_effects(&*store, &files, &what.collection()?, progress()).await?;
            tell(&report, &what.path, AUDIO, out::line)
        }
    }
}

const AUDIO: &str = "WAV, MP3, Ogg, FLAC or M4A";

/// How often it is said how far it is where no terminal shows it.
const NOW_AND_THEN: Duration = Duration::from_secs(10);

/// Says how far it is: all the time on a terminal, a line now and then elsewhere.
fn progress() -> impl Fn(usize, usize) {
    let is_terminal = stderr().is_terminal();
    let said = Cell::new(Instant::now());
    move |done, all| {
        if is_terminal {
            let end = if done == all { "\n" } else { "" };
            let _ = write!(stderr(), "\r{done} of {all}{end}");
        } else if done < all && said.get().elapsed() >= NOW_AND_THEN {
            said.set(Instant::now());
            out::aside(format_args!("{done} of {all}"));
        }
    }
}

/// Says how an icon is asked for: their ids can't be guessed, and the API lists none.
fn tell_an_icon(set: &Set) {
    let shown = set.ids().find(|(_, name)| matches!(*name, "house" | "home")).or_else(|| set.ids().next());
    if let Some((id, name)) = shown {
        out::aside(format_args!("{}:{name} is GET /v1/icons/{id}; --list tells the ids of all", set.prefix));
    }
}

/// Lists all icons of a set with their ids.
fn tell_icons(set: &Set) -> Result<(), CommandError> {
    set.ids().try_for_each(|(id, name)| out::line(format!("{id} {}:{name}", set.prefix)))
}

/// Says what was done, by `say`; `kinds` is what could have been.
fn tell(
    report: &Report,
    path: &Path,
    kinds: &str,
    say: impl FnOnce(String) -> Result<(), CommandError>,
) -> Result<(), CommandError> {
    let Imported { new, changed, unchanged, .. } = report.imported;
    let said = say(format!("{new} new, {changed} changed, {unchanged} unchanged"));
    for (path, why) in &report.left_out {
        out::aside(format_args!("left out: {}: {why}", path.display()));
    }
    if !report.left_out.is_empty() {
        return Err(CommandError::Refused(format!("{} left out", files(report.left_out.len()))));
    }
    if report.imported == Imported::default() {
        return Err(CommandError::Refused(format!("there are no {kinds} in {}", path.display())));
    }
    said
}

fn files(count: usize) -> String {
    if count == 1 { "1 file was".to_owned() } else { format!("{count} files were") }
}
