//! Reads documents from files or standard input.

use std::{
    fs,
    io::{self, IsTerminal, Read},
    path::{Path, PathBuf},
};

use openapi_crates::{
    Input, Load, Source,
    internals::{escape_line, read_file, refuse_secrets},
};

use super::{Failure, revision::Files};

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
    /// Reads a file of the working tree or of a revision.
    pub fn read_from(files: &Files, path: &Path) -> Result<Self, Failure> {
        if *files == Files::Disk {
            return Self::read(Some(path));
        }
        let source = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let text = files.read(path)?;
        let others = files.clone();
        let load = move |path: &str| others.read(Path::new(path)).map_err(|error| error.to_string());
        // References are relative to the path, so the revision is not part of the name.
        Ok(Self { name: portable(path), source, text, overlays: Vec::new(), load: Box::new(load) })
    }

    /// Reads a file, or standard input.
    pub fn read(path: Option<&Path>) -> Result<Self, Failure> {
        let (name, source, text) = match path {
            Some(path) if path != Path::new("-") => {
                let source = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
                (portable(path), source, read(path)?)
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
        Ok(Self { name, source, text, overlays: Vec::new(), load: Box::new(load) })
    }

    /// Reads the overlays to apply to the document.
    pub fn with_overlays(self, paths: &[PathBuf]) -> Result<Self, Failure> {
        self.with_overlays_from(&Files::Disk, paths)
    }

    /// Reads the overlays to apply to the document from the working tree or from a revision.
    pub fn with_overlays_from(self, files: &Files, paths: &[PathBuf]) -> Result<Self, Failure> {
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

/// Reads a file that the caller names.
pub fn read(path: &Path) -> Result<String, Failure> {
    read_file(path).map(lossy).map_err(|source| Failure::Read { path: path.to_owned(), source })
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
