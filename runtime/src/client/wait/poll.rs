//! The polls of a task. They do not depend on the types of the operations.

use std::time::Duration;

use super::{Delay, Poller, Task};
use crate::{
    client::{
        error::{ErrorKind, is_temporary},
        exchange::{Outcome, exchange},
        follow::Change,
        pending::Pending,
        platform::{Instant, random, sleep_until, timeout_at, wall_clock},
        probe,
        response::{Received, retry_after},
    },
    codec::{Encode, Writer},
    parameters::{EncodedRequest, encode_input},
    table::{Location, Operation},
    types::NoError,
};

/// The number of polls that may fail in a row, if their errors are temporary.
const MAX_FAILURES: u32 = 5;

/// A task that is polled.
pub(super) struct Watch {
    /// The call that every poll repeats.
    pub get: Box<Pending>,
    pub task: &'static Task,
    pub id: String,
    /// The parameters of the paths, with the id among them.
    pub values: Vec<(&'static str, String)>,
    pub delay: Delay,
    /// When the next poll is sent, if that is known. It is kept until a poll has ended, so that a dropped future
    /// delays no poll.
    pub due: Option<Due>,
    /// The time at which waiting ends, and the duration until then.
    pub end: Option<(Instant, Duration)>,
    pub poller: Option<Poller>,
    /// The number of polls that have failed in a row.
    pub failures: u32,
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
    /// `None` if the task goes on.
    pub ending: Option<Ending>,
    pub attempts: u32,
    pub received: Received,
}

/// The reason why there is no report.
pub(super) enum NoReport {
    /// The response has no status of a task.
    Other { attempts: u32, received: Box<Received> },
    /// There is no response.
    Failed { attempts: u32, kind: ErrorKind<NoError> },
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
    /// Waits, and polls the task until a poll has a response, or fails for good.
    pub(super) async fn poll(&mut self) -> Result<Report, NoReport> {
        loop {
            self.pause().await.map_err(NoReport::Deadline)?;
            let (attempts, outcome) = match self.get.following(Change::Nothing) {
                Ok(call) => self.send(call).await.map_err(NoReport::Deadline)?,
                Err(kind) => (0, Err(kind)),
            };
            self.due = None;
            match outcome {
                Ok(received) if received.raw.status.is_success() => {
                    self.failures = 0;
                    self.delay.ask(retry_after(&received.raw.headers, wall_clock()));
                    return self.report(attempts, received);
                }
                Ok(received) => {
                    let raw = &received.raw;
                    self.delay.ask(retry_after(&raw.headers, wall_clock()));
                    if raw.is_permanent || !is_temporary(raw.status) || !self.may_fail() {
                        return Err(NoReport::Other { attempts, received: Box::new(received) });
                    }
                }
                Err(kind) => {
                    let is_temporary = matches!(
                        kind,
                        ErrorKind::Connect(_)
                            | ErrorKind::Timeout { .. }
                            | ErrorKind::Transport(_)
                            | ErrorKind::Deadline { .. }
                            // A token may be available at the next poll.
                            | ErrorKind::Credential(_)
                    );
                    if !is_temporary || !self.may_fail() {
                        return Err(NoReport::Failed { attempts, kind });
                    }
                }
            }
        }
    }

    /// Sends a poll, within the bound and until the end.
    ///
    /// Returns the maximum duration as the error if it is over before the bound lets the poll go.
    async fn send(&self, mut call: Box<Pending>) -> Result<(u32, Outcome), Duration> {
        let _permit = match (&self.poller, self.end) {
            // It is never closed.
            (Some(poller), None) => poller.0.acquire().await.ok(),
            (Some(poller), Some((end, after))) => {
                timeout_at(end, poller.0.acquire()).await.map_err(|_| after)?.ok()
            }
            (None, _) => None,
        };
        if let Some((end, _)) = self.end {
            // A little time is left for a poll at the end.
            let left = end.saturating_duration_since(Instant::now()).max(Duration::from_secs(1));
            call.deadline = Some(call.deadline.map_or(left, |own| own.min(left)));
        }
        Ok(exchange(call, false).await)
    }

    /// Counts a poll that has failed. Returns whether another one may follow.
    fn may_fail(&mut self) -> bool {
        self.failures += 1;
        self.failures < MAX_FAILURES
    }

    /// Waits before the next poll. Returns the maximum duration as the error if there is no time for another one.
    async fn pause(&mut self) -> Result<(), Duration> {
        let due = self.due.unwrap_or_else(|| self.next_due());
        self.due = Some(due);
        match due.at {
            Some(at) => sleep_until(at).await,
            None => std::future::pending().await,
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

    fn report(&self, attempts: u32, received: Received) -> Result<Report, NoReport> {
        let body = &received.raw.body;
        let Some(status) = probe::text(body, self.task.status) else {
            return Err(NoReport::Other { attempts, received: Box::new(received) });
        };
        let ending = if self.task.done.contains(&status.as_str()) {
            Some(Ending::Done)
        } else if self.task.failed.contains(&status.as_str()) {
            Some(Ending::Failed { message: self.task.message.and_then(|path| probe::text(body, path)) })
        } else {
            None
        };
        let progress = self.task.progress.and_then(|path| probe::text(body, path)?.parse().ok());
        Ok(Report { status, progress, ending, attempts, received })
    }
}

/// Adds the id to the known parameters, as the one parameter of an operation's path that is not among them.
///
/// If there are several such parameters, none is the id: the path lacks them, so that no request is sent.
pub(super) fn with_id(
    operation: &Operation,
    known: &[(&'static str, String)],
    id: &str,
) -> Vec<(&'static str, String)> {
    let is_known = |name: &str| known.iter().any(|(other, _)| *other == name);
    let mut values = known.to_vec();
    let mut unknown = operation.path_names().filter(|name| !is_known(name));
    if let (Some(name), None) = (unknown.next(), unknown.next()) {
        values.push((name, id.to_owned()));
    }
    values
}

impl Operation {
    /// Returns the names of the parameters of the path.
    pub(super) fn path_names(&self) -> impl Iterator<Item = &'static str> {
        self.parameters.iter().filter(|one| one.location == Location::Path).map(|one| one.name)
    }
}

impl Pending {
    /// Returns a call of another operation with the options of this one, and without parameters.
    pub(super) fn followed_by(
        &mut self,
        operation: &'static Operation,
    ) -> Result<Box<Self>, ErrorKind<NoError>> {
        if self.request.is_err() {
            return Err(self.take_error());
        }
        let mut next = Box::new(Self {
            client: self.client.clone(),
            operation,
            timeout: self.timeout,
            deadline: self.deadline,
            retry: self.retry.clone(),
            is_idempotent: false,
            request: Ok(EncodedRequest::default()),
            url: None,
            headers: self.headers.clone(),
        });
        next.drop_key();
        Ok(next)
    }

    /// Sets the parameters of the path.
    pub(super) fn with_path(mut self: Box<Self>, values: &[(&'static str, String)]) -> Box<Self> {
        let operation = self.operation;
        self.request = Ok(encode_input(operation, &Values { operation, values }));
        self
    }
}

/// The input of an operation that has parameters in its path only.
struct Values<'a> {
    operation: &'static Operation,
    values: &'a [(&'static str, String)],
}

impl Encode for Values<'_> {
    fn encode(&self, writer: &mut dyn Writer) {
        let value =
            |name: &str| self.values.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
        let values: Vec<(&'static str, Option<String>)> =
            self.operation.parameters.iter().map(|one| (one.name, value(one.name))).collect();
        let fields: Vec<(&'static str, &dyn Encode)> =
            values.iter().map(|(name, value)| (*name, value as &dyn Encode)).collect();
        writer.object(&fields, None);
    }
}
