//! The temporary file of a download.

use std::{
    fs::{self, OpenOptions},
    io::{self, Seek as _, Write as _},
    path::{Path, PathBuf},
};

use bytes::Bytes;
use tokio::task::spawn_blocking;

use super::digest::{Check, Digest};

/// The number of bytes that are collected before they are written.
const BUFFERED: usize = 256 * 1024;

/// A temporary file in the folder of its target. It is removed when it is dropped, unless it has become the target.
pub(super) struct Partial {
    path: PathBuf,
    file: fs::File,
    /// The number of bytes so far.
    pub size: u64,
    /// The last bytes, which are not written yet.
    pieces: Vec<Bytes>,
    buffered: usize,
    /// Checks of the whole file.
    whole: Vec<Check>,
    /// Checks of the content of one response.
    content: Vec<Check>,
}

impl Partial {
    /// Creates the file with a name of its own.
    pub(super) async fn create(target: &Path) -> io::Result<Self> {
        let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let mut own = std::ffi::OsString::from(".");
        own.push(name);
        own.push(format!(".{:016x}.part", fastrand::u64(..)));
        let path = target.with_file_name(own);
        blocking(move || {
            let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
            let (pieces, whole, content) = Default::default();
            Ok(Self { path, file, size: 0, pieces, buffered: 0, whole, content })
        })
        .await
    }

    /// Empties the file, which is to have these digests.
    pub(super) async fn restart(mut self, expected: Vec<Digest>) -> io::Result<Self> {
        self.whole = expected.into_iter().map(Check::new).collect();
        self.pieces.clear();
        (self.size, self.buffered) = (0, 0);
        blocking(move || {
            self.file.set_len(0)?;
            self.file.rewind()?;
            Ok(self)
        })
        .await
    }

    /// Sets the digests of the content that follows.
    pub(super) fn expect(&mut self, content: Vec<Digest>) {
        self.content = content.into_iter().map(Check::new).collect();
    }

    /// Adds bytes to the end.
    pub(super) async fn add(mut self, piece: Bytes) -> io::Result<Self> {
        self.size = self.size.saturating_add(piece.len() as u64);
        self.buffered = self.buffered.saturating_add(piece.len());
        self.pieces.push(piece);
        if self.buffered < BUFFERED { Ok(self) } else { self.write().await }
    }

    /// Checks the content of a response, which is complete.
    pub(super) async fn check_content(self) -> io::Result<(Self, Result<bool, (Digest, Digest)>)> {
        let mut written = self.write().await?;
        let checks = std::mem::take(&mut written.content);
        Ok((written, finish(checks)))
    }

    /// Checks the whole file.
    pub(super) fn check_whole(&mut self) -> Result<bool, (Digest, Digest)> {
        finish(std::mem::take(&mut self.whole))
    }

    /// Renames the file, which replaces the target.
    pub(super) async fn rename(self, target: PathBuf) -> io::Result<()> {
        // The path is gone afterwards, so that dropping removes nothing.
        blocking(move || fs::rename(&self.path, target)).await
    }

    async fn write(mut self) -> io::Result<Self> {
        self.buffered = 0;
        blocking(move || {
            for piece in std::mem::take(&mut self.pieces) {
                self.whole.iter_mut().chain(&mut self.content).for_each(|check| check.update(&piece));
                self.file.write_all(&piece)?;
            }
            Ok(self)
        })
        .await
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // Nothing can be done about a file that can't be removed.
        let _removed = fs::remove_file(&self.path);
    }
}

/// Returns whether there was a check, and the digests of the first one that failed.
fn finish(checks: Vec<Check>) -> Result<bool, (Digest, Digest)> {
    let has_checks = !checks.is_empty();
    checks.into_iter().try_for_each(Check::finish).map(|()| has_checks)
}

/// Runs a function that waits for the disk.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}
