//! Imports real files into the catalogue.
//!
//! An import can be repeated: ids derive from the kinds and names of files, and identical records stay
//! untouched.

pub mod audio;
mod collection;
pub mod icons;
mod measure;
pub(crate) mod parse;
pub mod pictures;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use bytes::Bytes;
pub use collection::Collection;
pub use parse::Parsers;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::catalogue::Tag;
use crate::files::{Area, Files, FilesError};
use crate::store::{Imported, Store};
use crate::time::{Millis, millis};

/// The number of records per write.
const BATCH: usize = 64;

/// Why an import stopped early.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file or folder can't be read or written.
    #[error("can't access {}: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A file or folder is invalid.
    #[error("{}: {why}", path.display())]
    Content {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The sweep has removed a file of a record while the record was imported.
    #[error("the clean-up of removed records took the file {key} away meanwhile; repeat the import")]
    Removed {
        /// The file.
        key: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] crate::store::Error),
    /// The file store failed.
    #[error(transparent)]
    Files(#[from] FilesError),
}

/// An import into these stores.
pub struct Import<'a> {
    /// Gets the records.
    pub store: &'a dyn Store,
    /// Gets the files.
    pub files: &'a Files,
    /// Parses the files.
    pub parsers: Parsers,
}

/// The outcome of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The counts of records.
    pub imported: Imported,
    /// The files that were left out, with the reasons.
    pub left_out: Vec<(PathBuf, String)>,
}

impl Report {
    fn add(&mut self, imported: Imported) {
        self.imported.new += imported.new;
        self.imported.changed += imported.changed;
        self.imported.unchanged += imported.unchanged;
    }

    fn leave_out(&mut self, path: &Path, why: impl Into<String>) {
        self.left_out.push((path.to_owned(), why.into()));
    }
}

/// Returns an id that is the same at each import.
///
/// It is 48 bits of a hash of kind and name, so that every JSON reader can hold it.
pub(crate) fn stable_id(kind: &str, name: &str) -> i64 {
    let hash = Sha256::digest(format!("{kind}\0{name}").as_bytes());
    hash.iter().take(6).fold(0, |id, byte| (id << 8) | i64::from(*byte))
}

/// Returns the key of a catalogue file, derived from its content.
///
/// The same file is thus stored once, and another file never replaces it.
fn content_key(kind: &str, bytes: &[u8], extension: &str) -> String {
    let hash = Sha256::digest(bytes);
    let hash: String = hash.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("{kind}/{hash}.{extension}")
}

/// Why a file has no record.
enum Failed {
    /// The file is left out for this reason, and the import continues.
    File(String),
    /// The import stops.
    Import(ImportError),
}

impl From<String> for Failed {
    fn from(why: String) -> Self {
        Self::File(why)
    }
}

impl From<ImportError> for Failed {
    fn from(error: ImportError) -> Self {
        Self::Import(error)
    }
}

impl Import<'_> {
    /// Reads files by `read` and stores their records by `put`, in batches; `named` returns the files of a record.
    async fn each<T>(
        &self,
        report: &mut Report,
        paths: &[PathBuf],
        progress: impl Fn(usize, usize),
        read: impl AsyncFn(&Path) -> Result<T, Failed>,
        put: impl AsyncFn(&[T]) -> crate::store::Result<Imported>,
        named: fn(&T) -> Vec<&str>,
    ) -> Result<(), ImportError> {
        for (done, batch) in paths.chunks(BATCH).enumerate() {
            let mut records = Vec::with_capacity(batch.len());
            for (index, path) in batch.iter().enumerate() {
                progress(done * BATCH + index, paths.len());
                match read(path).await {
                    Ok(record) => records.push(record),
                    Err(Failed::File(why)) => report.leave_out(path, why),
                    Err(Failed::Import(error)) => return Err(error),
                }
            }
            report.add(put(&records).await?);
            check(self.files, records.iter().flat_map(named)).await?;
        }
        progress(paths.len(), paths.len());
        Ok(())
    }

    /// Stores a file under the key of its content, unless it exists; returns the key.
    async fn stored(
        &self,
        kind: &str,
        bytes: impl Into<Bytes>,
        extension: &str,
    ) -> Result<String, ImportError> {
        let bytes = bytes.into();
        let key = content_key(kind, &bytes, extension);
        if self.files.size(Area::Catalogue, &key).await?.is_none() {
            self.files.put(Area::Catalogue, &key, bytes).await?;
        }
        Ok(key)
    }
}

/// Returns the extension of a stored copy of this file.
fn extension_of(path: &Path) -> String {
    path.extension()
        .map_or_else(|| "bin".to_owned(), |extension| extension.to_string_lossy().to_ascii_lowercase())
}

/// Converts a name into a slug: words in lower case with `-` between them.
fn slug(name: &str) -> String {
    crate::catalogue::relevance::words(name).join("-")
}

/// Converts a file name into a title: `white-house_2` into `White house 2`.
fn title(name: &str) -> String {
    let words =
        name.split(['-', '_', ' ', '.']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => name.to_owned(),
    }
}

/// Converts the language tags of names to lower case.
///
/// Fails at the first key that is not a language tag.
fn by_language<T>(names: BTreeMap<String, T>) -> Result<BTreeMap<String, T>, String> {
    let is_tag = |tag: &str| {
        let mut parts = tag.split('-');
        let is_language =
            |part: &str| (2..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphabetic());
        parts.next().is_some_and(is_language)
            && parts
                .all(|part| (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric()))
    };
    let lower = |(tag, name): (String, T)| {
        if is_tag(&tag) {
            Ok((tag.to_ascii_lowercase(), name))
        } else {
            Err(format!("`{tag}` is not a language tag; use a tag such as `es` or `pt-BR`"))
        }
    };
    names.into_iter().map(lower).collect()
}

/// Creates a tag with this name.
fn tag(name: &str) -> Tag {
    Tag { slug: slug(name), name: title(name) }
}

/// Lists the files of a folder and its subfolders, in order.
///
/// If the path is a file, it lists only that file.
fn files_of(path: &Path) -> Result<Vec<PathBuf>, ImportError> {
    let read = |source| ImportError::Read { path: path.to_owned(), source };
    if std::fs::metadata(path).map_err(read)?.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let read = |source| ImportError::Read { path: folder.clone(), source };
        for entry in std::fs::read_dir(&folder).map_err(read)? {
            let entry = entry.map_err(read)?;
            let kind = entry.file_type().map_err(read)?;
            // Links are not followed, because they can form cycles.
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Checks that the files of stored records exist.
///
/// An import does not write a file again that exists. If only removed records named the file, the sweep may remove it
/// until the new record is stored.
async fn check<'k>(files: &Files, keys: impl IntoIterator<Item = &'k str>) -> Result<(), ImportError> {
    for key in keys {
        if files.size(Area::Catalogue, key).await?.is_none() {
            return Err(ImportError::Removed { key: key.to_owned() });
        }
    }
    Ok(())
}

/// The largest JSON file of a set of icons, in bytes.
const MAX_SET: u64 = 256 * 1024 * 1024;

/// The maximum size of a JSON file next to a media file, in bytes.
const MAX_DETAILS: u64 = 1024 * 1024;

/// Reads a file of a set of icons.
fn read(path: &Path) -> Result<Vec<u8>, ImportError> {
    read_up_to(path, MAX_SET).map_err(|source| ImportError::Read { path: path.to_owned(), source })
}

/// Reads one of many files; the import continues if that fails.
fn read_one(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    read_up_to(path, most).map_err(|error| match error.kind() {
        std::io::ErrorKind::FileTooLarge => format!("the file has more than {most} bytes"),
        _ => format!("can't read the file: {error}"),
    })
}

fn read_up_to(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(std::io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

/// Parses the JSON file next to a media file, such as `house.json` next to `house.jpg`.
///
/// Returns the default if there is none. A link is not followed: it can lead out of the folder.
fn json_beside<D: DeserializeOwned + Default>(path: &Path) -> Result<D, String> {
    let path = path.with_extension("json");
    if !std::fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
        return Ok(D::default());
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let bytes = read_one(&path, MAX_DETAILS).map_err(|why| format!("{name}: {why}"))?;
    serde_json::from_slice(&bytes).map_err(|error| format!("{name} is not valid: {error}"))
}

/// Returns the time at which a file was last changed.
///
/// It is 1970 if the file system does not know it.
fn modified(path: &Path) -> Millis {
    let modified = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).map_or(0, millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_titles_and_slugs() {
        assert_eq!(title("white-house_2"), "White house 2");
        assert_eq!(slug("White House, 2"), "white-house-2");
        assert_eq!(title(""), "");
    }

    #[test]
    fn details_are_read_from_a_file_but_not_through_a_link() {
        #[derive(Default, PartialEq, Debug, serde::Deserialize)]
        struct Details {
            name: String,
        }
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("house.json"), r#"{"name":"House"}"#).unwrap();
        std::os::unix::fs::symlink(at("house.json"), at("tree.json")).unwrap();
        assert_eq!(json_beside::<Details>(&at("house.jpg")).unwrap().name, "House");
        assert_eq!(json_beside::<Details>(&at("tree.jpg")).unwrap(), Details::default());
    }

    #[test]
    fn ids_stay_and_fit_into_json() {
        assert_eq!(stable_id("icon", "lucide:house"), stable_id("icon", "lucide:house"));
        assert_ne!(stable_id("icon", "lucide:house"), stable_id("icon", "tabler:house"));
        assert!((0..1 << 53).contains(&stable_id("icon", "lucide:house")));
    }
}
