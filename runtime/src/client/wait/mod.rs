//! Tasks: operations that start work, which other operations report on.

mod delay;
mod error;
mod poll;
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
    poll::{Due, Watch, with_id},
};
pub use self::{
    error::WaitError,
    updates::{Running, Update, Updates},
};
use super::{
    call::{Call, Reading},
    connection::Client,
    error::{Error, ErrorKind},
    exchange::exchange,
    pending::Pending,
    platform::{Instant, wall_clock},
    probe::{self, Path},
    reply,
    response::{Received, Response, retry_after},
};
use crate::{
    codec::{Decode, Encode},
    table::Operation,
};

/// The description of a task. Generated code fills it in.
#[derive(Debug)]
pub struct Task {
    /// The operation that gets the task.
    pub get: &'static Operation,
    /// The operation that cancels the task.
    pub cancel: Option<&'static Operation>,
    /// The id in the response that creates the task.
    pub id: Path,
    /// The status in the response that gets the task.
    pub status: Path,
    /// The values of the status of a task that has succeeded.
    pub done: &'static [&'static str],
    /// The values of the status of a task that has failed.
    pub failed: &'static [&'static str],
    /// The reason of a failure, as text.
    pub message: Option<Path>,
    /// The part of the work that is done, as a number.
    pub progress: Option<Path>,
}

/// A call of an operation that creates or gets a task.
///
/// `T` and `E` are the output and the errors of the operation, `S` and `F` those of the operation that gets the task.
/// Awaited, it sends one request. [`wait`](Call::wait) waits for the end of the task.
pub type TaskCall<T, E, S, F> = Call<T, E, OfTask<S, F>>;

/// Decoding into the types of an operation that creates or gets a task.
pub struct OfTask<S, F> {
    task: &'static Task,
    types: PhantomData<fn() -> (S, F)>,
}

impl<S, F> Clone for OfTask<S, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, F> Copy for OfTask<S, F> {}

impl<T: Decode, E: Decode + fmt::Debug, S, F> Reading<T, E> for OfTask<S, F> {
    const STREAMS: bool = true;

    fn read(self, operation: &'static Operation, received: Received) -> Result<Response<T>, ErrorKind<E>> {
        reply::decode(operation, received)
    }
}

impl Client {
    /// Creates a call of an operation that creates or gets a task.
    ///
    /// Generated functions call this method, and ensure that the types match the operations.
    pub fn task<T, E, S, F>(
        &self,
        operation: &'static Operation,
        input: &dyn Encode,
        task: &'static Task,
    ) -> TaskCall<T, E, S, F> {
        Call::new(Pending::new(self, operation, input), OfTask { task, types: PhantomData })
    }
}

impl<T, E, S, F> Call<T, E, OfTask<S, F>> {
    /// Waits for the end of the task. Await the result, or first set options on it.
    ///
    /// The call of an operation that creates a task is sent first. The call of the operation that gets a task creates
    /// nothing: it waits for a task whose id the program knows.
    ///
    /// Each poll is a call of its own, with the headers, the timeout and the retries of this call.
    pub fn wait(self) -> Wait<T, E, S, F> {
        Wait { call: self, delay: Delay::default(), deadline: None, poller: None }
    }
}

/// A bound on the polls that are sent at the same time, for many tasks.
///
/// Clones share the bound.
///
/// # Examples
/// ```
/// use openapi_crates_runtime::client::Poller;
///
/// let poller = Poller::new(4);
/// ```
#[derive(Debug, Clone)]
pub struct Poller(Arc<Semaphore>);

impl Poller {
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
pub struct Wait<T, E, S, F> {
    call: Call<T, E, OfTask<S, F>>,
    delay: Delay,
    deadline: Option<Duration>,
    poller: Option<Poller>,
}

impl<T, E, S, F> Wait<T, E, S, F> {
    /// Sets the wait before the second poll, and the longest wait. The defaults are 1 s and 30 s.
    ///
    /// The waits grow by half from poll to poll, and are shortened at random by up to a quarter. If the response to a
    /// poll has a longer `Retry-After`, the wait is that time, up to 10 minutes.
    pub fn interval(mut self, first: Duration, longest: Duration) -> Self {
        self.delay = Delay::new(first, longest);
        self
    }

    /// Sets the maximum duration, from the call that creates the task to its end. The default is no limit.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Sets the bound on polls that this task shares with others.
    pub fn poller(mut self, poller: &Poller) -> Self {
        self.poller = Some(poller.clone());
        self
    }
}

impl<T: Decode, E: Decode + fmt::Debug, S: Decode, F: Decode + fmt::Debug> Wait<T, E, S, F> {
    /// Creates the task, and returns a handle of it.
    ///
    /// The call of an operation that gets a task is not sent.
    ///
    /// # Errors
    /// Returns an error if the task could not be created, or if the response has no id.
    pub async fn start(self) -> Result<Running<S, F>, WaitError<S, F, E>> {
        let Self { call: Call { mut pending, reading, .. }, delay, deadline, poller } = self;
        let (operation, task) = (pending.operation, reading.task);
        let end = deadline.and_then(|after| Some((Instant::now().checked_add(after)?, after)));
        let values = pending.path_values();
        let start = |kind, attempts| WaitError::Start(Error::new(kind, Some(operation), attempts));
        if std::ptr::eq(operation, task.get) {
            let id = values.last().map(|(_, id)| id.clone()).unwrap_or_default();
            pending.drop_key();
            let due = Some(Due::now());
            let watch = Watch { get: pending, task, id, values, delay, due, end, poller, failures: 0 };
            return Ok(Running::new(watch));
        }
        let template = pending.followed_by(task.get).map_err(|kind| start(kind.widen(), 0))?;
        if let Some(after) = deadline {
            pending.deadline = Some(pending.deadline.map_or(after, |own| own.min(after)));
        }
        let (attempts, outcome) = exchange(pending, false).await;
        let received = outcome.map_err(|kind| start(kind.widen(), attempts))?;
        let raw = &received.raw;
        let id = probe::text(&raw.body, task.id).filter(|_| raw.status.is_success());
        let headers = raw.headers.clone();
        if let Err(kind) = reply::decode::<T, E>(operation, received) {
            let error = Error::new(kind, Some(operation), attempts);
            return Err(match id {
                Some(id) => WaitError::Created { id, error },
                None => WaitError::Start(error),
            });
        }
        let Some(id) = id else { return Err(WaitError::NoId { operation }) };
        let values = with_id(task.get, &values, &id);
        let get = template.with_path(&values);
        let mut watch = Watch { get, task, id, values, delay, due: None, end, poller, failures: 0 };
        watch.delay.ask(retry_after(&headers, wall_clock()));
        Ok(Running::new(watch))
    }
}

impl<T, E, S, F> IntoFuture for Wait<T, E, S, F>
where
    T: Decode + 'static,
    E: Decode + fmt::Debug + 'static,
    S: Decode + 'static,
    F: Decode + fmt::Debug + 'static,
{
    type Output = Result<S, WaitError<S, F, E>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async {
            let running = self.start().await?;
            running.end().await
        })
    }
}

impl<T, E, S, F> fmt::Debug for Wait<T, E, S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wait")
            .field("call", &self.call)
            .field("delay", &self.delay)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}
