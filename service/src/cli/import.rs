//! `import`: fills the catalogue from real files.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{CommandError, Place};
use crate::catalogue::import::{self, Collection, Report};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Icons of an Iconify set: a folder with icons.json (the npm package @iconify-json/<set>), or such a file
    ///
    /// A file translations.json beside it may say what icons are called in other languages: {"es": {"house": "Casa"}}.
    Icons {
        /// Folder or file
        path: PathBuf,
    },
    /// Stock resources from a folder of pictures (JPEG, PNG, WebP, SVG)
    ///
    /// Size, shape and main colours are measured. A JSON file beside a picture (house.json beside house.jpg) may say
    /// title, titles (in other languages: {"es": "Casa"}), keywords, author, series, premium, people, ages, genders, ai_generated, vector_style, downloads, likes.
    Resources(What),
    /// Music from a folder of audio files (WAV, MP3, Ogg, FLAC, M4A)
    ///
    /// Title, artist, genre, tempo and length are read from the files. A JSON file beside one may say title, artist,
    /// genres, moods, bpm, premium, popularity.
    Music(What),
    /// Sound effects from a folder of audio files
    ///
    /// The folder that a file lies in names its category (footsteps/snow.wav). A JSON file beside one may say title,
    /// tags, category, premium, popularity, downloads.
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
    let report = match command {
        Command::Icons { path } => import::icons::import(&*store, &files, &path, progress).await?,
        Command::Resources(what) => {
            import::pictures::import(&*store, &files, &what.collection()?, progress).await?
        }
        Command::Music(what) => {
            import::audio::import_music(&*store, &files, &what.collection()?, progress).await?
        }
        Command::Sfx(what) => {
            import::audio::import_effects(&*store, &files, &what.collection()?, progress).await?
        }
    };
    tell(&report)
}

/// Says how far it is, on a terminal alone.
fn progress(done: usize, all: usize) {
    let mut err = std::io::stderr();
    if err.is_terminal() {
        let end = if done == all { "\n" } else { "" };
        let _ = write!(err, "\r{done} of {all}{end}");
        let _ = err.flush();
    }
}

fn tell(report: &Report) -> Result<(), CommandError> {
    let imported = report.imported;
    println!("{} new, {} changed, {} unchanged", imported.new, imported.changed, imported.unchanged);
    for (path, why) in &report.left_out {
        eprintln!("left out: {}: {why}", path.display());
    }
    if report.left_out.is_empty() {
        Ok(())
    } else {
        Err(CommandError::Refused(format!("{} files were left out", report.left_out.len())))
    }
}
