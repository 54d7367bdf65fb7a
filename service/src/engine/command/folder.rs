//! The private folder of a run.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::settings::Target;
use crate::engine::context::Context;
use crate::engine::{Failure, Medium};
use crate::media::format::Format;

/// The private folder of a run, removed with this value.
pub(super) struct Folder {
    folder: TempDir,
    media: Map<String, Value>,
}

impl Folder {
    /// Creates the folder, with the media in it; `lengths` are theirs in seconds, if known.
    pub(super) fn new(context: &Context, media: &[Medium], lengths: &[Option<f64>]) -> Result<Self, Failure> {
        let folder = match &context.scratch_folder {
            Some(scratch) => TempDir::new_in(scratch),
            None => TempDir::new(),
        };
        let mut folder = Self { folder: folder.map_err(failed)?, media: Map::new() };
        for (number, medium) in media.iter().enumerate() {
            folder.add(number, medium, lengths.get(number).copied().flatten())?;
        }
        Ok(folder)
    }

    fn add(&mut self, number: usize, medium: &Medium, seconds: Option<f64>) -> Result<(), Failure> {
        let format = Format::sniff(&medium.bytes, medium.kind);
        let format = format.ok_or_else(|| Failure::Internal("a medium has no known format".to_owned()))?;
        let path = self.path().join(format!("medium-{number}.{}", format.extension()));
        std::fs::write(&path, &medium.bytes).map_err(failed)?;
        let mut shown = json!({"path": path, "format": format.extension(), "kind": medium.kind.name()});
        if let (Some(seconds), Value::Object(shown)) = (seconds, &mut shown) {
            shown.insert("seconds".to_owned(), json!(seconds));
        }
        match medium.name.split_once('[') {
            None => drop(self.media.insert(medium.name.clone(), shown)),
            Some((list, _)) => {
                let list = self.media.entry(list).or_insert_with(|| Value::Array(Vec::new()));
                list.as_array_mut().into_iter().for_each(|list| list.push(shown.clone()));
            }
        }
        Ok(())
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the media by the fields of the request: `path`, `format` and `kind`; lists of fields are arrays.
    pub(super) fn media(&self) -> Value {
        Value::Object(self.media.clone())
    }

    /// Returns the path of a file that [`Self::write`] writes.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Returns the path of the output.
    pub(super) fn output(&self, target: &Target) -> PathBuf {
        self.path().join(target.name())
    }

    /// Writes a file for the program.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        std::fs::write(self.file(name), text).map_err(failed)
    }

    /// Creates a file without a name in templates.
    pub(super) fn create(&self, name: &str) -> Result<File, Failure> {
        File::options()
            .create(true)
            .truncate(true)
            .read(true)
            .write(true)
            .open(self.file(name))
            .map_err(failed)
    }
}

fn failed(error: std::io::Error) -> Failure {
    Failure::Internal(format!("can't prepare the folder of a command: {error}"))
}
