//! `import`: fills the catalogue from files.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::json;

use super::{CommandError, Instance, output};
use crate::import::icons::{self, Set};
use crate::import::{Collection, Import, Parsers, Report};
use crate::machine;
use crate::store::Imported;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Import an Iconify icon set: a folder with icons.json (the npm package @iconify-json/<set>), or the file itself
    ///
    /// An optional translations.json in the folder names icons in other languages: {"es": {"house": "Casa"}}.
    ///
    /// Example: asset-service import icons node_modules/@iconify-json/lucide
    Icons {
        /// Import this folder with an icons.json, or such a file
        path: PathBuf,
        /// Print one line with id and name for each icon; GET /v1/icons/{id} takes such an id
        #[arg(long)]
        list: bool,
    },
    /// Import stock resources from a folder of pictures (JPEG, PNG, WebP, SVG)
    ///
    /// The import measures size, shape and main colours. An optional JSON file next to a picture
    /// (house.json next to house.jpg) sets the other fields:
    ///
    ///   title, author, series        strings; defaults: the file's name, `Unknown`, the folder's name
    ///   titles                       the title in other languages: {"es": "Casa"}
    ///   keywords                     a list of strings; default: the words of the title
    ///   premium, ai_generated        true or false
    ///   people                       the number of people in the picture
    ///   ages                         a list of infant, child, teen, young-adult, adult, senior, elder
    ///   genders                      a list of male, female
    ///   vector_style                 watercolor, flat, cartoon, geometric, gradient, isometric, 3d,
    ///                                hand-drawn
    ///   downloads, likes             numbers
    ///
    /// A file with an unknown field is reported and its picture is left out. The import continues
    /// with the other pictures and then exits with code 1.
    ///
    /// Example: asset-service import resources ./pictures
    #[command(verbatim_doc_comment)]
    Resources(Target),
    /// Import music from a folder of audio files (WAV, MP3, Ogg, FLAC, M4A)
    ///
    /// The import reads title, artist, genre, tempo and length from the audio files. An optional JSON file next to one
    /// (rain.json next to rain.wav) sets title, artist, genres, moods (lists of the API's names), bpm, premium, and
    /// popularity (from 0 to 1).
    ///
    /// Example: asset-service import music ./music
    Music(Target),
    /// Import sound effects from a folder of audio files (WAV, MP3, Ogg, FLAC, M4A)
    ///
    /// The name of a file's folder becomes its category (footsteps/snow.wav). An optional JSON file next to an audio
    /// file sets title, tags (a list), category, premium, popularity (from 0 to 1), and downloads.
    ///
    /// Example: asset-service import sfx ./effects
    Sfx(Target),
}

#[derive(Debug, Args)]
pub(super) struct Target {
    /// Import this folder with its subfolders, or this file
    path: PathBuf,
    /// Import into this collection; a repeated import updates the record with the same collection, subfolder
    /// and file name [default: the folder's name]
    #[arg(long, value_name = "NAME")]
    collection: Option<String>,
}

impl Target {
    fn collection(&self) -> Result<Collection, CommandError> {
        Ok(Collection::at(&self.path, self.collection.as_deref())?)
    }
}

pub(super) async fn run(instance: &Instance, command: Command) -> Result<(), CommandError> {
    let store = instance.store().await?;
    let files = instance.files(&store).await?;
    let import = Import { store: &*store, files: &files, parsers: Parsers::default() };
    machine::lower_priority();
    match command {
        Command::Icons { path, list } => {
            let set = icons::read_set(&path)?;
            let report = import.icons(&set, progress()).await?;
            let reported = report_import(&report, &path, "shown icons", list);
            let listed = if list { print_icons(&set) } else { Ok(()) };
            print_an_icon(&set);
            reported.and(listed)
        }
        Command::Resources(target) => {
            let report = import.pictures(&target.collection()?, progress()).await?;
            report_import(&report, &target.path, "JPEG, PNG, WebP or SVG", false)
        }
        Command::Music(target) => {
            let report = import.music(&target.collection()?, progress()).await?;
            report_import(&report, &target.path, AUDIO, false)
        }
        Command::Sfx(target) => {
            let report = import.effects(&target.collection()?, progress()).await?;
            report_import(&report, &target.path, AUDIO, false)
        }
    }
}

const AUDIO: &str = "WAV, MP3, Ogg, FLAC or M4A";

/// Returns a progress printer: continuous on a terminal, periodic lines elsewhere.
fn progress() -> impl Fn(usize, usize) {
    let is_terminal = output::is_terminal();
    let progress = output::Progress::new();
    move |done, all| {
        if is_terminal {
            let end = if done == all { "\n" } else { "" };
            output::overwritable_note(format_args!("{done} of {all}{end}"));
        } else if done < all {
            progress.report(|| format!("{done} of {all}"));
        }
    }
}

/// Prints the URL path of one icon: ids can't be guessed, and the API lists none.
fn print_an_icon(set: &Set) {
    let shown = set.ids().find(|(_, name)| matches!(*name, "house" | "home")).or_else(|| set.ids().next());
    if let Some((id, name)) = shown {
        output::note(format_args!(
            "GET /v1/icons/{id} returns {}:{name}; --list prints the ids of all icons",
            set.prefix
        ));
    }
}

/// Prints all icons of a set with their ids.
fn print_icons(set: &Set) -> Result<(), CommandError> {
    set.ids().try_for_each(|(id, name)| {
        let name = format!("{}:{name}", set.prefix);
        output::result(format_args!("{id} {name}"), &json!({"id": id, "name": name}))
    })
}

/// Prints the result of an import, or only notes it; `kinds` names the accepted files.
fn report_import(report: &Report, path: &Path, kinds: &str, is_note: bool) -> Result<(), CommandError> {
    let Imported { new, changed, unchanged, .. } = report.imported;
    let text = format!("{new} new, {changed} changed, {unchanged} unchanged");
    let printed = if is_note {
        output::note(text);
        Ok(())
    } else {
        output::result(text, &json!({"new": new, "changed": changed, "unchanged": unchanged}))
    };
    for (path, why) in &report.left_out {
        output::note(format_args!("left out: {}: {why}", path.display()));
    }
    if !report.left_out.is_empty() {
        return Err(CommandError::Refused(format!("{} left out", files(report.left_out.len()))));
    }
    if report.imported == Imported::default() {
        return Err(CommandError::Refused(format!("found no {kinds} in {}", path.display())));
    }
    printed
}

fn files(count: usize) -> String {
    if count == 1 { "1 file was".to_owned() } else { format!("{count} files were") }
}
