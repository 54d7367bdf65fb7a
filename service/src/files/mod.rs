//! The file store: media from clients, results of engines, and catalogue files.
//!
//! A stored file never changes. Results lie in the folder of their task, which has a random name. Their names
//! begin with the number of the attempt, so that a worker that has lost its lease can't overwrite what a
//! client sees.
//!
//! The folders of tasks are spread over [`SHARDS`] shards of their area, by the first two digits of their
//! names. No folder on disk thus holds millions of entries, and a walk over all of them can handle one shard
//! at a time.
//!
//! The files are in a folder or in a bucket. Both have the same names, so a copy of the one serves as the other.

use std::fmt;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, GetResult, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode};
use url::Url;

use crate::private;
use crate::time::Millis;
use bucket::Bucket;
use error::found;
use key::{path, shard_folder};
use working::Working;

mod bucket;
mod copies;
mod error;
mod key;
mod media_type;
mod put;
mod unfinished;
mod urls;
mod working;

pub use bucket::{BUCKET, REDIRECT_SECONDS, bucket_url};
pub use error::FilesError;
pub use key::{Area, SHARDS, attempt_of, is_name, random_folder, result_key};
pub use media_type::media_type;
pub use urls::FileUrls;
pub use working::{Account, Held};

/// A stored file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The key.
    pub key: String,
    /// The time at which it was stored.
    pub put_at: Millis,
}

/// The file store; clones share it.
#[derive(Clone)]
pub struct Files {
    store: Arc<dyn ObjectStore>,
    /// The folder of a local store.
    folder: Option<Arc<FilePath>>,
    bucket: Option<Arc<Bucket>>,
    scratch: Option<Arc<FilePath>>,
    working: Working,
}

/// Shows no credentials, which the inner store of a bucket has.
impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Files").field(&self.location()).finish()
    }
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
        let folder: Arc<FilePath> = folder.into();
        Ok(Self { scratch: Some(Arc::clone(&folder)), folder: Some(folder), ..Self::of(Arc::new(store)) })
    }

    /// Opens a store in a bucket, with the credentials of this environment and a folder for scratch files.
    ///
    /// `redirects` says whether clients read files from the bucket, by signed URLs.
    ///
    /// # Errors
    /// Fails if the environment has an invalid value. The bucket is not accessed.
    pub fn in_bucket(
        (url, prefix): (Url, Path),
        redirects: bool,
        environment: impl IntoIterator<Item = (String, String)>,
        scratch: &FilePath,
    ) -> Result<Self, FilesError> {
        let (store, bucket) = bucket::open(&url, prefix, redirects, environment)?;
        Ok(Self { bucket: Some(Arc::new(bucket)), scratch: Some(scratch.into()), ..Self::of(store) })
    }

    /// Creates a store in memory, for tests.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::of(Arc::new(object_store::memory::InMemory::new()))
    }

    fn of(store: Arc<dyn ObjectStore>) -> Self {
        Self { store, folder: None, bucket: None, scratch: None, working: Working::default() }
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
        let (name, text) = (Path::from(Self::ID), Bytes::from(format!("{id}\n")));
        let mut attempts = 1;
        loop {
            match self.store.put_opts(&name, text.clone().into(), PutMode::Create.into()).await {
                Ok(_) => return Ok(id.to_owned()),
                // A bucket also refuses while another process writes the id.
                Err(object_store::Error::AlreadyExists { .. }) if attempts < ID_ATTEMPTS => {}
                Err(error) => return Err(error.into()),
            }
            if let Some(id) = self.id().await? {
                return Ok(id);
            }
            attempts += 1;
            tokio::time::sleep(ID_RETRY).await;
        }
    }

    /// Returns the path of a file in the store, relative to its folder or prefix.
    #[must_use]
    pub fn path(area: Area, key: &str) -> String {
        path(area, key).as_ref().to_owned()
    }

    /// Returns the location of the store, for messages.
    #[must_use]
    pub fn location(&self) -> String {
        match (&self.folder, &self.bucket) {
            (Some(folder), _) => folder.display().to_string(),
            (None, Some(bucket)) => bucket.url.clone(),
            (None, None) => "memory".to_owned(),
        }
    }

    /// Returns the folder of a local store.
    #[must_use]
    pub fn folder(&self) -> Option<&FilePath> {
        self.folder.as_deref()
    }

    /// Returns whether the files are in a bucket.
    #[must_use]
    pub const fn is_in_bucket(&self) -> bool {
        self.bucket.is_some()
    }

    /// Returns the path of a file in a local store.
    #[must_use]
    pub fn on_disk(&self, area: Area, key: &str) -> Option<PathBuf> {
        Some(self.folder.as_deref()?.join(path(area, key).as_ref()))
    }

    /// Returns the folder for scratch files, on the disk of a local store.
    #[must_use]
    pub fn scratch(&self) -> Option<PathBuf> {
        self.scratch.as_deref().map(FilePath::to_owned)
    }

    /// Returns a URL of the bucket with which a client can read a file, if clients are redirected.
    ///
    /// # Errors
    /// Fails if the URL can't be signed.
    pub async fn redirect(&self, area: Area, key: &str) -> Result<Option<String>, FilesError> {
        match &self.bucket {
            Some(bucket) => bucket.redirect(&path(area, key)).await,
            None => Ok(None),
        }
    }

    /// Returns the bytes of a key that running programs of this process have in their private folders.
    #[must_use]
    pub fn working_bytes(&self, key_id: &str) -> u64 {
        self.working.of(key_id)
    }

    /// Returns the account that counts a key's bytes in private folders.
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

    /// Deletes files, those that exist.
    ///
    /// # Errors
    /// Fails if the store can't be written.
    pub async fn remove_all(&self, area: Area, keys: Vec<String>) -> Result<(), FilesError> {
        let paths = stream::iter(keys).map(move |key| Ok(path(area, &key)));
        let mut removed = self.store.delete_stream(paths.boxed());
        while let Some(removed) = removed.next().await {
            found(removed)?;
        }
        Ok(())
    }

    /// Deletes a folder of an area with all its files.
    ///
    /// # Errors
    /// Fails if the store can't be read or written.
    pub async fn remove_folder(&self, area: Area, folder: &str) -> Result<(), FilesError> {
        let files = self.list(area, folder).await?;
        self.remove_all(area, files.into_iter().map(|file| file.key).collect()).await
    }

    /// Deletes files that a process began to write and never finished.
    ///
    /// Only a local store has such files: it writes a temporary file and then renames it. The method looks at one
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

    /// Lists the files of tasks in this shard, in pages.
    ///
    /// Each page is as recent as the time at which it is returned.
    pub fn shard(&self, area: Area, shard: u8) -> BoxStream<'static, Result<Vec<Listed>, FilesError>> {
        let files = self.listed(Path::from(format!("{}/{}", area.folder(), shard_folder(shard))), "");
        files.try_chunks(PAGE).map_err(|error| FilesError::from(error.1)).boxed()
    }

    /// Returns the free bytes on the disk of scratch files, and of a local store, if they are known.
    #[must_use]
    pub fn free_space(&self) -> Option<u64> {
        let disk = rustix::fs::statvfs(self.scratch.as_deref()?).ok()?;
        Some(disk.f_bavail.saturating_mul(disk.f_frsize))
    }

    /// Lists the files of a folder.
    ///
    /// # Errors
    /// Fails if the store can't be read.
    pub async fn list(&self, area: Area, folder: &str) -> Result<Vec<Listed>, FilesError> {
        Ok(self.listed(path(area, folder), folder).try_collect().await?)
    }

    /// Lists the files below a path, whose keys begin with this prefix instead.
    fn listed(&self, below: Path, prefix: &str) -> BoxStream<'static, object_store::Result<Listed>> {
        let (files, prefix) = (self.store.list(Some(&below)), prefix.to_owned());
        let listed = move |file: ObjectMeta| {
            let key = file.location.as_ref().strip_prefix(below.as_ref()).unwrap_or_default();
            let key = format!("{prefix}{key}").trim_start_matches('/').to_owned();
            Listed { key, put_at: file.last_modified.timestamp_millis() }
        };
        files.map_ok(listed).boxed()
    }
}

/// How many times a process attempts to set the id of a store, and the time between two attempts.
const ID_ATTEMPTS: u32 = 20;
const ID_RETRY: Duration = Duration::from_millis(100);

/// The number of files in a page of a list, as in S3.
const PAGE: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_local_store_has_a_disk() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let files = Files::local(folder.path())?;
        files.put(Area::Results, "ab12/1-0.png", Bytes::from_static(b"picture")).await?;
        assert!(folder.path().join("results/ab/ab12/1-0.png").is_file());
        assert_eq!(files.list(Area::Results, "ab12").await?.len(), 1);
        std::fs::write(folder.path().join("results/ab/ab12/2-0.png#1"), "half")?;
        assert_eq!(files.remove_unfinished(Area::Results, Some(0xac), Millis::MAX).await?, 0);
        assert_eq!(files.remove_unfinished(Area::Results, Some(0xab), Millis::MAX).await?, 1);
        assert!(files.free_space().is_some());
        assert_eq!(Files::in_memory().free_space(), None);
        Ok(())
    }
}
