//! The keys of stored files: areas, shards, and the names of folders and results.

use object_store::path::Path;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// An area of the file store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Area {
    /// Media that clients sent as base64; never served.
    Inputs,
    /// Results of engines.
    Results,
    /// Pictures, thumbnails and audio of the catalogue.
    Catalogue,
}

impl Area {
    /// All areas.
    pub const ALL: [Self; 3] = [Self::Inputs, Self::Results, Self::Catalogue];

    /// Returns the name of the folder.
    #[must_use]
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Inputs => "inputs",
            Self::Results => "results",
            Self::Catalogue => "catalogue",
        }
    }
}

/// The number of shards: one for each pair of leading hexadecimal digits.
pub const SHARDS: u32 = 256;

/// Returns the path of a file in the store.
pub(super) fn path(area: Area, key: &str) -> Path {
    let folder = area.folder();
    match area {
        Area::Inputs | Area::Results => {
            let shard = key.get(..2).unwrap_or_default();
            Path::from(format!("{folder}/{shard}/{key}"))
        }
        Area::Catalogue => Path::from(format!("{folder}/{key}")),
    }
}

/// Returns the name of a shard's folder.
pub(super) fn shard_folder(shard: u8) -> String {
    format!("{shard:02x}")
}

/// Creates an unguessable folder name: 32 hexadecimal digits.
#[must_use]
pub fn random_folder() -> String {
    format!("{:032x}", rand::rng().random::<u128>())
}

/// Returns whether a text can be part of a key that the service creates.
#[must_use]
pub fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('.')
        && text.len() <= 100
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

/// Returns the key of a result.
///
/// It consists of the task's folder, the attempt, the position of the result and the file extension.
#[must_use]
pub fn result_key(folder: &str, attempt: u32, index: usize, extension: &str) -> String {
    format!("{folder}/{attempt}-{index}.{extension}")
}

/// Returns the attempt that made the result with this key.
#[must_use]
pub fn attempt_of(key: &str) -> Option<u32> {
    let (_, name) = key.rsplit_once('/')?;
    let (attempt, _) = name.split_once('-')?;
    attempt.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_a_result_contains_its_attempt() {
        assert_eq!(attempt_of(&result_key("ab", 3, 0, "png")), Some(3));
        assert_eq!(attempt_of("ab/render.svg"), None);
    }

    #[test]
    fn random_folders_differ() {
        let folder = random_folder();
        assert_eq!(folder.len(), 32);
        assert_ne!(folder, random_folder());
    }
}
