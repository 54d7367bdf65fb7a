//! Downloads media from user-supplied URLs.
//!
//! Size, time and redirects are limited.

use std::time::Duration;

use bytes::Bytes;
use reqwest::Response;
use reqwest::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderMap, LOCATION};
use tokio::time::{Instant, timeout_at};
use url::{Origin, Url};

use super::failure;
use super::guard::{Policy, Target, UrlRefused};
use super::resolve::{AddressRefused, Guard};

/// The maximum number of redirects.
pub const MAX_REDIRECTS: usize = 3;

/// The limits of a download.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum size of the body, in bytes.
    pub bytes: usize,
    /// The time limit of the whole download, redirects included.
    pub deadline: Duration,
}

/// Why a download failed.
///
/// Users see the text. It is the same for all failures before a response, so that it reveals nothing about
/// hosts that only this machine can reach. The log has the details ([`Self::for_operator`]).
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The URL or a redirect's target is refused by its text.
    #[error("The file could not be fetched: its URL and the target of each redirect {0}.")]
    Url(#[from] UrlRefused),
    /// The host name resolves to a refused address.
    #[error("{NO_RESPONSE}")]
    Address,
    /// The connection failed, or the response is malformed or incomplete.
    #[error("{NO_RESPONSE}")]
    Unreachable(&'static str),
    /// The download exceeded its time limit.
    #[error("{NO_RESPONSE}")]
    Deadline,
    /// There were too many redirects, or one without a valid target.
    #[error(
        "The file could not be fetched: its URL redirects more than {MAX_REDIRECTS} times, or without a valid target."
    )]
    Redirects,
    /// A redirect leaves the origin that the fetcher is bound to.
    #[error("The file could not be fetched: its URL redirects to another server.")]
    Elsewhere(Url),
    /// The server responded with a status other than 200.
    #[error("The file could not be fetched: the server responded with status {0}.")]
    Status(u16),
    /// The response is compressed although the request asked for no compression.
    #[error("The file could not be fetched: the server sent it with a content encoding.")]
    Encoded,
    /// The file exceeds the size limit.
    #[error("The file is larger than {limit} bytes.")]
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
}

const NO_RESPONSE: &str =
    "The file could not be fetched: its server can't be reached or sent no complete response in time.";

impl FetchError {
    /// Returns the task's `error.code`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "media_too_large",
            _ => "fetch_failed",
        }
    }

    /// Returns whether a later attempt may succeed.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        match self {
            // An address is as temporary as a dead host: a task that ended sooner would reveal inner names.
            Self::Address | Self::Unreachable(_) | Self::Deadline => true,
            Self::Status(status) => matches!(status, 408 | 425 | 429 | 500..),
            Self::Url(_) | Self::Redirects | Self::Elsewhere(_) | Self::Encoded | Self::TooLarge { .. } => {
                false
            }
        }
    }

    fn of_request(error: reqwest::Error) -> Self {
        if AddressRefused::caused(&error) {
            return Self::Address;
        }
        Self::Unreachable(failure::cause(&error))
    }

    /// Returns the reason for the log, with details that clients may not see.
    #[must_use]
    pub fn for_operator(&self) -> String {
        match self {
            Self::Unreachable(why) => (*why).to_owned(),
            Self::Address => AddressRefused.to_string(),
            Self::Deadline => "no complete response in time".to_owned(),
            _ => self.to_string(),
        }
    }
}

/// Downloads files within the guard's policy.
#[derive(Debug, Clone)]
pub struct Fetcher {
    guard: Guard,
    client: reqwest::Client,
    origin: Option<Origin>,
}

impl Fetcher {
    /// Creates a fetcher for the URLs that this guard allows.
    ///
    /// # Errors
    /// TLS can't be set up.
    pub fn new(guard: Guard) -> reqwest::Result<Self> {
        Ok(Self { client: guard.client()?, guard, origin: None })
    }

    /// Makes a redirect away from this origin an error, [`FetchError::Elsewhere`].
    #[must_use]
    pub fn within(self, origin: Origin) -> Self {
        Self { origin: Some(origin), ..self }
    }

    /// Downloads a file.
    ///
    /// # Errors
    /// Returns why the download failed.
    pub async fn fetch(&self, url: &str, limits: Limits) -> Result<Bytes, FetchError> {
        let mut download = self.open(url, limits).await?;
        // The announced length may be wrong, so it reserves at most 1 MiB.
        let mut body = Vec::with_capacity(download.announced.unwrap_or_default().min(1 << 20));
        while let Some(chunk) = download.chunk().await? {
            body.extend_from_slice(&chunk);
        }
        Ok(body.into())
    }

    /// Begins to download a file.
    ///
    /// # Errors
    /// Returns why there is no response with a file within the limits.
    pub async fn open(&self, url: &str, limits: Limits) -> Result<Download, FetchError> {
        let until = Instant::now() + limits.deadline;
        let target = self.guard.policy().check_url(url)?;
        let response = timeout_at(until, self.follow(target)).await.unwrap_or(Err(FetchError::Deadline))?;
        Download::new(response, limits.bytes, until)
    }

    /// Follows redirects and returns the final response.
    async fn follow(&self, mut target: Target) -> Result<Response, FetchError> {
        for _ in 0..=MAX_REDIRECTS {
            let request = self.client.get(target.url().clone()).header(ACCEPT_ENCODING, "identity");
            let response = request.send().await.map_err(FetchError::of_request)?;
            match response.status().as_u16() {
                200 => return Ok(response),
                301 | 302 | 303 | 307 | 308 => {
                    target = redirect(self.guard.policy(), &target, response.headers())?;
                    if self.origin.as_ref().is_some_and(|origin| *origin != target.url().origin()) {
                        return Err(FetchError::Elsewhere(target.url().clone()));
                    }
                }
                status => return Err(FetchError::Status(status)),
            }
        }
        Err(FetchError::Redirects)
    }
}

/// Returns the target of a redirect. A redirect from https to http is refused.
fn redirect(policy: &Policy, from: &Target, headers: &HeaderMap) -> Result<Target, FetchError> {
    let location =
        headers.get(LOCATION).and_then(|location| location.to_str().ok()).ok_or(FetchError::Redirects)?;
    let url = from.url().join(location).map_err(|_| FetchError::Redirects)?;
    if from.url().scheme() == "https" && url.scheme() != "https" {
        return Err(UrlRefused::Scheme.into());
    }
    Ok(policy.check_url(url.as_str())?)
}

/// A file that is being downloaded, within its limits.
#[derive(Debug)]
pub struct Download {
    response: Response,
    announced: Option<usize>,
    limit: usize,
    received: usize,
    until: Instant,
}

impl Download {
    fn new(response: Response, limit: usize, until: Instant) -> Result<Self, FetchError> {
        // A small compressed body can expand to a huge file.
        if response.headers().get(CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
            return Err(FetchError::Encoded);
        }
        let announced = response.content_length().map(|length| usize::try_from(length).unwrap_or(usize::MAX));
        if announced.is_some_and(|length| length > limit) {
            return Err(FetchError::TooLarge { limit });
        }
        Ok(Self { response, announced, limit, received: 0, until })
    }

    /// Returns the next part of the file, or `None` at its end.
    ///
    /// # Errors
    /// The connection breaks, or the file exceeds its limits.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, FetchError> {
        let chunk = timeout_at(self.until, self.response.chunk()).await.map_err(|_| FetchError::Deadline)?;
        let chunk = chunk.map_err(FetchError::of_request)?;
        self.received = self.received.saturating_add(chunk.as_ref().map_or(0, Bytes::len));
        match self.received > self.limit {
            true => Err(FetchError::TooLarge { limit: self.limit }),
            false => Ok(chunk),
        }
    }
}

#[cfg(test)]
mod tests;
