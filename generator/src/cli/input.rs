//! Where documents come from.

use std::{
    fs,
    io::{self, IsTerminal, Read},
    path::Path,
};

use super::Failure;

/// A document's text.
#[derive(Debug)]
pub struct Input {
    /// What findings call it: the path, as it was given.
    pub name: String,
    /// What the headers of generated files call it. Not the whole path, which may differ from one call to the next.
    pub source: String,
    pub text: String,
}

impl Input {
    /// Reads a file, or standard input.
    pub fn read(path: Option<&Path>) -> Result<Self, Failure> {
        match path {
            Some(path) if path != Path::new("-") => {
                let text = fs::read_to_string(path)
                    .map_err(|source| Failure::Read { path: path.to_owned(), source })?;
                let source = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
                Ok(Self { name: path.display().to_string(), source, text })
            }
            None if io::stdin().is_terminal() => {
                Err(Failure::Usage("Give the path of a document, or `-` to type or paste one.".to_owned()))
            }
            _ => {
                let mut text = String::new();
                io::stdin().read_to_string(&mut text).map_err(Failure::StandardInput)?;
                Ok(Self { name: "<stdin>".to_owned(), source: "standard input".to_owned(), text })
            }
        }
    }
}
