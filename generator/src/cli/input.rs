//! Reads documents from files or standard input.

use std::{
    fs,
    io::{self, IsTerminal, Read},
    path::{Path, PathBuf},
};

use openapi_crates::{
    Input, Load, Source,
    internals::{escape_line, refuse_secrets},
};

use super::{
    Failure,
    config::{self, Config, SettingsFile},
    revision::Files,
};

/// The text of a document, and of the overlays that are applied to it.
pub struct Document {
    /// The name in diagnostics: the path as given.
    pub name: String,
    /// The name in the result of `--check`: the file name without its folder.
    pub source: String,
    pub text: String,
    overlays: Vec<Source>,
    /// Reads the files that the document refers to.
    load: Box<Load<'static>>,
}

impl Document {
    /// Reads a file of the working tree or of a revision, or standard input.
    pub fn read(files: &Files, path: Option<&Path>) -> Result<Self, Failure> {
        let (name, source, text) = match path {
            Some(path) if path != Path::new("-") || *files != Files::Disk => {
                let source = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
                // References are relative to the path, so a revision is not part of the name.
                (portable(path), source, files.read(path)?)
            }
            None if io::stdin().is_terminal() => {
                let message = "missing document; pass its path, or `-` to type or paste the document";
                return Err(Failure::Usage(message.to_owned()));
            }
            _ => {
                let mut text = Vec::new();
                io::stdin().read_to_end(&mut text).map_err(Failure::StandardInput)?;
                ("<stdin>".to_owned(), "standard input".to_owned(), lossy(text))
            }
        };
        let files = files.clone();
        let load = move |path: &str| match &files {
            Files::Disk => load(path),
            files => files.read(Path::new(path)).map_err(|error| error.to_string()),
        };
        Ok(Self { name, source, text, overlays: Vec::new(), load: Box::new(load) })
    }

    /// Reads a document and its settings, with the overlays that the arguments or else the settings name.
    pub fn with_settings(
        files: &Files,
        path: Option<&Path>,
        config: Option<&Path>,
        overlays: &[PathBuf],
    ) -> Result<(Self, Config, Option<SettingsFile>), Failure> {
        let document = Self::read(files, path)?;
        // After the document: if a file is missing, the message names the one that the user asked for.
        let (config, file) = config::find(files, config, path)?;
        let document = match overlays {
            [] => document.with_overlays(files, &config.overlays)?,
            overlays => document.with_overlays(&Files::Disk, overlays)?,
        };
        Ok((document, config, file))
    }

    /// Reads the overlays to apply to the document from the working tree or from a revision.
    pub fn with_overlays(self, files: &Files, paths: &[PathBuf]) -> Result<Self, Failure> {
        let overlay = |path: &PathBuf| Ok(Source::new(portable(path), &files.read(path)?));
        let overlays = paths.iter().map(overlay).collect::<Result<_, Failure>>()?;
        Ok(Self { overlays, ..self })
    }

    /// Returns the names of the document and its overlays: `pets.yaml with fix.yaml`.
    pub fn title(&self) -> String {
        let overlays: Vec<&str> = self.overlays.iter().map(|overlay| overlay.name.as_str()).collect();
        let with = if overlays.is_empty() { "" } else { " with " };
        escape_line(&format!("{}{with}{}", self.name, overlays.join(", "))).into_owned()
    }

    /// Returns the input for the library.
    ///
    /// References to other files are relative to the document, or to the current directory for standard
    /// input.
    pub fn input(&self) -> Input<'_> {
        Input::new(&self.name, &self.text).overlays(&self.overlays).load(&*self.load)
    }
}

/// Reads a file that the document refers to.
fn load(path: &str) -> Result<String, String> {
    let bytes = refuse_secrets(Path::new(path)).and_then(|()| fs::read(path));
    bytes.map(lossy).map_err(|error| error.to_string())
}

/// Decodes UTF-8 and replaces invalid bytes.
///
/// They usually occur in descriptions, where they do no harm.
pub fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Returns the path with `/` as its separator, as references write paths.
pub fn portable(path: &Path) -> String {
    let text = path.display().to_string();
    if cfg!(windows) { text.replace('\\', "/") } else { text }
}
