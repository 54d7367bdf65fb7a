//! Uploads from files of this machine.

use std::{
    fs,
    io::Read as _,
    path::Path,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_core::Stream;
use tokio::{
    sync::mpsc::{Receiver, Sender, channel},
    task::spawn_blocking,
};

use super::partial::blocking;
use crate::types::{ByteStream, File};

/// The number of bytes of a piece, and of pieces that are read ahead.
const PIECE: usize = 64 * 1024;
const AHEAD: usize = 2;

impl File {
    /// Reads a file into memory (feature `file-transfer`).
    ///
    /// It has the name of the file, and the media type that belongs to the extension of the name, if that
    /// is a common one. The whole file is held in memory; [`ByteStream::open`] reads a request body while
    /// it is sent.
    ///
    /// # Errors
    /// Returns an error if the file can't be read.
    pub async fn read(path: impl AsRef<Path>) -> std::io::Result<Self> {
        let path = path.as_ref().to_owned();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let content_type = path.extension().and_then(|text| media_type(text.to_str()?)).map(str::to_owned);
        let data = blocking(move || fs::read(path)).await?.into();
        Ok(Self { file_name: name, content_type, data })
    }
}

impl ByteStream {
    /// Opens a file, which is read while the body is sent (feature `file-transfer`).
    ///
    /// A call with such a body is not retried. Sending fails if the size of the file changes meanwhile.
    ///
    /// # Errors
    /// Returns an error if the file can't be opened.
    pub async fn open(path: impl AsRef<Path>) -> std::io::Result<Self> {
        let path = path.as_ref().to_owned();
        let (file, size) = blocking(move || {
            let file = fs::File::open(path)?;
            let size = file.metadata()?.len();
            Ok((file, size))
        })
        .await?;
        let (sender, receiver) = channel(AHEAD);
        spawn_blocking(move || read(file, &sender));
        Ok(Self::new(Pieces(receiver)).with_length(size))
    }
}

/// Reads a file until its end, or until nobody wants more of it.
fn read(mut file: fs::File, sender: &Sender<std::io::Result<Bytes>>) {
    loop {
        let mut piece = Vec::with_capacity(PIECE);
        let read = (&mut file).take(PIECE as u64).read_to_end(&mut piece);
        let is_last = !matches!(read, Ok(1..));
        let next = read.map(|_| Bytes::from(piece));
        if matches!(&next, Ok(piece) if piece.is_empty()) || sender.blocking_send(next).is_err() || is_last {
            return;
        }
    }
}

struct Pieces(Receiver<std::io::Result<Bytes>>);

impl Stream for Pieces {
    type Item = std::io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
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
