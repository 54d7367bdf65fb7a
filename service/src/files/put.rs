//! Writes files: at once, or piece by piece.

use std::io::{Read as _, Seek as _};

use asset_engines::Scratch;
use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::{Attributes, MultipartUpload, ObjectStore as _, PutMultipartOptions, PutOptions};

use super::key::path;
use super::{Area, Files, FilesError, bucket};

/// The size of a piece of a long file on disk. Each thread that reads one may keep its memory for the next.
const PIECE: usize = 256 * 1024;

/// An upload that is aborted unless it is complete, even if the task that writes it is dropped.
struct Upload(Option<Box<dyn MultipartUpload>>);

impl Files {
    /// Stores a file and replaces a file with the same key.
    ///
    /// # Errors
    /// Fails if the store can't be written.
    pub async fn put(&self, area: Area, key: &str, mut bytes: Bytes) -> Result<(), FilesError> {
        if self.bucket.is_some() && bytes.len() > bucket::PART {
            let pieces = std::iter::from_fn(move || {
                (!bytes.is_empty()).then(|| Ok(bytes.split_to(bucket::PART.min(bytes.len()))))
            });
            return self.put_pieces(area, key, stream::iter(pieces).boxed()).await;
        }
        let options = PutOptions { attributes: self.attributes(key), ..PutOptions::default() };
        self.store.put_opts(&path(area, key), bytes.into(), options).await?;
        Ok(())
    }

    /// Stores a long file piece by piece, from its beginning, and replaces a file with the same key.
    ///
    /// # Errors
    /// Fails if `content` can't be read or the store can't be written.
    pub async fn put_long(&self, area: Area, key: &str, mut content: Scratch) -> Result<(), FilesError> {
        let size = if self.bucket.is_some() { bucket::PART } else { PIECE };
        let length = content.length().map_err(FilesError::Scratch)?;
        content.rewind().map_err(FilesError::Scratch)?;
        // A bucket has a price per request, and an upload in parts needs at least three.
        if self.bucket.is_some() && length <= size as u64 {
            return self.put(area, key, piece(content, size).await?).await;
        }
        let pieces = stream::try_unfold(content, move |content| async move {
            let piece = piece(content.clone(), size).await?;
            Ok((!piece.is_empty()).then_some((piece, content)))
        });
        self.put_pieces(area, key, pieces.boxed()).await
    }

    async fn put_pieces(
        &self,
        area: Area,
        key: &str,
        mut pieces: BoxStream<'_, Result<Bytes, FilesError>>,
    ) -> Result<(), FilesError> {
        let options =
            PutMultipartOptions { attributes: self.attributes(key), ..PutMultipartOptions::default() };
        let mut held = Upload(None);
        let upload = held.0.insert(self.store.put_multipart_opts(&path(area, key), options).await?);
        while let Some(piece) = pieces.try_next().await? {
            upload.put_part(piece.into()).await?;
        }
        upload.complete().await?;
        held.0 = None;
        Ok(())
    }

    /// Returns the headers that a bucket itself sends to clients. A folder keeps no attributes.
    fn attributes(&self, key: &str) -> Attributes {
        self.bucket.as_ref().map_or_else(Attributes::default, |_| bucket::attributes(key))
    }
}

/// Reads the next piece of at most this size; an empty one is the end.
async fn piece(content: Scratch, size: usize) -> Result<Bytes, FilesError> {
    let read = move || {
        let mut piece = Vec::with_capacity(size);
        content.take(size as u64).read_to_end(&mut piece).map(|_| piece)
    };
    let piece = tokio::task::spawn_blocking(read).await.unwrap_or_else(|panic| Err(panic.into()));
    piece.map(Bytes::from).map_err(FilesError::Scratch)
}

/// Aborts the upload in the background.
impl Drop for Upload {
    fn drop(&mut self) {
        let runtime = tokio::runtime::Handle::try_current();
        if let (Some(mut upload), Ok(runtime)) = (self.0.take(), runtime) {
            // The first error is more specific. If this fails, a lifecycle rule of the bucket or the sweep removes the parts.
            runtime.spawn(async move { upload.abort().await });
        }
    }
}
