//! Downloads of media from URLs that users gave: bounded in bytes, in time and in redirects.

use std::time::Duration;

use bytes::Bytes;
use reqwest::Response;
use reqwest::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderMap, LOCATION};
use tokio::time::timeout;

use super::guard::{Policy, Target, UrlRefused};
use super::resolve::{AddressRefused, Guard};
use super::trouble;

/// How many redirects are followed.
pub const MAX_REDIRECTS: usize = 3;

/// How much is downloaded at most, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes.
    pub bytes: usize,
    /// The most time, over everything.
    pub deadline: Duration,
}

/// Why nothing was downloaded.
///
/// The text is for the user. It is the same for all that happens before a server has answered, so that it says nothing
/// of hosts that only this machine can see; the log is told more.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The URL, or one that it redirects to, is refused by its text.
    #[error("The file could not be fetched: its URL, and any that it redirects to, {0}.")]
    Url(#[from] UrlRefused),
    /// The host's name resolves to an address that is refused.
    #[error("{NO_ANSWER}")]
    Address,
    /// There was no connection, no answer that makes sense, or not all of it.
    #[error("{NO_ANSWER}")]
    Unreachable(&'static str),
    /// It took too long.
    #[error("{NO_ANSWER}")]
    Deadline,
    /// There were too many redirects, or one without a URL.
    #[error(
        "The file could not be fetched: its URL redirects more than {MAX_REDIRECTS} times, or to nowhere."
    )]
    Redirects,
    /// The server has answered with something else than a file.
    #[error("The file could not be fetched: the server of its URL answered with status {0}.")]
    Status(u16),
    /// The answer is compressed, though no compression was asked for.
    #[error("The file could not be fetched: the server of its URL sent it with a content encoding.")]
    Encoded,
    /// The file is too large.
    #[error("The file is larger than {limit} bytes.")]
    TooLarge {
        /// The most bytes.
        limit: usize,
    },
}

const NO_ANSWER: &str =
    "The file could not be fetched: its URL can't be reached, or gave no complete answer in time.";

impl FetchError {
    /// The task's `error.code`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "media_too_large",
            _ => "fetch_failed",
        }
    }

    /// Whether trying again later may help.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::Deadline => true,
            Self::Status(status) => matches!(status, 408 | 425 | 429 | 500..),
            Self::Address | Self::Url(_) | Self::Redirects | Self::Encoded | Self::TooLarge { .. } => false,
        }
    }

    fn of_request(error: reqwest::Error) -> Self {
        if AddressRefused::caused(&error) {
            return Self::Address;
        }
        Self::Unreachable(trouble::why(&error))
    }

    /// The same for the operator, who may know what clients may not.
    #[must_use]
    pub fn for_operator(&self) -> String {
        match self {
            Self::Unreachable(why) => (*why).to_owned(),
            Self::Address => AddressRefused.to_string(),
            Self::Deadline => "there was no complete answer in time".to_owned(),
            _ => self.to_string(),
        }
    }
}

/// Downloads files.
#[derive(Debug, Clone)]
pub struct Fetcher {
    guard: Guard,
    client: reqwest::Client,
}

impl Fetcher {
    /// A fetcher of what this guard allows.
    ///
    /// # Errors
    /// When TLS can't be set up.
    pub fn new(guard: Guard) -> reqwest::Result<Self> {
        Ok(Self { client: guard.client()?, guard })
    }

    /// Downloads a file.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn fetch(&self, url: &str, limits: Limits) -> Result<Bytes, FetchError> {
        let target = self.guard.policy().check_url(url)?;
        let download = async { read(self.follow(target).await?, limits.bytes).await };
        timeout(limits.deadline, download).await.unwrap_or(Err(FetchError::Deadline))
    }

    /// The answer at the end of all redirects.
    async fn follow(&self, mut target: Target) -> Result<Response, FetchError> {
        for _ in 0..=MAX_REDIRECTS {
            let request = self.client.get(target.url().clone()).header(ACCEPT_ENCODING, "identity");
            let response = request.send().await.map_err(FetchError::of_request)?;
            match response.status().as_u16() {
                200 => return Ok(response),
                301 | 302 | 303 | 307 | 308 => {
                    target = redirect(self.guard.policy(), &target, response.headers())?
                }
                status => return Err(FetchError::Status(status)),
            }
        }
        Err(FetchError::Redirects)
    }
}

/// Where a redirect leads, if it may lead there: what has begun with https does not go on without it.
fn redirect(policy: &Policy, from: &Target, headers: &HeaderMap) -> Result<Target, FetchError> {
    let location =
        headers.get(LOCATION).and_then(|location| location.to_str().ok()).ok_or(FetchError::Redirects)?;
    let url = from.url().join(location).map_err(|_| FetchError::Redirects)?;
    if from.url().scheme() == "https" && url.scheme() != "https" {
        return Err(UrlRefused::Scheme.into());
    }
    Ok(policy.check_url(url.as_str())?)
}

/// The answer's body, up to the limit.
async fn read(mut response: Response, limit: usize) -> Result<Bytes, FetchError> {
    let too_large = FetchError::TooLarge { limit };
    // A small body may become a very large file.
    if response.headers().get(CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
        return Err(FetchError::Encoded);
    }
    let announced = response.content_length().map(|length| usize::try_from(length).unwrap_or(usize::MAX));
    if announced.is_some_and(|length| length > limit) {
        return Err(too_large);
    }
    // An announcement is no reason to allocate all of it.
    let mut body = Vec::with_capacity(announced.unwrap_or_default().min(1 << 20));
    while let Some(chunk) = response.chunk().await.map_err(FetchError::of_request)? {
        if body.len() + chunk.len() > limit {
            return Err(too_large);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.into())
}

#[cfg(test)]
mod tests;
