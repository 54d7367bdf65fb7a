//! The polls of a task. They do not depend on the types of the operations.

use std::time::Duration;

use super::{
    Delay,
    events::{Subscription, event_of},
    monitor::{Monitor, Source},
    task::PathValues,
};
use crate::client::platform::{Instant, random, timeout_at};
use crate::client::{
    Error, ErrorKind, Pending, PollLimit, Received, Task, error::is_temporary, exchange::exchange,
    follow::Change, probe,
};
use crate::{
    codec::{Encode, Writer},
    parameters::{EncodedRequest, encode_input},
    table::Operation,
    types::{NoError, Value},
};

/// The number of temporary failures in a row that ends the wait.
const MAX_FAILURES: u32 = 5;

/// A task that is polled.
pub(super) struct Watch {
    /// The call that every poll repeats.
    pub get: Box<Pending>,
    pub subject: Subject,
    pub id: String,
    /// A response from before the first poll that reports on the task.
    pub first: Option<Received>,
    pub delay: Delay,
    /// When the next poll is sent, if that is known. It is kept until a poll has ended, so that a dropped future
    /// delays no poll.
    pub due: Option<Due>,
    /// The time at which waiting ends, and the duration until then.
    pub end: Option<(Instant, Duration)>,
    pub limit: Option<PollLimit>,
    pub events: Option<Subscription>,
    /// The number of polls that have failed in a row.
    pub failures: u32,
}

/// The task or URL that is polled.
pub(super) enum Subject {
    Task {
        task: &'static Task,
        /// The path parameters of the call that created the task. The id of the task is not one of them.
        values: PathValues,
    },
    Monitor(Box<Monitor>),
}

/// When a poll is sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Due {
    /// `None` if the time is beyond the clock's range, so that it never comes.
    at: Option<Instant>,
    /// The maximum duration, if it is over then and no poll is sent.
    over: Option<Duration>,
}

impl Due {
    /// Returns the time of a poll that is sent at once.
    pub(super) fn now() -> Self {
        Self { at: Some(Instant::now()), over: None }
    }
}

/// The state of a task, by a response to a poll.
pub(super) struct Report {
    pub status: String,
    pub progress: Option<f64>,
    /// `None` if the task is in progress.
    pub ending: Option<Ending>,
    pub received: Received,
}

/// The reason why there is no report.
pub(super) enum NoReport {
    /// The response has no status of a task.
    Other(Box<Received>),
    /// There is no response.
    Failed(Error<NoError>),
    /// The maximum duration is over.
    Deadline(Duration),
}

/// How a task has ended.
#[derive(Debug, Clone)]
pub(super) enum Ending {
    Done,
    Failed { message: Option<String> },
}

impl Watch {
    /// Waits, and polls the task until a poll has a response, or fails permanently.
    pub(super) async fn poll(&mut self) -> Result<Report, NoReport> {
        if let Some(received) = self.first.take() {
            return self.report(received);
        }
        loop {
            self.pause().await.map_err(NoReport::Deadline)?;
            let call = self.get.following(Change::Nothing).map_err(NoReport::Failed);
            let polled = match call {
                Ok(call) => self.send(call).await,
                Err(none) => Err(none),
            };
            self.due = None;
            match polled {
                Ok(received) => {
                    let raw = &received.raw;
                    self.delay.ask(raw.retry_after());
                    if raw.status.is_success() {
                        self.failures = 0;
                        return self.report(received);
                    }
                    if raw.is_permanent || !is_temporary(raw.status) || !self.may_fail() {
                        return Err(NoReport::Other(Box::new(received)));
                    }
                }
                // A token may be available at the next poll.
                Err(NoReport::Failed(error))
                    if (error.is_retryable() || matches!(error.kind(), ErrorKind::Credential(_)))
                        && self.may_fail() => {}
                Err(none) => return Err(none),
            }
        }
    }

    /// Sends a poll, within the bound and until the end.
    async fn send(&self, mut call: Box<Pending>) -> Result<Received, NoReport> {
        let _permit = match (&self.limit, self.end) {
            // It is never closed.
            (Some(limit), None) => limit.0.acquire().await.ok(),
            (Some(limit), Some((end, after))) => {
                timeout_at(end, limit.0.acquire()).await.map_err(|_| NoReport::Deadline(after))?.ok()
            }
            (None, _) => None,
        };
        if let Some((end, _)) = self.end {
            // A little time is left for a poll at the end.
            call.end_within(end.saturating_duration_since(Instant::now()).max(Duration::from_secs(1)));
        }
        exchange(call, false).await.map_err(NoReport::Failed)
    }

    /// Counts a poll that has failed. Returns whether another one may follow.
    fn may_fail(&mut self) -> bool {
        self.failures += 1;
        self.failures < MAX_FAILURES
    }

    /// Waits before the next poll, or until an event.
    ///
    /// Returns the maximum duration as the error if there is no time for another poll.
    async fn pause(&mut self) -> Result<(), Duration> {
        let due = self.due.unwrap_or_else(|| self.next_due());
        self.due = Some(due);
        let event = event_of(&mut self.events, &self.id);
        let has_event = match due.at {
            // Events don't extend the maximum duration.
            Some(at) if due.over.is_some() && at <= Instant::now() => false,
            Some(at) => timeout_at(at, event).await.is_ok(),
            None => {
                event.await;
                true
            }
        };
        if has_event {
            self.due = Some(Due::now());
            return Ok(());
        }
        due.over.map_or(Ok(()), Err)
    }

    fn next_due(&mut self) -> Due {
        let (wait, is_asked) = self.delay.take(random());
        let now = Instant::now();
        let at = now.checked_add(wait);
        match self.end {
            Some((end, after)) if now >= end => Due { at: Some(now), over: Some(after) },
            // The last poll is at the end, unless the server asks for a later one.
            Some((end, after)) if at.is_none_or(|at| at > end) => {
                Due { at: Some(end), over: is_asked.then_some(after) }
            }
            _ => Due { at, over: None },
        }
    }

    fn report(&mut self, received: Received) -> Result<Report, NoReport> {
        let task = match &mut self.subject {
            Subject::Monitor(monitor) => return monitor.report(received, &mut self.get),
            Subject::Task { task, .. } => *task,
        };
        let body = &received.raw.body;
        let Some(status) = probe::text(body, task.status) else {
            return Err(NoReport::Other(Box::new(received)));
        };
        let ending = if task.done.contains(&status.as_str()) {
            Some(Ending::Done)
        } else if task.failed.contains(&status.as_str()) {
            Some(Ending::Failed { message: task.message.and_then(|path| probe::text(body, path)) })
        } else {
            None
        };
        let progress = task.progress.and_then(|path| progress(body, path));
        Ok(Report { status, progress, ending, received })
    }

    /// Returns the response with the result of a task that has succeeded. `last` is the response to the last poll.
    pub(super) async fn result(&mut self, last: Received) -> Result<Received, NoReport> {
        let Subject::Monitor(monitor) = &self.subject else { return Ok(last) };
        let url = match monitor.result(last, &self.get).map_err(NoReport::Failed)? {
            Source::Response(response) => return Ok(*response),
            Source::Url(url) => url,
        };
        let mut call = self.get.following(Change::Nothing).map_err(NoReport::Failed)?;
        call.url = Some(url);
        self.send(call).await
    }
}

/// Returns the progress in a response.
pub(super) fn progress(body: &[u8], path: &[&str]) -> Option<f64> {
    probe::text(body, path)?.parse().ok().filter(|progress: &f64| progress.is_finite())
}

impl Pending {
    /// Returns a call of another operation with the options of this one, and without parameters.
    pub(super) fn followed_by(&mut self, operation: &'static Operation) -> Result<Box<Self>, Error<NoError>> {
        if self.request.is_err() {
            return Err(self.take_error());
        }
        let mut next = self.another(operation, EncodedRequest::default());
        next.drop_key();
        Ok(next)
    }

    /// Sets the path parameters.
    pub(super) fn with_path(mut self: Box<Self>, values: &PathValues) -> Box<Self> {
        let operation = self.operation;
        self.request = Ok(encode_input(operation, &Values { operation, values }));
        self
    }
}

/// The input of an operation that has parameters in its path only.
struct Values<'a> {
    operation: &'static Operation,
    values: &'a PathValues,
}

impl Encode for Values<'_> {
    fn encode(&self, writer: &mut dyn Writer) {
        let value =
            |name: &str| self.values.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
        let values: Vec<(&'static str, Option<Value>)> =
            self.operation.parameters.iter().map(|one| (one.name, value(one.name))).collect();
        let fields: Vec<(&'static str, &dyn Encode)> =
            values.iter().map(|(name, value)| (*name, value as &dyn Encode)).collect();
        writer.object(&fields, None);
    }
}
