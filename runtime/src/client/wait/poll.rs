//! The polls of a task. They do not depend on the types of the operations.

use std::time::{Duration, SystemTime};

use tokio::time::{Instant, sleep_until};

use super::{Delay, Poller, Task};
use crate::{
    client::{
        error::{ErrorKind, is_temporary},
        exchange::{Outcome, exchange},
        follow::Change,
        idempotency,
        pending::Pending,
        probe,
        response::{Received, retry_after},
    },
    codec::{Encode, Writer},
    parameters::{EncodedRequest, encode_input},
    table::{Location, Operation},
    types::NoError,
};

/// The number of polls that may fail in a row, if their errors are temporary.
const MOST_FAILURES: u32 = 5;

/// A task that is polled.
pub(super) struct Watch {
    /// The call that every poll repeats.
    pub get: Box<Pending>,
    pub task: &'static Task,
    pub id: String,
    /// The parameters of the paths, with the id among them.
    pub values: Vec<(&'static str, String)>,
    pub delay: Delay,
    /// The time at which waiting ends, and the duration until then.
    pub end: Option<(Instant, Duration)>,
    pub poller: Option<Poller>,
    /// The number of polls that have failed in a row.
    pub failures: u32,
    /// Whether the next poll is sent at once.
    pub is_first: bool,
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
            if !std::mem::take(&mut self.is_first)
                && let Some(over) = self.pause().await
            {
                return Err(NoReport::Deadline(over));
            }
            let (attempts, outcome) = match self.get.following(Change::Nothing) {
                Ok(call) => self.send(call).await,
                Err(kind) => (0, Err(kind)),
            };
            match outcome {
                Ok(received) if received.raw.status.is_success() => {
                    self.failures = 0;
                    self.delay.ask(retry_after(&received.raw.headers, SystemTime::now()));
                    return self.report(attempts, received);
                }
                Ok(received) => {
                    let raw = &received.raw;
                    self.delay.ask(retry_after(&raw.headers, SystemTime::now()));
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
                    );
                    if !is_temporary || !self.may_fail() {
                        return Err(NoReport::Failed { attempts, kind });
                    }
                }
            }
        }
    }

    /// Sends a poll, within the bound and until the end.
    async fn send(&self, mut call: Box<Pending>) -> (u32, Outcome) {
        let _permit = match &self.poller {
            // It is never closed.
            Some(poller) => poller.0.acquire().await.ok(),
            None => None,
        };
        if let Some((end, _)) = self.end {
            // A little time is left for a poll at the end.
            let left = end.saturating_duration_since(Instant::now()).max(Duration::from_secs(1));
            call.deadline = Some(call.deadline.map_or(left, |own| own.min(left)));
        }
        exchange(call, false).await
    }

    /// Counts a poll that has failed. Returns whether another one may follow.
    fn may_fail(&mut self) -> bool {
        self.failures += 1;
        self.failures < MOST_FAILURES
    }

    /// Waits before the next poll. Returns the maximum duration if there is no time for another one.
    async fn pause(&mut self) -> Option<Duration> {
        let (wait, is_asked) = self.delay.take(fastrand::f64());
        let now = Instant::now();
        let until = now.checked_add(wait);
        let until = match self.end {
            Some((end, after)) if now >= end => return Some(after),
            Some((end, _)) if until.is_none_or(|until| until > end) && !is_asked => Some(end),
            Some((end, after)) if until.is_none_or(|until| until > end) => {
                sleep_until(end).await;
                return Some(after);
            }
            _ => until,
        };
        match until {
            Some(until) => sleep_until(until).await,
            // A time beyond the clock's range never comes.
            None => std::future::pending().await,
        }
        None
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
        let is_key = |name: &str| name.eq_ignore_ascii_case(idempotency::KEY);
        Ok(Box::new(Self {
            client: self.client.clone(),
            operation,
            timeout: self.timeout,
            deadline: self.deadline,
            retry: self.retry.clone(),
            is_idempotent: false,
            request: Ok(EncodedRequest::default()),
            url: None,
            headers: self.headers.iter().filter(|(name, _)| !is_key(name)).cloned().collect(),
        }))
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
