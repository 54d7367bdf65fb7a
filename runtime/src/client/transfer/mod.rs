//! Files of this machine: downloads to them, and uploads from them (feature `file-transfer`).
//!
//! - `run`: the loop of a download: requests, resumptions, checks;
//! - `head`: what the head of a response says about its part of the file;
//! - `digest`: digests of the file and of parts of it;
//! - `partial`: the temporary file;
//! - `read`: `File::read` and `ByteStream::open`.

mod digest;
mod error;
mod head;
mod partial;
mod read;
mod run;

use std::{
    fmt,
    future::{Future, IntoFuture},
    path::PathBuf,
    pin::Pin,
};

use http::HeaderMap;
use reqwest::Url;

pub use self::error::DownloadError;
use self::{
    digest::Digest,
    run::{Job, Stop},
};
use super::url::{is_http, join};
use super::{
    Call, Client, EncodeError, Error, ErrorKind, Pending, Reading, pending::Origin, response::content_type,
};
use crate::{
    table::{Content, ContentFormat, Operation, Response, Schema},
    types::{ByteStream, NoError},
};

static BYTES: [Content; 1] = [Content::new("*/*", ContentFormat::Bytes, &Schema::ANY)];
static OK: [Response; 1] = [Response::class(2).contents(&BYTES)];

/// The operation of a request for a URL that is not one of the document's. Its errors don't show the URL.
pub(super) static FETCH: Operation = Operation::new("fetch", "", "GET", "{url}").responses(&OK);

impl Client {
    /// Creates a call that gets the content of a URL, such as the result of a task.
    ///
    /// The request has no credentials. On another server than the client's it has none of the client's
    /// headers either, apart from `User-Agent`, and the `before_attempt` hooks don't see it. The call's own
    /// headers are always sent.
    ///
    /// A relative URL is relative to the client's base URL: `/files/7` is a path of its server.
    ///
    /// Awaited, the call returns the content as a stream. [`download`](Call::download) writes it to a file.
    pub fn fetch(&self, url: impl AsRef<str>) -> Call<ByteStream, NoError> {
        let text = url.as_ref();
        let url = join(self.base_url(), text).ok().filter(|url| is_http(url) && !text.is_empty());
        Call::new(Pending::fetch(self, url), super::call::Typed)
    }
}

impl Pending {
    /// Returns a request for a URL without credentials, or one that fails if there is none.
    fn fetch(client: &Client, url: Option<Url>) -> Box<Self> {
        let mut pending = Self::new(client, &FETCH, &());
        let own = client.base_url().and_then(|base| Url::parse(base).ok());
        match url {
            Some(url) => {
                let is_own = own.is_some_and(|own| own.origin() == url.origin());
                pending.origin = if is_own { Origin::Own } else { Origin::Other };
                pending.url = Some(url);
            }
            None => {
                let Operation { method, path, .. } = FETCH;
                pending.request = Err(ErrorKind::Encode(EncodeError::Target { method, path }));
            }
        }
        pending
    }
}

/// The download of a response to a file, which has not begun yet. Await it.
///
/// The body is written as it is sent to a temporary file in the folder of the target, which is renamed at
/// the end. An existing target is replaced then. After an error, and if the future is dropped, the
/// temporary file is removed and the target is as before.
///
/// A `GET` whose body is cut off is resumed where it ended, if the response has a strong `ETag` or a
/// `Last-Modified` at least 60 s before its `Date`. If the file has changed meanwhile, or if the server does
/// not support ranges, the download starts again.
#[must_use = "nothing is sent until this is awaited"]
pub struct Download<T, E, R> {
    call: Call<T, E, R>,
    options: Options,
}

struct Options {
    path: PathBuf,
    limit: u64,
    resumptions: u32,
    expected: Option<Digest>,
    on_progress: Option<Box<dyn FnMut(Progress) + Send>>,
}

/// The state of a download.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The number of bytes that the file has so far. It falls to 0 if the download starts again.
    pub received: u64,
    /// The number of bytes of the whole file, if the server says it.
    pub total: Option<u64>,
}

/// A finished download.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Downloaded {
    /// The file. It has the body as it was sent: if `headers` have a `Content-Encoding`, it is still encoded.
    pub path: PathBuf,
    /// The number of bytes.
    pub size: u64,
    /// Whether the content has a digest that was given by the caller or the server.
    ///
    /// The client reads SHA-256 and SHA-512 in `Repr-Digest` and `Content-Digest`.
    pub is_verified: bool,
    /// The number of requests after the first one, because the body was cut off or the file had changed.
    pub resumptions: u32,
    /// The headers of the last response.
    pub headers: HeaderMap,
}

impl Downloaded {
    /// Returns the value of `Content-Type`, or an empty string.
    #[must_use]
    pub fn content_type(&self) -> &str {
        content_type(&self.headers)
    }
}

impl<T, E: fmt::Debug, R: Reading<T, E>> Call<T, E, R> {
    /// Writes the body of the response to a file. Await the result, or first set options on it.
    ///
    /// Options of the call apply. `timeout` covers the time to the head of each response, and then from
    /// each piece to the next; `deadline` the whole download. A redirect to another server is followed,
    /// without credentials and headers of the client.
    pub fn download(self, path: impl Into<PathBuf>) -> Download<T, E, R> {
        let path = path.into();
        let options = Options { path, limit: u64::MAX, resumptions: 10, expected: None, on_progress: None };
        Download { call: self, options }
    }
}

impl<T, E, R> Download<T, E, R> {
    /// Sets the maximum size of the file, in bytes. The default is no limit.
    pub fn limit(mut self, bytes: u64) -> Self {
        self.options.limit = bytes;
        self
    }

    /// Sets how many times the download may be resumed or restarted. The default is 10.
    ///
    /// Each time counts as a retry in the client's [`RetryBudget`](super::RetryBudget).
    pub fn resumptions(mut self, max: u32) -> Self {
        self.options.resumptions = max;
        self
    }

    /// Sets the SHA-256 digest that the file must have.
    pub fn sha256(mut self, digest: [u8; 32]) -> Self {
        self.options.expected = Some(Digest::sha256(digest));
        self
    }

    /// Sets a function that is called after each piece of the body.
    pub fn on_progress(mut self, report: impl FnMut(Progress) + Send + 'static) -> Self {
        self.options.on_progress = Some(Box::new(report));
        self
    }
}

impl<T, E: fmt::Debug, R: Reading<T, E>> Download<T, E, R> {
    /// Downloads the file.
    ///
    /// # Errors
    /// Returns an error unless the target has the complete content.
    pub async fn send(self) -> Result<Downloaded, DownloadError<E>> {
        let Self { call: Call { pending, reading, .. }, options } = self;
        let (operation, path) = (pending.operation, options.path.clone());
        Job::new(pending, options).run().await.map_err(|stop| match stop {
            Stop::Download(error) => error.widen(),
            Stop::Disk(error) => DownloadError::File { path, error },
            Stop::Refused(raw) => DownloadError::Call(match reading.read(operation, (*raw).clone().into()) {
                Err(error) => error,
                Ok(_) => Error::unexpected(operation, *raw),
            }),
        })
    }
}

impl<T, E, R> IntoFuture for Download<T, E, R>
where
    T: 'static,
    E: fmt::Debug + 'static,
    R: Reading<T, E> + 'static,
{
    type Output = Result<Downloaded, DownloadError<E>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

impl<T, E, R> fmt::Debug for Download<T, E, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Download")
            .field("call", &self.call)
            .field("path", &self.options.path)
            .field("limit", &self.options.limit)
            .field("resumptions", &self.options.resumptions)
            .finish_non_exhaustive()
    }
}
