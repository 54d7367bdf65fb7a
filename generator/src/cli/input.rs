//! Where documents come from.

use std::{
    fs,
    io::{self, IsTerminal, Read},
    path::Path,
};

use openapi_crates::Input;

use super::Failure;

/// A document's text.
#[derive(Debug)]
pub struct Document {
    /// What findings call it: the path, as it was given.
    pub name: String,
    /// What a comparison of its output calls it: the file's name, without the folders.
    pub source: String,
    pub text: String,
}

impl Document {
    /// Reads a file, or standard input.
    pub fn read(path: Option<&Path>) -> Result<Self, Failure> {
        match path {
            Some(path) if path != Path::new("-") => {
                let text =
                    fs::read(path).map_err(|source| Failure::Read { path: path.to_owned(), source })?;
                let source = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
                Ok(Self { name: portable(path), source, text: lossy(text) })
            }
            None if io::stdin().is_terminal() => {
                Err(Failure::Usage("Give the path of a document, or `-` to type or paste one.".to_owned()))
            }
            _ => {
                let mut text = Vec::new();
                io::stdin().read_to_end(&mut text).map_err(Failure::StandardInput)?;
                Ok(Self {
                    name: "<stdin>".to_owned(),
                    source: "standard input".to_owned(),
                    text: lossy(text),
                })
            }
        }
    }

    /// The document for the library. Other files are found from where it is; from here, if it is standard input.
    pub fn input(&self) -> Input<'_> {
        Input { name: &self.name, text: &self.text, load: Some(&load) }
    }
}

/// Reads a file that a document refers to.
fn load(path: &str) -> Result<String, String> {
    // Devices and pipes may never end.
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => return Err("it is no file".to_owned()),
        _ => {}
    }
    fs::read(path).map(lossy).map_err(|error| error.to_string())
}

/// A slip in a description's encoding is no reason to refuse a document.
fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// The path with `/` between its parts, as references have it.
fn portable(path: &Path) -> String {
    let text = path.display().to_string();
    if cfg!(windows) { text.replace('\\', "/") } else { text }
}
