//! Tasks: operations that start work, which other operations report on.

mod delay;
mod error;
mod events;
mod monitor;
mod poll;
mod task;
mod updates;

use std::{
    fmt,
    future::{Future, IntoFuture},
    marker::PhantomData,
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use tokio::sync::Semaphore;

use self::{
    delay::Delay,
    monitor::Monitor,
    poll::{Due, Subject, Watch},
    task::PathValues,
};
pub use self::{
    error::WaitError,
    events::TaskEvents,
    monitor::FinalState,
    task::{Task, TaskStep},
    updates::{Running, Update, Updates},
};
use super::{
    Call, Client, Error, Pending, Reading, Received, Response, exchange::exchange, follow::without_query,
    platform::Instant, probe, probe::Path, reply,
};
use crate::{
    codec::{Decode, Encode},
    parameters::path_values,
    table::Operation,
    types::{NoError, Value},
};

/// A call of an operation that creates or gets a task.
///
/// `T` and `E` are the output and the errors of the operation, `S` and `F` those of the operation that gets the task.
/// `R` is the result. Awaited, the call sends one request. [`wait`](Call::wait) waits for the end of the task.
pub type TaskCall<T, E, S, F, R = S> = Call<T, E, OfTask<S, F, R>>;

/// A call of a long-running operation, whose response names the URL that reports on the work.
///
/// [`wait`](Call::wait) waits for the end, and returns the output of the operation. The state until then is JSON.
pub type MonitoredCall<T, E> = TaskCall<T, E, Value, E, T>;

/// The types that responses are decoded into: a task that has succeeded, one that has failed, and a result.
type Decoded<S, F, R> = fn() -> (S, F, R);

/// Decoding into the types of an operation that creates or gets a task.
pub struct OfTask<S, F, R = S> {
    kind: Kind,
    types: PhantomData<Decoded<S, F, R>>,
}

/// The relation of a call to a task.
#[derive(Clone, Copy)]
enum Kind {
    /// It creates the task. The response has the id there.
    Creates(&'static Task, Path),
    /// It gets the task.
    Gets(&'static Task),
    /// It begins a long-running operation.
    Begins(FinalState),
}

impl<T: Decode, E: Decode + fmt::Debug, S, F, R> Reading<T, E> for OfTask<S, F, R> {
    fn read(self, operation: &'static Operation, received: Received) -> Result<Response<T>, Error<E>> {
        reply::decode(operation, received)
    }
}

impl Client {
    /// Creates a call of an operation that creates or gets a task.
    ///
    /// `id` is the id in the response, and `None` if the operation gets the task. Generated functions call this method,
    /// and ensure that the types match the operations.
    pub fn task<T, E, S, F>(
        &self,
        operation: &'static Operation,
        input: &dyn Encode,
        task: &'static Task,
        id: Option<&'static [&'static str]>,
    ) -> TaskCall<T, E, S, F> {
        let mut pending = Pending::new(self, operation, input);
        pending.path_values = path_values(operation, input);
        let kind = id.map_or(Kind::Gets(task), |id| Kind::Creates(task, id));
        Call::new(pending, OfTask { kind, types: PhantomData })
    }

    /// Creates a call of a long-running operation. Generated functions call this method.
    pub fn monitored<T, E>(
        &self,
        operation: &'static Operation,
        input: &dyn Encode,
        state: FinalState,
    ) -> MonitoredCall<T, E> {
        let kind = Kind::Begins(state);
        Call::new(Pending::new(self, operation, input), OfTask { kind, types: PhantomData })
    }
}

impl<T, E, S, F, R> Call<T, E, OfTask<S, F, R>> {
    /// Waits for the end of the task. Await the result, or first set options on it.
    ///
    /// The call of an operation that creates a task is sent first. The call of the operation that gets a task creates
    /// nothing: it waits for a task whose id the program knows.
    ///
    /// Each poll is a call of its own, with the headers, the timeout, the deadline and the retries of this call.
    pub fn wait(self) -> Wait<T, E, S, F, R> {
        Wait { call: self, delay: None, deadline: None, limit: None, events: None }
    }
}

/// A bound on the polls that are sent at the same time, for many tasks.
///
/// Clones share the bound.
///
/// # Examples
/// ```
/// use openapi_crates_runtime::client::PollLimit;
///
/// let limit = PollLimit::new(4);
/// ```
#[derive(Debug, Clone)]
pub struct PollLimit(Arc<Semaphore>);

impl PollLimit {
    /// Creates a bound of this number of polls, at least 1.
    #[must_use]
    pub fn new(polls: usize) -> Self {
        Self(Arc::new(Semaphore::new(polls.clamp(1, Semaphore::MAX_PERMITS))))
    }
}

/// The waiting for the end of a task, which has not begun yet.
///
/// Awaited, it returns the finished task.
#[must_use = "nothing is sent until this is awaited"]
pub struct Wait<T, E, S, F, R = S> {
    call: Call<T, E, OfTask<S, F, R>>,
    delay: Option<Delay>,
    deadline: Option<Duration>,
    limit: Option<PollLimit>,
    events: Option<TaskEvents>,
}

impl<T, E, S, F, R> Wait<T, E, S, F, R> {
    /// Sets the first wait, after the creation of the task or after the first poll, and the longest wait. The defaults
    /// are 1 s and 30 s.
    ///
    /// The waits grow by half from poll to poll, and are shortened at random by up to a quarter. If the response to a
    /// poll has a longer `Retry-After`, the wait is that time, up to 10 minutes.
    pub fn interval(mut self, first: Duration, longest: Duration) -> Self {
        self.delay = Some(Delay::new(first, longest));
        self
    }

    /// Sets the maximum duration, from the call that creates the task to its end. The default is no limit.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Polls when an event says that the task has changed, in place of frequent polls.
    ///
    /// Events can be lost, so polls without an event continue. Without an [`interval`](Self::interval), the waits between
    /// them are 30 s to 2 minutes.
    pub fn events(mut self, events: &TaskEvents) -> Self {
        self.events = Some(events.clone());
        self
    }

    /// Sets the bound on polls that this task shares with others.
    pub fn poll_limit(mut self, limit: &PollLimit) -> Self {
        self.limit = Some(limit.clone());
        self
    }
}

impl<T: Decode, E: Decode + fmt::Debug, S: Decode, F: Decode + fmt::Debug, R> Wait<T, E, S, F, R> {
    /// Creates the task, and returns a handle of it.
    ///
    /// The call of an operation that gets a task is not sent.
    ///
    /// # Errors
    /// Returns an error if the task could not be created, or if the response has no id.
    pub async fn start(self) -> Result<Running<S, F, R>, WaitError<S, F, E>> {
        let Self { call: Call { pending, reading, .. }, delay, deadline, limit, events } = self;
        // An event can arrive before the response that creates its task.
        let events = events.map(|events| events.subscribe());
        let delay = delay.unwrap_or_else(|| Delay::usual(events.is_some()));
        let end = deadline.and_then(|after| Some((Instant::now().checked_add(after)?, after)));
        let Begun { get, subject, id, first, asked } = match reading.kind {
            Kind::Gets(task) => Begun::got(task, pending),
            Kind::Creates(task, id) => create::<T, _, _, _>(task, id, pending, deadline).await?,
            Kind::Begins(state) => begin::<T, _, _, _>(state, pending, deadline).await?,
        };
        let due = matches!(reading.kind, Kind::Gets(_)).then(Due::now);
        let mut watch = Watch { get, subject, id, first, delay, due, end, limit, events, failures: 0 };
        watch.delay.ask(asked);
        Ok(Running::new(watch))
    }
}

/// A task that has begun.
struct Begun {
    get: Box<Pending>,
    subject: Subject,
    id: String,
    first: Option<Received>,
    /// The wait that the response asks for.
    asked: Option<Duration>,
}

impl Begun {
    /// Returns the task that a call gets.
    fn got(task: &'static Task, mut get: Box<Pending>) -> Self {
        let (ids, values): (PathValues, _) = std::mem::take(&mut get.path_values)
            .into_iter()
            .partition(|(name, _)| Some(*name) == task.get.id);
        let id = ids.into_iter().next().map_or_else(String::new, |(_, id)| match id {
            Value::String(text) => text,
            other => other.to_string(),
        });
        get.drop_key();
        Self { get, subject: Subject::Task { task, values }, id, first: None, asked: None }
    }
}

/// Sends the call that creates a task.
async fn create<T: Decode, S, F: fmt::Debug, E: Decode + fmt::Debug>(
    task: &'static Task,
    path: Path,
    mut pending: Box<Pending>,
    deadline: Option<Duration>,
) -> Result<Begun, WaitError<S, F, E>> {
    let operation = pending.operation;
    let get = pending.followed_by(task.get.operation).map_err(not_started)?;
    // A task that can't be followed is not created.
    get.check_credentials().map_err(|kind| not_started(get.failed(kind)))?;
    let values = std::mem::take(&mut pending.path_values);
    let received = send(pending, deadline).await.map_err(not_started)?;
    let raw = &received.raw;
    let id = probe::text(&raw.body, path).filter(|_| raw.status.is_success());
    let asked = raw.retry_after();
    if let Err(error) = reply::decode::<T, E>(operation, received) {
        return Err(match id {
            Some(id) => WaitError::Created { id, error },
            None => WaitError::Start(error),
        });
    }
    let Some(id) = id else { return Err(WaitError::NoId { operation }) };
    let get = get.with_path(&task.get.values(&values, &id));
    Ok(Begun { get, subject: Subject::Task { task, values }, id, first: None, asked })
}

/// Sends the call that begins a long-running operation.
async fn begin<T: Decode, S, F: fmt::Debug, E: Decode + fmt::Debug>(
    state: FinalState,
    mut pending: Box<Pending>,
    deadline: Option<Duration>,
) -> Result<Begun, WaitError<S, F, E>> {
    let operation = pending.operation;
    let original = pending.own_url().map_err(|kind| not_started(pending.failed(kind)))?;
    let mut get = pending.followed_by(operation).map_err(not_started)?;
    let received = send(pending, deadline).await.map_err(not_started)?;
    let raw = received.raw.clone();
    if !raw.status.is_success()
        && let Err(error) = reply::decode::<T, E>(operation, received)
    {
        return Err(WaitError::Start(error));
    }
    // A request was sent, so it had a URL.
    let Some(original) = original else { return Err(WaitError::NoId { operation }) };
    let asked = raw.retry_after();
    let id = without_query(original.as_str());
    let monitor = Monitor::begin(state, original, raw, &mut get)
        .map_err(|error| WaitError::Created { id: id.clone(), error: error.widen() })?;
    let id = get.url.as_ref().map_or(id, |url| without_query(url.as_str()));
    let first = monitor.first();
    Ok(Begun { get, subject: Subject::Monitor(Box::new(monitor)), id, first, asked })
}

/// Sends the first call within the maximum duration of the wait.
async fn send(mut pending: Box<Pending>, deadline: Option<Duration>) -> Result<Received, Error<NoError>> {
    if let Some(after) = deadline {
        pending.end_within(after);
    }
    exchange(pending, false).await
}

fn not_started<S, F: fmt::Debug, E: fmt::Debug>(error: Error<NoError>) -> WaitError<S, F, E> {
    WaitError::Start(error.widen())
}

impl<T, E, S, F, R> IntoFuture for Wait<T, E, S, F, R>
where
    T: Decode + 'static,
    E: Decode + fmt::Debug + 'static,
    S: Decode + 'static,
    F: Decode + fmt::Debug + 'static,
    R: Decode + 'static,
{
    type Output = Result<R, WaitError<S, F, E>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async {
            let running = self.start().await?;
            running.end().await
        })
    }
}

impl<T, E, S, F, R> fmt::Debug for Wait<T, E, S, F, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wait")
            .field("call", &self.call)
            .field("delay", &self.delay)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}
