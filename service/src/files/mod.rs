//! The file store: what clients gave, what engines made, and what the catalogue shows.
//!
//! A file never changes once it is there. Results lie in their task's own folder, whose name is random, under names that
//! begin with the number of the attempt: a worker that has lost its lease can't overwrite what a client sees.
//!
//! The folders of tasks lie in [`SHARDS`] parts of their area, by how their names begin, so that no folder of a disk has
//! millions of entries, and what walks over all of them does so a part at a time.

use std::path::Path as FilePath;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, GetResult, ObjectStore, ObjectStoreExt, PutMode};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::private;
use crate::time::Millis;

mod media_type;
mod unfinished;

pub use media_type::media_type;

/// What goes wrong in the file store.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// The folder can't be made or opened.
    #[error("the folder {folder} of the file store can't be made or read: {source}")]
    Folder {
        /// Which folder.
        folder: String,
        /// Why.
        source: std::io::Error,
    },
    /// The file store refuses.
    #[error("the file store failed: {0}")]
    Store(#[from] object_store::Error),
}

/// A part of the file store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Area {
    /// Media that clients sent as base64; never served.
    Inputs,
    /// What engines made.
    Results,
    /// Pictures, thumbnails and audio of the catalogue.
    Catalogue,
}

impl Area {
    const fn folder(self) -> &'static str {
        match self {
            Self::Inputs => "inputs",
            Self::Results => "results",
            Self::Catalogue => "catalogue",
        }
    }
}

/// How many parts the folders of tasks lie in: one for each beginning of two hexadecimal digits.
pub const SHARDS: u32 = 256;

/// A file of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its key.
    pub key: String,
    /// When it was put.
    pub put_at: Millis,
}

/// The file store. Clones share it.
#[derive(Debug, Clone)]
pub struct Files {
    store: Arc<dyn ObjectStore>,
    /// Where a local store is.
    folder: Option<Arc<FilePath>>,
}

impl Files {
    /// In this folder, which is made where it is not there. Files are on the disk, and not only in its cache, when they
    /// have been put.
    ///
    /// # Errors
    /// The folder can't be made.
    pub fn local(folder: &FilePath) -> Result<Self, FilesError> {
        private::folder(folder)
            .map_err(|source| FilesError::Folder { folder: folder.display().to_string(), source })?;
        let store = LocalFileSystem::new_with_prefix(folder)?.with_fsync(true).with_automatic_cleanup(true);
        Ok(Self { store: Arc::new(store), folder: Some(folder.into()) })
    }

    /// In memory, for tests.
    #[must_use]
    pub fn in_memory() -> Self {
        Self { store: Arc::new(object_store::memory::InMemory::new()), folder: None }
    }

    /// The file that holds the store's id.
    pub const ID: &'static str = "store-id";

    /// What tells these files from those of another file store; `None`: it has not been said.
    ///
    /// # Errors
    /// The store refuses.
    pub async fn id(&self) -> Result<Option<String>, FilesError> {
        match self.store.get(&Path::from(Self::ID)).await {
            Ok(file) => Ok(Some(String::from_utf8_lossy(&file.bytes().await?).trim().to_owned())),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Says what tells these files from others, unless another process has just done so; returns what was said.
    ///
    /// # Errors
    /// The store refuses.
    pub async fn set_id(&self, id: &str) -> Result<String, FilesError> {
        let text = format!("{id}\n").into();
        match self.store.put_opts(&Path::from(Self::ID), text, PutMode::Create.into()).await {
            Ok(_) | Err(object_store::Error::AlreadyExists { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(self.id().await?.unwrap_or_else(|| id.to_owned()))
    }

    /// Where they are, for people.
    #[must_use]
    pub fn place(&self) -> String {
        self.folder.as_ref().map_or_else(|| "memory".to_owned(), |folder| folder.display().to_string())
    }

    /// Puts a file, in the place of one that is there under this key.
    ///
    /// # Errors
    /// The store refuses.
    pub async fn put(&self, area: Area, key: &str, bytes: Bytes) -> Result<(), FilesError> {
        self.store.put(&path(area, key), bytes.into()).await?;
        Ok(())
    }

    /// The file of this key, or a range of it; `None`: there is none.
    ///
    /// # Errors
    /// The store refuses, or the range is not one of the file.
    pub async fn open(
        &self,
        area: Area,
        key: &str,
        range: Option<GetRange>,
    ) -> Result<Option<GetResult>, FilesError> {
        let options = GetOptions { range, ..GetOptions::default() };
        match self.store.get_opts(&path(area, key), options).await {
            Ok(file) => Ok(Some(file)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// A whole file; `None`: there is none.
    ///
    /// # Errors
    /// The store refuses.
    pub async fn read(&self, area: Area, key: &str) -> Result<Option<Bytes>, FilesError> {
        match self.open(area, key, None).await? {
            Some(file) => Ok(Some(file.bytes().await?)),
            None => Ok(None),
        }
    }

    /// How long the file of this key is; `None`: there is none.
    ///
    /// # Errors
    /// The store refuses.
    pub async fn size(&self, area: Area, key: &str) -> Result<Option<u64>, FilesError> {
        match self.store.head(&path(area, key)).await {
            Ok(meta) => Ok(Some(meta.size)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes a file, if it is there.
    ///
    /// # Errors
    /// The store refuses.
    pub async fn remove(&self, area: Area, key: &str) -> Result<(), FilesError> {
        match self.store.delete(&path(area, key)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes a folder of an area and all that is in it.
    ///
    /// # Errors
    /// The store refuses.
    pub async fn remove_folder(&self, area: Area, folder: &str) -> Result<(), FilesError> {
        for file in self.list(area, folder).await? {
            self.remove(area, &file.key).await?;
        }
        Ok(())
    }

    /// Removes what was begun to be written before then and never ended, because the process died: of a local store, which
    /// writes beside a file and then renames. Looks at a shard, or at a whole area; returns how many there were.
    ///
    /// # Errors
    /// A folder can't be read.
    pub async fn remove_unfinished(
        &self,
        area: Area,
        shard: Option<u8>,
        before: Millis,
    ) -> Result<usize, FilesError> {
        let Some(root) = &self.folder else { return Ok(0) };
        let mut folder = root.join(area.folder());
        folder.extend(shard.map(name_of));
        let shown = folder.display().to_string();
        let removed = tokio::task::spawn_blocking(move || unfinished::remove(&folder, before)).await;
        removed
            .unwrap_or_else(|panic| Err(panic.into()))
            .map_err(|source| FilesError::Folder { folder: shown, source })
    }

    /// The folders of tasks in this shard.
    ///
    /// # Errors
    /// The store refuses.
    pub async fn folders(&self, area: Area, shard: u8) -> Result<Vec<String>, FilesError> {
        let shard = Path::from(format!("{}/{}", area.folder(), name_of(shard)));
        let listed = self.store.list_with_delimiter(Some(&shard)).await?;
        let last = |folder: Path| folder.parts().next_back().map(|part| part.as_ref().to_owned());
        Ok(listed.common_prefixes.into_iter().filter_map(last).collect())
    }

    /// How many bytes are free on the disk of a local store, where that can be told.
    #[must_use]
    pub fn free_space(&self) -> Option<u64> {
        #[cfg(unix)]
        {
            let disk = rustix::fs::statvfs(self.folder.as_deref()?).ok()?;
            Some(disk.f_bavail.saturating_mul(disk.f_frsize))
        }
        #[cfg(not(unix))]
        None
    }

    /// The files of a folder.
    ///
    /// # Errors
    /// The store refuses.
    pub async fn list(&self, area: Area, folder: &str) -> Result<Vec<Listed>, FilesError> {
        let whole = path(area, folder);
        let files = self.store.list(Some(&whole)).map_ok(|file| Listed {
            key: format!(
                "{folder}{}",
                file.location.as_ref().strip_prefix(whole.as_ref()).unwrap_or_default()
            ),
            put_at: file.last_modified.timestamp_millis(),
        });
        Ok(files.boxed().try_collect().await?)
    }
}

fn path(area: Area, key: &str) -> Path {
    let folder = area.folder();
    match area {
        Area::Inputs | Area::Results => {
            let shard = key.get(..2).unwrap_or_default();
            Path::from(format!("{folder}/{shard}/{key}"))
        }
        Area::Catalogue => Path::from(format!("{folder}/{key}")),
    }
}

/// What a shard's folder is called.
fn name_of(shard: u8) -> String {
    format!("{shard:02x}")
}

/// A name for a folder that nobody guesses: 32 hexadecimal digits.
#[must_use]
pub fn random_folder() -> String {
    format!("{:032x}", rand::rng().random::<u128>())
}

/// Whether this can be part of a key that the service has made.
#[must_use]
pub fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('.')
        && text.len() <= 100
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

/// The key of a result: its task's folder, the attempt that made it, its place, and what kind of file it is.
#[must_use]
pub fn result_key(folder: &str, attempt: u32, place: usize, extension: &str) -> String {
    format!("{folder}/{attempt}-{place}.{extension}")
}

/// The attempt that made the result with this key.
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
    fn a_result_tells_its_attempt() {
        assert_eq!(attempt_of(&result_key("ab", 3, 0, "png")), Some(3));
        assert_eq!(attempt_of("ab/render.svg"), None);
    }

    #[tokio::test]
    async fn files_come_back_and_go_away() -> Result<(), FilesError> {
        let files = Files::in_memory();
        files.put(Area::Results, "aa/1-0.png", Bytes::from_static(b"picture")).await?;
        files.put(Area::Results, "bb/1-0.png", Bytes::from_static(b"other")).await?;
        assert_eq!(files.read(Area::Results, "aa/1-0.png").await?.as_deref(), Some(&b"picture"[..]));
        assert_eq!(files.read(Area::Inputs, "aa/1-0.png").await?, None);
        files.put(Area::Results, "aabb/1-0.png", Bytes::from_static(b"beside")).await?;
        assert_eq!(files.folders(Area::Results, 0xaa).await?, ["aa", "aabb"]);
        assert_eq!(files.folders(Area::Results, 0xab).await?, [""; 0]);
        let listed = files.list(Area::Results, "aa").await?;
        assert_eq!(listed.iter().map(|file| file.key.as_str()).collect::<Vec<_>>(), ["aa/1-0.png"]);
        files.remove_folder(Area::Results, "aa").await?;
        files.remove(Area::Results, "aa/1-0.png").await?;
        assert_eq!(files.size(Area::Results, "aa/1-0.png").await?, None);
        assert_eq!(files.size(Area::Results, "bb/1-0.png").await?, Some(5));
        Ok(())
    }

    #[tokio::test]
    async fn a_local_store_has_a_disk() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let files = Files::local(folder.path())?;
        files.put(Area::Results, "ab12/1-0.png", Bytes::from_static(b"picture")).await?;
        assert!(folder.path().join("results/ab/ab12/1-0.png").is_file());
        assert_eq!(files.folders(Area::Results, 0xab).await?, ["ab12"]);
        assert_eq!(files.list(Area::Results, "ab12").await?.len(), 1);
        std::fs::write(folder.path().join("results/ab/ab12/2-0.png#1"), "half")?;
        assert_eq!(files.remove_unfinished(Area::Results, Some(0xac), Millis::MAX).await?, 0);
        assert_eq!(files.remove_unfinished(Area::Results, Some(0xab), Millis::MAX).await?, 1);
        assert_eq!(files.free_space().is_some(), cfg!(unix));
        assert_eq!(Files::in_memory().free_space(), None);
        Ok(())
    }

    #[test]
    fn random_folders_differ() {
        let folder = random_folder();
        assert_eq!(folder.len(), 32);
        assert_ne!(folder, random_folder());
    }
}
