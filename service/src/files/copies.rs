//! Operations that copies of a store need. They take paths instead of areas and keys.

use object_store::ObjectStoreExt as _;
use object_store::path::Path;

use super::error::found;
use super::{Files, FilesError};

impl Files {
    /// Returns whether a file with this [path](Self::path) exists.
    ///
    /// # Errors
    /// Fails if the store can't be read.
    pub async fn has(&self, path: &str) -> Result<bool, FilesError> {
        Ok(found(self.store.head(&Path::from(path)).await)?.is_some())
    }

    /// Copies a file from another prefix of this bucket, without reading it; returns `false` if no such file exists.
    ///
    /// In another bucket, the file must be there already: this only checks it.
    ///
    /// # Errors
    /// Fails if the bucket can't be read or written.
    pub async fn copy_from(&self, url: &str, path: &str) -> Result<bool, FilesError> {
        match self.bucket.as_deref() {
            Some(bucket) => bucket.copy_from(url, &Path::from(path)).await,
            None => self.has(path).await,
        }
    }

    /// Replaces the id of this file store.
    ///
    /// # Errors
    /// Fails if the store can't be written.
    pub async fn replace_id(&self, id: &str) -> Result<(), FilesError> {
        self.store.put(&Path::from(Self::ID), format!("{id}\n").into()).await?;
        Ok(())
    }
}
