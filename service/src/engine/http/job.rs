//! A provider's job: created, followed and cancelled.

use std::time::Duration;

use bytes::Bytes;
use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};
use uuid::Uuid;

use super::call::{Broken, Reply, moderation, text, with_header};
use super::cancel::{Current, Stage};
use super::settings::Status;
use super::{Http, Prepared, find};
use crate::crash;
use crate::engine::call::Earlier;
use crate::engine::context::Context;
use crate::engine::failure::quoted;
use crate::engine::{Failure, Medium, Request};
use crate::log::redact::without_values;

/// The longest pause after a failed poll of a job, unless `poll-seconds` is longer.
const MAX_POLL_INTERVAL: Duration = Duration::from_secs(30);

/// The shortest pause between polls, however many notifications arrive.
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The number of failed polls in a row after which the log has a warning.
const WARN_AFTER: u32 = 5;

/// The number of failed polls in a row after which the provider counts as unavailable.
const MAX_FAILED_POLLS: u32 = 10;

/// The maximum number of tries per attempt to fetch the result of a finished job, and to download each output.
///
/// The job is charged already.
pub(super) const TRIES: u32 = 5;

/// A job, as the queue stores it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Job {
    /// The provider's id.
    pub id: String,
    /// The model, which is part of some paths.
    pub model: String,
}

impl Job {
    /// Takes an id of a provider, which becomes part of paths.
    fn new(id: String, model: &str) -> Option<Self> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
        let is_id = (1..=200).contains(&id.len()) && id.bytes().all(is_plain) && !id.starts_with('.');
        is_id.then(|| Self { id, model: model.to_owned() })
    }

    /// Returns the variables of the templates for requests of the job.
    pub(super) fn variables(&self) -> Value {
        json!({"job": self.id, "model": self.model})
    }
}

/// A finished request, whose outputs are still to be read.
pub(super) enum Finished {
    /// The response to a job that is done, or to a request without a job.
    Body(Bytes),
    /// The job is done, and its result is at a URL of its own.
    Job(Job, Value),
}

impl Http {
    /// Runs the job of the task to its end. Creates the job unless an earlier attempt did.
    pub(super) async fn finish(
        &self,
        request: Request<'_>,
        media: Vec<Medium>,
        current: &Current,
        context: &Context,
    ) -> Result<Finished, Failure> {
        let (key, is_first) = match context.calls.earlier() {
            Earlier::Accepted(key, job) => {
                let job: Job = serde_json::from_value(job)
                    .map_err(|error| Failure::Gone(format!("its record can't be read: {error}")))?;
                return self.follow(key, job, current, context).await;
            }
            Earlier::Sent(key) if self.settings.protocol.create.own_job => {
                let model = self.model(request, key, context.seed)?;
                // A task that ends meanwhile cancels the job.
                current.set(Stage::Creating(Job::new(key.to_string(), &model)));
                // A provider that does not know the job may have forgotten it, as a restart of ComfyUI does.
                let job = self.find(key, &model).await?.ok_or_else(|| {
                    Failure::Uncertain(
                        "the provider does not know the job that it may have accepted".to_owned(),
                    )
                })?;
                context.calls.accepted(key, json!(job)).await?;
                return self.follow(key, job, current, context).await;
            }
            Earlier::Sent(key) if self.settings.protocol.create.idempotency_header.is_some() => (key, false),
            Earlier::Sent(_) | Earlier::Unknown => {
                return Err(Failure::Uncertain("an earlier attempt ended during its call".to_owned()));
            }
            Earlier::Nothing => (Uuid::now_v7(), true),
        };
        // Uploads and templates come before the record, because they cost nothing.
        let prepared = self.prepare(request, media, key, context.seed).await?;
        if is_first {
            context.calls.begin(key).await?;
        }
        if self.settings.protocol.create.job.is_some() {
            let own =
                self.settings.protocol.create.own_job.then(|| Job::new(key.to_string(), &prepared.model));
            current.set(Stage::Creating(own.flatten()));
        }
        let reply = match self.create(key, &prepared, context).await {
            Ok(reply) if reply.is_success() => reply,
            Ok(reply) => {
                let failure = self.refusal(&reply);
                if let Failure::Uncertain(why) = failure {
                    return Err(self.unknown(why));
                }
                // An earlier request of this key may have been accepted, so its record stays.
                if is_first {
                    current.set(Stage::Nothing);
                    context.calls.clear().await?;
                }
                return Err(failure);
            }
            Err(Broken::Unsent(why)) => {
                if is_first {
                    current.set(Stage::Nothing);
                    context.calls.clear().await?;
                }
                return Err(Failure::Unavailable(why));
            }
            Err(Broken::Unknown(why)) => return Err(self.unknown(why)),
        };
        let Some(pointer) = &self.settings.protocol.create.job else { return Ok(Finished::Body(reply.body)) };
        let id = find::text(&reply.json(), pointer);
        let job = id.and_then(|id| Job::new(id, &prepared.model));
        let job = job.ok_or_else(|| self.unknown("the response contains no job id".to_owned()))?;
        current.set(Stage::Creating(Some(job.clone())));
        context.calls.accepted(key, json!(job)).await?;
        self.follow(key, job, current, context).await
    }

    /// Returns the failure of a create whose outcome is unknown.
    fn unknown(&self, why: String) -> Failure {
        let create = &self.settings.protocol.create;
        if create.own_job || create.idempotency_header.is_some() {
            // The next attempt finds the job by its id, or repeats the request with its key.
            Failure::Internal(format!("it is unknown whether the provider accepted the request: {why}"))
        } else {
            Failure::Uncertain(why)
        }
    }

    /// Sends the request that creates the job.
    async fn create(&self, key: Uuid, prepared: &Prepared, context: &Context) -> Result<Reply, Broken> {
        let unsent = |failure: Failure| Broken::Unsent(failure.to_string());
        let create = &self.settings.protocol.create;
        let left = context.deadline.saturating_duration_since(Instant::now()).as_secs();
        let mut variables = prepared.variables.clone();
        if let Value::Object(variables) = &mut variables {
            variables.insert("seconds".to_owned(), Value::from(left));
            variables.extend(self.notify(key).map(|url| ("notify".to_owned(), Value::from(url))));
        }
        let url = self.url(&create.path, Some(&create.query), &variables).map_err(unsent)?;
        let mut request = self.request(Method::POST, url);
        for (name, value) in &create.headers {
            request =
                with_header(request, name, &text(value, &variables).map_err(|error| unsent(error.into()))?)
                    .map_err(unsent)?;
        }
        if let Some(name) = &create.idempotency_header {
            request = with_header(request, name, &key.to_string()).map_err(unsent)?;
        }
        let body = create.body.render(&variables).map_err(|error| unsent(error.into()))?.unwrap_or_default();
        self.send(self.with_body(request, &body, &prepared.files)).await
    }

    /// Returns the job with this key, if the provider has it.
    async fn find(&self, key: Uuid, model: &str) -> Result<Option<Job>, Failure> {
        let (Some(status), Some(job)) = (&self.settings.protocol.status, Job::new(key.to_string(), model))
        else {
            return Ok(None);
        };
        let reply = self.get(&status.path, Some(&status.query), &job.variables()).await;
        let reply = reply.map_err(|broken| Failure::Unavailable(broken.why()))?;
        match reply.status {
            200..=299 => Ok(find::text(&reply.json(), &status.state).map(|_| job)),
            404 | 410 => Ok(None),
            status => Err(Failure::Unavailable(format!("a poll of a job: status {status}"))),
        }
    }

    /// Waits until a job has ended.
    async fn follow(
        &self,
        key: Uuid,
        job: Job,
        current: &Current,
        context: &Context,
    ) -> Result<Finished, Failure> {
        current.set(Stage::Stored(job.clone()));
        // The first poll makes up for a notification that came earlier.
        let notification = self.notifications.as_ref().map(|(notifications, _)| notifications.expect(key));
        let Some(status) = &self.settings.protocol.status else {
            return Err(Failure::Gone("the settings no longer say how to read its state".to_owned()));
        };
        let mut failed = 0_u32;
        loop {
            let pause = match self.poll_once(status, &job, context).await? {
                Poll::Done(reply) => return Ok(Finished::Job(job, reply.json())),
                Poll::Working => {
                    failed = 0;
                    self.settings.protocol.poll()
                }
                // The job runs on although polling it fails.
                Poll::Failed(why, retry_after) => {
                    failed += 1;
                    if failed.is_multiple_of(WARN_AFTER) {
                        let engine = &self.settings.name;
                        tracing::warn!(
                            engine,
                            failed,
                            why = without_values(&self.clean(&why)),
                            "can't read the state of a provider's job"
                        );
                    }
                    if failed >= MAX_FAILED_POLLS {
                        // The task waits, and a later attempt resumes the job.
                        return Err(Failure::Unavailable(format!("can't read the state of a job: {why}")));
                    }
                    pause_after(self.settings.protocol.poll(), failed, retry_after)
                }
            };
            crash::point("between-polls");
            match &notification {
                None => sleep(pause).await,
                Some(notification) => {
                    let least = pause.min(MIN_POLL_INTERVAL);
                    sleep(least).await;
                    let _ = timeout(pause - least, notification.arrived()).await;
                }
            }
        }
    }

    /// Polls the state of a job once.
    async fn poll_once(&self, status: &Status, job: &Job, context: &Context) -> Result<Poll, Failure> {
        let reply = match self.get(&status.path, Some(&status.query), &job.variables()).await {
            Err(broken) => return Ok(Poll::Failed(broken.why(), None)),
            Ok(reply) => reply,
        };
        match reply.status {
            200..=299 => {}
            404 | 410 => return Err(Failure::Gone(format!("status {}", reply.status))),
            status => return Ok(Poll::Failed(format!("status {status}"), reply.retry_after)),
        }
        let body = reply.json();
        let Some(state) = find::text(&body, &status.state) else {
            return Ok(Poll::Failed("the response has no state".to_owned(), None));
        };
        let is = |states: &[String]| states.contains(&state);
        let percent = status.progress.as_ref().and_then(|pointer| find::percent(&body, pointer));
        if is(&status.done) {
            return match self.message(&body) {
                Some(_) => Err(self.failed_job(&reply.body, context).await?),
                None => Ok(Poll::Done(reply)),
            };
        }
        if is(&status.failed) {
            return Err(self.failed_job(&reply.body, context).await?);
        }
        if is(&status.waiting) {
            context.report(None, "queued");
            return Ok(Poll::Working);
        }
        if is(&status.running) {
            context.report(percent, "running");
            return Ok(Poll::Working);
        }
        Ok(Poll::Failed(
            format!("the state `{}` is unknown", state.chars().take(50).collect::<String>()),
            None,
        ))
    }

    /// Removes the record of a job that has failed, and returns its failure. Another attempt may create another.
    pub(super) async fn failed_job(&self, body: &[u8], context: &Context) -> Result<Failure, Failure> {
        context.calls.clear().await?;
        let body = serde_json::from_slice(body).unwrap_or_default();
        if self.is_moderation(&body) {
            return Ok(moderation());
        }
        let message =
            self.message(&body).map_or_else(|| " without a message".to_owned(), |said| quoted(&said));
        Ok(Failure::Internal(format!("the provider's job failed{message}")))
    }
}

/// Returns the pause after this number of failed polls in a row. It is at least the usual one, `poll`.
fn pause_after(poll: Duration, failed: u32, retry_after: Option<Duration>) -> Duration {
    let most = MAX_POLL_INTERVAL.max(poll);
    let pause = poll.saturating_mul(1 << failed.min(5)).min(most);
    retry_after.map_or(pause, |asked| asked.clamp(poll, most))
}

/// The result of a poll.
enum Poll {
    Done(Reply),
    Working,
    Failed(String, Option<Duration>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_poll_never_shortens_the_pause() {
        for (poll, failed, retry_after, expected) in [
            (2, 1, None, 4),
            (2, 9, None, 30),
            (2, 1, Some(1), 2),
            (2, 1, Some(600), 30),
            (60, 1, None, 60),
            (60, 1, Some(1), 60),
        ] {
            let pause = pause_after(Duration::from_secs(poll), failed, retry_after.map(Duration::from_secs));
            assert_eq!(pause, Duration::from_secs(expected), "{poll} {failed} {retry_after:?}");
        }
    }
}
