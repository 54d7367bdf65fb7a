//! Uploads from files of this machine.

use std::{
    fs,
    io::{self, Read as _},
    path::Path,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use futures_core::Stream;
use tokio::{runtime::Handle, task::JoinHandle};

use super::partial::blocking;
use crate::types::{ByteStream, File};

/// The number of bytes of a piece.
const PIECE: u64 = 64 * 1024;

impl File {
    /// Reads a file into memory (feature `file-transfer`).
    ///
    /// It has the name of the file, and the media type that belongs to the extension of the name, if that
    /// is a common one. The whole file is held in memory; [`ByteStream::open`] reads a request body while
    /// it is sent.
    ///
    /// # Errors
    /// Returns an error if the path can't be read, or is not a regular file: a pipe or a device can block forever, or have
    /// no end.
    pub async fn read(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref().to_owned();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let content_type = path.extension().and_then(|text| media_type(text.to_str()?)).map(str::to_owned);
        let mut data = Vec::new();
        let data = blocking(move || open(&path)?.0.read_to_end(&mut data).map(|_| data)).await?;
        Ok(Self { file_name: name, content_type, data: data.into() })
    }
}

impl ByteStream {
    /// Opens a file, which is read while the body is sent (feature `file-transfer`).
    ///
    /// A call with such a body is not retried. Sending fails if the size of the file changes meanwhile.
    ///
    /// # Errors
    /// Returns an error if the path can't be opened, or is not a regular file: see [`File::read`].
    pub async fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref().to_owned();
        let (file, size) = blocking(move || open(&path)).await?;
        let source = Source { file, left: size, runtime: Handle::current() };
        Ok(Self::new(Pieces(Some(source.read()))).with_length(size))
    }
}

/// Opens a regular file, and returns its size.
fn open(path: &Path) -> io::Result<(fs::File, u64)> {
    let size = |data: fs::Metadata| {
        let error = || io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
        data.is_file().then_some(data.len()).ok_or_else(error)
    };
    // Opening a pipe waits for its other end.
    size(fs::metadata(path)?)?;
    let file = fs::File::open(path)?;
    let size = size(file.metadata()?)?;
    Ok((file, size))
}

/// A file that is read piece by piece.
struct Source {
    file: fs::File,
    left: u64,
    runtime: Handle,
}

/// The reading of a piece, on a thread that is free afterwards, however long the piece takes to be sent.
type Reading = JoinHandle<io::Result<(Source, Bytes)>>;

impl Source {
    fn read(mut self) -> Reading {
        let runtime = self.runtime.clone();
        runtime.spawn_blocking(move || {
            let size = self.left.min(PIECE);
            // One byte more than the last piece has shows that the file has grown.
            let most = if size == self.left { size + 1 } else { size };
            let mut piece = Vec::with_capacity(usize::try_from(most).unwrap_or_default());
            let read = (&mut self.file).take(most).read_to_end(&mut piece)?;
            if read as u64 != size {
                return Err(io::Error::other("the size of the file has changed while it was read"));
            }
            self.left -= size;
            Ok((self, piece.into()))
        })
    }
}

/// The pieces of a file. One is read ahead.
struct Pieces(Option<Reading>);

impl Stream for Pieces {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(reading) = &mut self.0 else { return Poll::Ready(None) };
        let read =
            ready!(Pin::new(reading).poll(context)).unwrap_or_else(|error| Err(io::Error::other(error)));
        self.0 = None;
        let (source, piece) = match read {
            Ok(read) => read,
            Err(error) => return Poll::Ready(Some(Err(error))),
        };
        if source.left > 0 {
            self.0 = Some(source.read());
        }
        Poll::Ready((!piece.is_empty()).then_some(Ok(piece)))
    }
}

/// Returns the media type that belongs to the extension of a file name.
fn media_type(extension: &str) -> Option<&'static str> {
    Some(match extension.to_ascii_lowercase().as_str() {
        "avif" => "image/avif",
        "gif" => "image/gif",
        "jpg" | "jpeg" => "image/jpeg",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "webp" => "image/webp",
        "flac" => "audio/flac",
        "m4a" => "audio/mp4",
        "mp3" => "audio/mpeg",
        "ogg" => "audio/ogg",
        "wav" => "audio/wav",
        "mov" => "video/quicktime",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        "csv" => "text/csv",
        "html" => "text/html",
        "txt" => "text/plain",
        "json" => "application/json",
        "pdf" => "application/pdf",
        "xml" => "application/xml",
        "zip" => "application/zip",
        _ => return None,
    })
}
