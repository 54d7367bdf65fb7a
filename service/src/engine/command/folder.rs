//! The private folder of a run.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::runs::Run;
use crate::engine::result::on_blocking_thread;
use crate::engine::{Failure, Medium, media_fields};
use crate::media::format::Format;
use crate::media::measure;

/// The private folder of a run, removed with this value.
pub(super) struct Folder {
    run: Run,
    media: Map<String, Value>,
}

impl Folder {
    /// Creates the folder among these, with the media in it.
    pub(super) fn new(runs: &Path, media: &[Medium]) -> Result<Self, Failure> {
        let mut folder = Self { run: Run::new(runs).map_err(failed)?, media: Map::new() };
        for (number, medium) in media.iter().enumerate() {
            folder.add(number, medium)?;
        }
        Ok(folder)
    }

    fn add(&mut self, number: usize, medium: &Medium) -> Result<(), Failure> {
        let format = Format::sniff(&medium.bytes, medium.kind);
        let format = format.ok_or_else(|| Failure::Internal("a medium has no known format".to_owned()))?;
        let path = self.path().join(format!("medium-{number}.{}", format.extension()));
        std::fs::write(&path, &medium.bytes).map_err(failed)?;
        let mut shown = json!({"path": path, "format": format.extension(), "kind": medium.kind.name()});
        if let (Some(seconds), Value::Object(shown)) = (measure::seconds(&medium.bytes, format), &mut shown) {
            shown.insert("seconds".to_owned(), json!(seconds));
        }
        media_fields::add_to(&mut self.media, &medium.name, shown);
        Ok(())
    }

    pub(super) fn path(&self) -> &Path {
        self.run.path()
    }

    /// Returns the media by the fields of the request: `path`, `format` and `kind`; lists of fields are arrays.
    pub(super) fn media(&self) -> Value {
        Value::Object(self.media.clone())
    }

    /// Writes files for the program; returns the path of the last one.
    pub(super) async fn write(&self, files: Vec<(String, String)>) -> Result<Option<PathBuf>, Failure> {
        let folder = self.path().to_owned();
        on_blocking_thread(move || {
            let mut last = None;
            for (name, text) in files {
                let path = folder.join(name);
                std::fs::write(&path, text).map_err(failed)?;
                last = Some(path);
            }
            Ok(last)
        })
        .await
    }

    /// Creates a file without a name in templates.
    pub(super) async fn create(&self, name: &str) -> Result<File, Failure> {
        let path = self.path().join(name);
        on_blocking_thread(move || {
            File::options().create(true).truncate(true).read(true).write(true).open(path).map_err(failed)
        })
        .await
    }
}

fn failed(error: std::io::Error) -> Failure {
    Failure::Internal(format!("can't prepare the folder of a command: {error}"))
}
