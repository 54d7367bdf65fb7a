//! The outputs of a provider: URLs, data URLs, base64, texts or the body of a response.
//!
//! The provider charges for a finished job. So a failed download is retried. It only leads to another job if the provider no
//! longer has the result and the engine has `on-uncertain = "retry"`.

use std::time::Duration;

use asset_engines::Scratch;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use reqwest::Method;
use reqwest::header::LOCATION;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};
use url::Url;

use super::call::is_temporary;
use super::job::{Finished, Job, TRIES};
use super::settings::Pointer;
use super::{Http, find};
use crate::crash;
use crate::engine::context::Context;
use crate::engine::family::Family;
use crate::engine::result::{checked, on_blocking_thread, stored, write};
use crate::engine::{Failure, Output};
use crate::media::format::Kind;
use crate::net::fetch::{FetchError, Limits, MAX_REDIRECTS};

/// The maximum number of outputs of a task.
const MAX_OUTPUTS: usize = 32;

/// The pause before the second try; it doubles with each further one.
const PAUSE: Duration = Duration::from_millis(500);

/// The location of an output.
enum Source {
    Bytes(Bytes),
    /// A URL of the provider's own origin.
    Own(Url),
    /// Any other URL.
    Other(String),
}

/// Why a download failed.
enum DownloadError {
    /// Another try may succeed. If none does, the attempt fails.
    Temporary(String),
    /// The server can't be reached or fails. Another try may succeed. If none does, the task waits.
    Unavailable(String),
    /// Another try would fail, too.
    Permanent(Failure),
}

impl From<Failure> for DownloadError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Internal(why) => Self::Temporary(why),
            failure => Self::Permanent(failure),
        }
    }
}

impl From<FetchError> for DownloadError {
    fn from(error: FetchError) -> Self {
        match error {
            FetchError::TooLarge { .. } => Self::Permanent(Context::too_large()),
            error if error.is_temporary() => Self::Unavailable(error.for_operator()),
            error => {
                let why = error.for_operator();
                Self::Permanent(Failure::Internal(format!("the result can't be used: {why}")))
            }
        }
    }
}

impl Http {
    /// Reads the outputs of a finished request.
    pub(super) async fn outputs(
        &self,
        finished: Finished,
        family: &Family,
        context: &Context,
    ) -> Result<Vec<Output>, Failure> {
        context.report(None, "downloading");
        let body = match finished {
            Finished::Body(body) if self.settings.outputs.is_empty() => match family.makes {
                Some(kind) => return stored(body, kind, context).await.map(|output| vec![output]),
                None => Value::String(String::from_utf8_lossy(&body).into_owned()),
            },
            Finished::Body(body) => {
                let not_json =
                    |error| Failure::Internal(format!("the provider's response is not JSON: {error}"));
                on_blocking_thread(move || serde_json::from_slice(&body).map_err(not_json)).await?
            }
            Finished::Job(job, status) => match (&self.settings.protocol.result.path, family.makes) {
                (None, _) => status,
                (Some(path), Some(kind)) if self.settings.outputs.is_empty() => {
                    let url = self.url(path, None, &job.variables())?;
                    return self.download(&Source::Own(url), kind, context).await.map(|output| vec![output]);
                }
                (Some(_), _) => self.result(&job, context).await?,
            },
        };
        let whole = [Pointer::WHOLE];
        let pointers = if self.settings.outputs.is_empty() { &whole[..] } else { &self.settings.outputs };
        let found = pointers.iter().map(|at| find::all(&body, at)).find(|found| !found.is_empty());
        let found = found.unwrap_or_default();
        if found.len() > MAX_OUTPUTS {
            return Err(Failure::Internal(format!(
                "the provider returned {} outputs; the maximum is {MAX_OUTPUTS}",
                found.len()
            )));
        }
        if let Some(pointer) = &self.settings.protocol.result.nsfw {
            let found: Option<Vec<bool>> =
                find::all(&body, pointer).into_iter().map(Value::as_bool).collect();
            if let Some(found) = found {
                context.report_nsfw(found);
            }
        }
        let Some(kind) = family.makes else { return texts(&found) };
        let mut outputs = Vec::with_capacity(found.len());
        for value in found {
            outputs.push(self.download(&self.source(value)?, kind, context).await?);
        }
        if outputs.is_empty() {
            return Err(Failure::Internal("the provider's result has no output".to_owned()));
        }
        Ok(outputs)
    }

    /// Fetches the result of a finished job.
    ///
    /// A status that is neither temporary nor 404 or 410 means that the job has failed.
    async fn result(&self, job: &Job, context: &Context) -> Result<Value, Failure> {
        let Some(path) = &self.settings.protocol.result.path else { return Ok(Value::Null) };
        let mut tries = 0;
        loop {
            let failure = match self.get(path, None, &job.variables()).await {
                Ok(reply) if reply.is_success() => match serde_json::from_slice(&reply.body) {
                    Ok(body) => return Ok(body),
                    Err(error) => {
                        Failure::Internal(format!("the result of a finished job is not JSON: {error}"))
                    }
                },
                Ok(reply) if reply.is_temporary() => {
                    Failure::Unavailable(format!("its result: status {}", reply.status))
                }
                Ok(reply) if matches!(reply.status, 404 | 410) => {
                    return Err(Failure::Gone(format!("its result: status {}", reply.status)));
                }
                Ok(reply) => return Err(self.failed_job(&reply.body, context).await?),
                Err(broken) => Failure::Unavailable(format!("its result: {}", broken.why())),
            };
            tries += 1;
            if !pause_after(tries, context).await {
                // The job is still recorded, so that another attempt asks for its result.
                return Err(failure);
            }
        }
    }

    /// Returns the location of an output.
    fn source(&self, value: &Value) -> Result<Source, Failure> {
        if let Some(file) = &self.settings.protocol.result.file {
            let variables = serde_json::json!({"output": value});
            return self.url(&file.path, Some(&file.query), &variables).map(Source::Own);
        }
        let Some(text) = value.as_str() else {
            return Err(Failure::Internal(
                "an output of the provider is neither a URL nor base64".to_owned(),
            ));
        };
        if text.starts_with("http://") || text.starts_with("https://") {
            return Ok(self.of_url(text));
        }
        let encoded = match text.strip_prefix("data:") {
            Some(data) => {
                let encoded = data.split_once(";base64,").map(|(_, encoded)| encoded);
                encoded.ok_or_else(|| {
                    Failure::Internal("an output of the provider is a data URL without base64".to_owned())
                })?
            }
            None => text,
        };
        let bytes = STANDARD.decode(encoded.trim());
        let bytes = bytes.map_err(|error| {
            Failure::Internal(format!("an output of the provider is not base64: {error}"))
        })?;
        Ok(Source::Bytes(bytes.into()))
    }

    fn of_url(&self, text: &str) -> Source {
        match Url::parse(text) {
            Ok(url) if url.origin() == self.settings.base.origin() => Source::Own(url),
            _ => Source::Other(text.to_owned()),
        }
    }

    /// Downloads an output, and checks that it is complete.
    async fn download(&self, source: &Source, kind: Kind, context: &Context) -> Result<Output, Failure> {
        let mut tries = 0;
        loop {
            let failure = match self.downloaded(source, kind, context).await {
                Ok(output) => return Ok(output),
                Err(DownloadError::Permanent(failure)) => return Err(failure),
                Err(DownloadError::Temporary(why)) => {
                    Failure::Internal(format!("can't download the result: {why}"))
                }
                // The task waits, and a later attempt downloads the result again.
                Err(DownloadError::Unavailable(why)) => {
                    Failure::Unavailable(format!("can't download the result: {why}"))
                }
            };
            tries += 1;
            // The bytes of a response don't change.
            let is_given = matches!(source, Source::Bytes(_));
            if is_given || !pause_after(tries, context).await {
                return Err(failure);
            }
        }
    }

    async fn downloaded(
        &self,
        source: &Source,
        kind: Kind,
        context: &Context,
    ) -> Result<Output, DownloadError> {
        let content = match source {
            Source::Bytes(bytes) => return Ok(stored(bytes.clone(), kind, context).await?),
            Source::Other(url) => self.other(url, context).await?,
            Source::Own(url) => match self.own(url.clone(), context).await? {
                Fetched::File(content) => content,
                Fetched::Elsewhere(url) => self.other(&url, context).await?,
            },
        };
        Ok(checked(content, kind, context).await?)
    }

    /// Downloads a file of another origin, without the key and under the URL policy.
    async fn other(&self, url: &str, context: &Context) -> Result<Scratch, DownloadError> {
        let limits = Limits {
            bytes: usize::try_from(context.most_bytes).unwrap_or(usize::MAX),
            deadline: context.deadline.saturating_duration_since(Instant::now()),
        };
        let mut download = self.fetcher.open(url, limits).await?;
        let content = context.scratch()?;
        while let Some(chunk) = download.chunk().await? {
            append(&content, chunk).await?;
        }
        Ok(content)
    }

    /// Downloads a file of the provider's origin, with the key.
    async fn own(&self, mut url: Url, context: &Context) -> Result<Fetched, DownloadError> {
        let left = context.deadline.saturating_duration_since(Instant::now());
        let unavailable =
            |error: reqwest::Error| DownloadError::Unavailable(crate::net::failure::cause(&error).to_owned());
        let file = async {
            for _ in 0..=MAX_REDIRECTS {
                let response = self.request(Method::GET, url.clone()).send().await.map_err(unavailable)?;
                match response.status().as_u16() {
                    200 => return self.file(response, context).await.map(Fetched::File),
                    301 | 302 | 303 | 307 | 308 => {
                        let location = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
                        let to = location.and_then(|to| url.join(to).ok());
                        let to = to.ok_or_else(|| {
                            DownloadError::Temporary("a redirect without a target".to_owned())
                        })?;
                        // The key is only sent to the provider's own origin. Other origins are fetched without it, under
                        // the URL policy.
                        match self.of_url(to.as_str()) {
                            Source::Own(to) => url = to,
                            _ => return Ok(Fetched::Elsewhere(to.into())),
                        }
                    }
                    status if is_temporary(status) => {
                        return Err(DownloadError::Unavailable(format!("status {status}")));
                    }
                    status @ (404 | 410) => {
                        let gone = Failure::Gone(format!("its result: status {status}"));
                        return Err(DownloadError::Permanent(gone));
                    }
                    status => return Err(DownloadError::Temporary(format!("status {status}"))),
                }
            }
            Err(DownloadError::Temporary("too many redirects".to_owned()))
        };
        let file =
            timeout(left.min(self.settings.protocol.timeout().max(Duration::from_secs(60))), file).await;
        file.unwrap_or_else(|_| {
            Err(DownloadError::Temporary("the download exceeded its time limit".to_owned()))
        })
    }

    /// Writes a response's body to a file.
    async fn file(
        &self,
        mut response: reqwest::Response,
        context: &Context,
    ) -> Result<Scratch, DownloadError> {
        let content = context.scratch()?;
        let broken =
            |error: reqwest::Error| DownloadError::Temporary(crate::net::failure::cause(&error).to_owned());
        while let Some(chunk) = response.chunk().await.map_err(broken)? {
            append(&content, chunk).await?;
        }
        Ok(content)
    }
}

/// Waits before another try, after this number of failed ones. Returns whether there is one.
///
/// There is none after [`TRIES`], or if the deadline of the attempt would pass first.
async fn pause_after(tries: u32, context: &Context) -> bool {
    let pause = PAUSE.saturating_mul(1 << tries.saturating_sub(1).min(TRIES));
    if tries >= TRIES || context.deadline.saturating_duration_since(Instant::now()) < pause {
        return false;
    }
    sleep(pause).await;
    true
}

/// Appends a part of a download to its file.
async fn append(content: &Scratch, chunk: Bytes) -> Result<(), Failure> {
    crash::point("during-download");
    let mut content = content.clone();
    on_blocking_thread(move || write(&mut content, &chunk)).await
}

/// The result of a request to a URL of the provider's own origin.
enum Fetched {
    File(Scratch),
    /// A redirect to another origin.
    Elsewhere(String),
}

/// Returns the texts of a result: all parts as one.
fn texts(found: &[&Value]) -> Result<Vec<Output>, Failure> {
    let text: String = found.iter().filter_map(|value| value.as_str()).collect();
    match text.trim() {
        "" => Err(Failure::Internal("the provider's result has no text".to_owned())),
        text => Ok(vec![Output::Text(text.to_owned())]),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::engine::call::Calls;

    #[tokio::test(start_paused = true)]
    async fn pauses_end_with_the_last_try_and_before_the_deadline() {
        for (seconds, expected, pauses) in [(60, TRIES, 7500), (3, 3, 1500), (0, 1, 0)] {
            let begun = Instant::now();
            let deadline = begun + Duration::from_secs(seconds);
            let context = Context::new(0, deadline, Calls::unrecorded("p"), Arc::new(()));
            let mut tries = 1;
            while pause_after(tries, &context).await {
                tries += 1;
            }
            let waited = begun.elapsed().as_millis();
            // A timer may be a few milliseconds late.
            assert!(tries == expected && (pauses..pauses + 100).contains(&waited), "{tries} {waited}");
        }
    }
}
