//! The loop of a download: a request for the rest of the file, until there is none.

use std::io;

use bytes::Bytes;
use http::{
    HeaderMap,
    header::{ACCEPT_ENCODING, IF_RANGE, LOCATION, RANGE},
};
use reqwest::Url;
use tokio::time::{sleep, timeout_at};

use super::{
    DownloadError, Downloaded, Options, Progress,
    digest::{self, Digest},
    head::{Meaning, Part, Validator, meaning},
    partial::Partial,
};
use crate::client::{
    Error, ErrorKind, Pending, RawResponse, Received, error::is_temporary, exchange::exchange,
    follow::Change, pending::Origin,
};
use crate::types::{ByteStream, NoError, StreamError};

/// The maximum number of redirects to other servers.
const MAX_REDIRECTS: usize = 5;

/// A download that does not depend on the types of its operation.
pub(super) struct Job {
    pending: Box<Pending>,
    options: Options,
    partial: Option<Partial>,
    /// The validator of the file that the temporary file is a part of.
    validator: Option<Validator>,
    total: Option<u64>,
    is_verified: bool,
}

/// The reason why a download ends without a file.
pub(super) enum Stop {
    Download(DownloadError<NoError>),
    /// The file can't be written.
    Disk(io::Error),
    /// The response is unsuccessful.
    Refused(Box<RawResponse>),
}

impl Job {
    pub(super) fn new(pending: Box<Pending>, options: Options) -> Self {
        Self { pending, options, partial: None, validator: None, total: None, is_verified: false }
    }

    pub(super) async fn run(self) -> Result<Downloaded, Stop> {
        let after = self.pending.limits.deadline;
        let end = after.and_then(|after| Some((tokio::time::Instant::now().checked_add(after)?, after)));
        let Some((end, after)) = end else { return self.load().await };
        let late = || Err(DownloadError::Deadline { after }.into());
        timeout_at(end, self.load()).await.unwrap_or_else(|_| late())
    }

    async fn load(mut self) -> Result<Downloaded, Stop> {
        let mut resumptions = 0;
        loop {
            let stop = match self.step().await {
                Ok((partial, headers)) => return self.finish(partial, headers, resumptions).await,
                Err(stop) => stop,
            };
            let is_allowed = self.partial.is_some()
                && stop.is_temporary()
                && self.pending.operation.method == "GET"
                && resumptions < self.options.resumptions;
            if !is_allowed || !self.pending.client.options().budget.spend() {
                return Err(stop);
            }
            resumptions += 1;
            sleep(self.pending.retry.backoff(resumptions)).await;
        }
    }

    /// Requests the rest of the file, and receives as much of it as there is. The error is temporary if the rest, or the
    /// whole, can be requested again.
    async fn step(&mut self) -> Result<(Partial, HeaderMap), Stop> {
        let first = match (&self.partial, &self.validator) {
            (Some(partial), Some(_)) => partial.size,
            _ => 0,
        };
        let Received { raw, stream, .. } = self.request(first).await?;
        let stream = stream.unwrap_or_default();
        let (head, known) = ((raw.status, &raw.headers), (first, self.total));
        let part = match meaning(head, known, self.validator.as_ref(), stream.length()) {
            Meaning::Body(part) => part,
            Meaning::Again => {
                self.validator = None;
                return Err(DownloadError::CutOff { received: first, error: None }.into());
            }
            Meaning::Wrong(found) => return Err(DownloadError::Range { first, found }.into()),
            Meaning::Refused => return Err(Stop::Refused(Box::new(raw))),
        };
        let partial = self.open(part, &raw.headers).await?;
        self.receive(partial, part, stream, raw.headers).await
    }

    /// Returns the temporary file at the first byte of a part.
    async fn open(&mut self, part: Part, headers: &HeaderMap) -> Result<Partial, Stop> {
        self.total = part.total;
        self.limit(part.total.unwrap_or_default())?;
        let mut partial = match self.partial.take() {
            Some(partial) => partial,
            None => Partial::create(&self.options.path).await?,
        };
        if part.first == 0 {
            self.validator = Validator::of(headers);
            let mut expected = Digest::read(headers, &digest::REPRESENTATION);
            expected.extend(self.options.expected.clone());
            partial = partial.restart(expected).await?;
            self.is_verified = false;
        }
        partial.expect(Digest::read(headers, &digest::CONTENT));
        Ok(partial)
    }

    /// Receives a part of the file.
    async fn receive(
        &mut self,
        mut partial: Partial,
        part: Part,
        mut stream: ByteStream,
        headers: HeaderMap,
    ) -> Result<(Partial, HeaderMap), Stop> {
        while let Some(piece) = stream.next().await {
            match piece {
                Ok(piece) => partial = self.add(partial, part, piece).await?,
                Err(error) => return Err(self.cut_off(partial, Some(error))),
            }
        }
        let size = partial.size;
        if part.end.is_some_and(|end| size < end) {
            return Err(self.cut_off(partial, None));
        }
        let (partial, checked) = partial.check_content().await?;
        let is_checked = checked.map_err(mismatch)?;
        if self.total.is_some_and(|total| size < total) {
            return Err(self.cut_off(partial, None));
        }
        // The digest of a part says nothing about the rest.
        self.is_verified |= is_checked && part.first == 0;
        Ok((partial, headers))
    }

    async fn add(&mut self, partial: Partial, part: Part, piece: Bytes) -> Result<Partial, Stop> {
        let size = partial.size.saturating_add(piece.len() as u64);
        self.limit(size)?;
        if let Some(end) = part.end.filter(|end| size > *end) {
            return Err(DownloadError::TooLong { expected: end }.into());
        }
        let partial = partial.add(piece).await?;
        let total = self.total;
        if let Some(report) = &mut self.options.on_progress {
            report(Progress { received: size, total });
        }
        Ok(partial)
    }

    fn cut_off(&mut self, partial: Partial, error: Option<StreamError>) -> Stop {
        let received = partial.size;
        self.partial = Some(partial);
        DownloadError::CutOff { received, error }.into()
    }

    async fn finish(
        mut self,
        mut partial: Partial,
        headers: HeaderMap,
        resumptions: u32,
    ) -> Result<Downloaded, Stop> {
        self.is_verified |= partial.check_whole().map_err(mismatch)?;
        let size = partial.size;
        partial.rename(self.options.path.clone()).await?;
        Ok(Downloaded { path: self.options.path, size, is_verified: self.is_verified, resumptions, headers })
    }

    /// Sends a request for the bytes from `first` on. Follows redirects to other servers.
    async fn request(&mut self, first: u64) -> Result<Received, Stop> {
        let mut pending = self.pending.following(Change::Nothing).map_err(DownloadError::Call)?;
        let (operation, mut redirects) = (pending.operation, 0);
        loop {
            let (own, client) = (pending.own_url().ok().flatten(), pending.client.clone());
            pending.is_download = true;
            // The call's own header has precedence. Bytes of another coding are not those of the file.
            pending.headers.insert(0, (ACCEPT_ENCODING.to_string(), "identity".to_owned()));
            if let Some(validator) = self.validator.as_ref().filter(|_| first > 0) {
                let value = String::from_utf8_lossy(validator.value.as_bytes()).into_owned();
                pending.header(RANGE.to_string(), format!("bytes={first}-"));
                pending.header(IF_RANGE.to_string(), value);
            }
            // The request that follows a redirect belongs to the same call.
            let failed = |error: Error<NoError>| DownloadError::Call(error.of_operation(operation));
            let received = exchange(pending, true).await.map_err(failed)?;
            let next =
                own.filter(|_| redirects < MAX_REDIRECTS).and_then(|own| self.elsewhere(&own, &received.raw));
            let Some(next) = next else { return Ok(received) };
            redirects += 1;
            pending = Pending::fetch(&client, Some(next));
            pending.origin = Origin::Other;
            (pending.limits, pending.retry) = (self.pending.limits, self.pending.retry.clone());
        }
    }

    /// Returns the URL of a redirect to another server. Redirects to the same one have been followed.
    fn elsewhere(&self, own: &Url, raw: &RawResponse) -> Option<Url> {
        let is_get = self.pending.operation.method == "GET";
        let is_redirect = match raw.status.as_u16() {
            303 => true,
            301 | 302 | 307 | 308 => is_get,
            _ => false,
        };
        let location = raw.headers.get(LOCATION).filter(|_| is_redirect)?.to_str().ok()?;
        let next = own.join(location).ok()?;
        let is_safe = next.scheme() == "https" || next.scheme() == "http" && own.scheme() == "http";
        (is_safe && next.origin() != own.origin()).then_some(next)
    }

    fn limit(&self, size: u64) -> Result<(), Stop> {
        let limit = self.options.limit;
        if size > limit { Err(DownloadError::TooLarge { limit }.into()) } else { Ok(()) }
    }
}

impl Stop {
    /// Returns whether another request may succeed.
    fn is_temporary(&self) -> bool {
        match self {
            Self::Download(DownloadError::CutOff { .. }) => true,
            Self::Download(DownloadError::Call(error)) => {
                error.is_retryable() && !matches!(error.kind(), ErrorKind::Deadline { .. })
            }
            Self::Download(_) | Self::Disk(_) => false,
            Self::Refused(raw) => is_temporary(raw.status) && !raw.is_permanent,
        }
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Disk(error)
    }
}

impl From<DownloadError<NoError>> for Stop {
    fn from(error: DownloadError<NoError>) -> Self {
        Self::Download(error)
    }
}

fn mismatch((expected, found): (Digest, Digest)) -> Stop {
    DownloadError::Digest { expected: expected.to_string(), found: found.to_string() }.into()
}
