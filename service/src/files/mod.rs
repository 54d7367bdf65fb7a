//! The file store: media from clients, results of engines, and catalogue files.
//!
//! A stored file never changes. Results lie in the folder of their task, which has a random name. Their names
//! begin with the number of the attempt, so that a worker that has lost its lease can't overwrite what a
//! client sees.
//!
//! The folders of tasks are spread over [`SHARDS`] shards of their area, by the first two digits of their
//! names. No folder on disk thus holds millions of entries, and a walk over all of them can handle one shard
//! at a time.

use std::io::{Read as _, Seek as _};
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use asset_engines::Scratch;
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, GetResult, MultipartUpload, ObjectStore, ObjectStoreExt, PutMode};

use crate::private;
use crate::time::Millis;
use key::{path, shard_folder};
use working::Working;

mod key;
mod media_type;
mod unfinished;
mod urls;
mod working;

pub use key::{Area, SHARDS, attempt_of, is_name, random_folder, result_key};
pub use media_type::media_type;
pub use urls::FileUrls;
pub use working::{Account, Held};

/// An error of the file store.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// The folder can't be created or read.
    #[error("can't create or read the folder {folder} of the file store: {source}")]
    Folder {
        /// The folder.
        folder: String,
        /// The cause.
        source: std::io::Error,
    },
    /// The file store failed.
    #[error("file store error: {0}")]
    Store(#[from] object_store::Error),
    /// A scratch file can't be read.
    #[error("can't read a scratch file: {0}")]
    Scratch(std::io::Error),
}

/// A stored file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The key.
    pub key: String,
    /// The time at which it was stored.
    pub put_at: Millis,
}

/// The file store; clones share it.
#[derive(Debug, Clone)]
pub struct Files {
    store: Arc<dyn ObjectStore>,
    /// The folder of a local store.
    folder: Option<Arc<FilePath>>,
    working: Working,
}

impl Files {
    /// Opens a store in this folder and creates the folder if it is missing.
    ///
    /// A stored file is on disk, and not only in the disk's cache, when [`Self::put`] returns.
    ///
    /// # Errors
    /// Fails if the folder can't be created or opened.
    pub fn local(folder: &FilePath) -> Result<Self, FilesError> {
        private::folder(folder)
            .map_err(|source| FilesError::Folder { folder: folder.display().to_string(), source })?;
        let store = LocalFileSystem::new_with_prefix(folder)?.with_fsync(true).with_automatic_cleanup(true);
        Ok(Self { store: Arc::new(store), folder: Some(folder.into()), working: Working::default() })
    }

    /// Creates a store in memory, for tests.
    #[must_use]
    pub fn in_memory() -> Self {
        Self {
            store: Arc::new(object_store::memory::InMemory::new()),
            folder: None,
            working: Working::default(),
        }
    }

    /// The name of the file that holds the store's id.
    pub const ID: &'static str = "store-id";

    /// Returns the id that distinguishes this file store; `None` if it has none yet.
    ///
    /// # Errors
    /// Fails if the store can't be read.
    pub async fn id(&self) -> Result<Option<String>, FilesError> {
        let Some(file) = found(self.store.get(&Path::from(Self::ID)).await)? else { return Ok(None) };
        Ok(Some(String::from_utf8_lossy(&file.bytes().await?).trim().to_owned()))
    }

    /// Sets the id of this file store, unless it has one; returns the id it has.
    ///
    /// # Errors
    /// Fails if the store can't be read or written.
    pub async fn set_id(&self, id: &str) -> Result<String, FilesError> {
        let text = format!("{id}\n").into();
        match self.store.put_opts(&Path::from(Self::ID), text, PutMode::Create.into()).await {
            Ok(_) | Err(object_store::Error::AlreadyExists { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(self.id().await?.unwrap_or_else(|| id.to_owned()))
    }

    /// Returns the path of a file in the folder of a local store.
    #[must_use]
    pub fn path(area: Area, key: &str) -> String {
        path(area, key).as_ref().to_owned()
    }

    /// Returns the location of the store, for messages.
    #[must_use]
    pub fn location(&self) -> String {
        self.folder.as_ref().map_or_else(|| "memory".to_owned(), |folder| folder.display().to_string())
    }

    /// Stores a file and replaces a file with the same key.
    ///
    /// # Errors
    /// Fails if the store can't be written.
    pub async fn put(&self, area: Area, key: &str, bytes: Bytes) -> Result<(), FilesError> {
        self.store.put(&path(area, key), bytes.into()).await?;
        Ok(())
    }

    /// Stores a long file piece by piece, from its beginning, and replaces a file with the same key.
    ///
    /// # Errors
    /// Fails if `content` can't be read or the store can't be written.
    pub async fn put_long(&self, area: Area, key: &str, content: Scratch) -> Result<(), FilesError> {
        let mut upload = self.store.put_multipart(&path(area, key)).await?;
        let put = put_pieces(&mut *upload, content).await;
        if put.is_err() {
            // The first error is more specific. The sweep removes what can't be aborted.
            let _ = upload.abort().await;
        }
        put
    }

    /// Returns the path of a stored file, unless the files are in memory.
    #[must_use]
    pub fn on_disk(&self, area: Area, key: &str) -> Option<PathBuf> {
        Some(self.folder.as_deref()?.join(path(area, key).as_ref()))
    }

    /// Returns the folder for scratch files, on the disk of a local store.
    #[must_use]
    pub fn scratch(&self) -> Option<PathBuf> {
        self.folder.as_deref().map(FilePath::to_owned)
    }

    /// Returns the bytes of a key that running programs of this process have in their private folders.
    #[must_use]
    pub fn working_bytes(&self, key_id: &str) -> u64 {
        self.working.of(key_id)
    }

    /// Returns what counts the bytes in private folders of a key.
    #[must_use]
    pub fn account(&self, key_id: &str) -> Account {
        self.working.account(key_id)
    }

    /// Opens a file, or a range of it; returns `None` if no such file exists.
    ///
    /// # Errors
    /// Fails if the store can't be read, or if the range lies outside of the file.
    pub async fn open(
        &self,
        area: Area,
        key: &str,
        range: Option<GetRange>,
    ) -> Result<Option<GetResult>, FilesError> {
        let options = GetOptions { range, ..GetOptions::default() };
        found(self.store.get_opts(&path(area, key), options).await)
    }

    /// Reads a whole file; returns `None` if no such file exists.
    ///
    /// # Errors
    /// Fails if the store can't be read.
    pub async fn read(&self, area: Area, key: &str) -> Result<Option<Bytes>, FilesError> {
        match self.open(area, key, None).await? {
            Some(file) => Ok(Some(file.bytes().await?)),
            None => Ok(None),
        }
    }

    /// Returns the size of a file in bytes; `None` if no such file exists.
    ///
    /// # Errors
    /// Fails if the store can't be read.
    pub async fn size(&self, area: Area, key: &str) -> Result<Option<u64>, FilesError> {
        Ok(found(self.store.head(&path(area, key)).await)?.map(|file| file.size))
    }

    /// Deletes a file if it exists.
    ///
    /// # Errors
    /// Fails if the store can't be written.
    pub async fn remove(&self, area: Area, key: &str) -> Result<(), FilesError> {
        found(self.store.delete(&path(area, key)).await).map(drop)
    }

    /// Deletes a folder of an area with all its files.
    ///
    /// # Errors
    /// Fails if the store can't be read or written.
    pub async fn remove_folder(&self, area: Area, folder: &str) -> Result<(), FilesError> {
        for file in self.list(area, folder).await? {
            self.remove(area, &file.key).await?;
        }
        Ok(())
    }

    /// Deletes files that a process began to write and never finished.
    ///
    /// Only a local store has such files: it writes beside a file and then renames. The method looks at one
    /// shard, or at the whole area without one. It deletes what was last changed before `before`, and returns
    /// the number of deleted files.
    ///
    /// # Errors
    /// Fails if a folder can't be read.
    pub async fn remove_unfinished(
        &self,
        area: Area,
        shard: Option<u8>,
        before: Millis,
    ) -> Result<usize, FilesError> {
        let Some(root) = &self.folder else { return Ok(0) };
        let mut folder = root.join(area.folder());
        folder.extend(shard.map(shard_folder));
        let shown = folder.display().to_string();
        let removed = tokio::task::spawn_blocking(move || unfinished::remove(&folder, before)).await;
        removed
            .unwrap_or_else(|panic| Err(panic.into()))
            .map_err(|source| FilesError::Folder { folder: shown, source })
    }

    /// Lists the folders of tasks in this shard.
    ///
    /// # Errors
    /// Fails if the store can't be read.
    pub async fn folders(&self, area: Area, shard: u8) -> Result<Vec<String>, FilesError> {
        let shard = Path::from(format!("{}/{}", area.folder(), shard_folder(shard)));
        let listed = self.store.list_with_delimiter(Some(&shard)).await?;
        let last = |folder: Path| folder.parts().next_back().map(|part| part.as_ref().to_owned());
        Ok(listed.common_prefixes.into_iter().filter_map(last).collect())
    }

    /// Returns the free bytes on the disk of a local store, if they are known.
    #[must_use]
    pub fn free_space(&self) -> Option<u64> {
        let disk = rustix::fs::statvfs(self.folder.as_deref()?).ok()?;
        Some(disk.f_bavail.saturating_mul(disk.f_frsize))
    }

    /// Lists the files of a folder.
    ///
    /// # Errors
    /// Fails if the store can't be read.
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

/// Returns `None` if no such file exists.
fn found<T>(result: object_store::Result<T>) -> Result<Option<T>, FilesError> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(object_store::Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The size of a piece of a long file. Each thread that reads one may keep its memory for the next.
const PIECE: usize = 256 * 1024;

async fn put_pieces(upload: &mut dyn MultipartUpload, mut content: Scratch) -> Result<(), FilesError> {
    content.rewind().map_err(FilesError::Scratch)?;
    loop {
        let mut from = content.clone();
        let read = move || {
            let mut piece = Vec::with_capacity(PIECE);
            from.by_ref().take(PIECE as u64).read_to_end(&mut piece).map(|_| piece)
        };
        let piece = tokio::task::spawn_blocking(read).await.unwrap_or_else(|panic| Err(panic.into()));
        let piece = piece.map_err(FilesError::Scratch)?;
        if piece.is_empty() {
            break;
        }
        upload.put_part(piece.into()).await?;
    }
    upload.complete().await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn files_are_stored_and_removed() -> Result<(), FilesError> {
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
        assert!(files.free_space().is_some());
        assert_eq!(Files::in_memory().free_space(), None);
        Ok(())
    }
}
