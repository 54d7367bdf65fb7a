//! A task that exists: its changes, its end, its cancellation.

use std::{
    fmt,
    future::Future,
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_core::Stream;

use super::{
    WaitError,
    poll::{Ending, NoReport, Report, Watch, with_id},
};
use crate::{
    client::{
        error::{Error, ErrorKind, Unexpected},
        exchange::exchange,
        reply,
    },
    codec::Decode,
    types::NoError,
};

/// A task that exists, and that this program waits for.
///
/// The program stops waiting when it drops this; the task goes on. A program that wants to wait again later stores the
/// [id](Self::id) and calls the operation that gets the task.
pub struct Running<S, F> {
    watch: Watch,
    /// The status and the progress of the last change.
    last: Option<(String, Option<f64>)>,
    has_ended: bool,
    types: PhantomData<fn() -> (S, F)>,
}

/// A change of a task.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Update<S> {
    /// The status.
    pub status: String,
    /// The part of the work that is done, as the API counts it. `None` if the API does not say it.
    pub progress: Option<f64>,
    /// Whether the task has succeeded. A failure is an error.
    pub is_done: bool,
    /// The task.
    pub task: S,
}

impl<S, F> Running<S, F> {
    pub(super) const fn new(watch: Watch) -> Self {
        Self { watch, last: None, has_ended: false, types: PhantomData }
    }

    /// Returns the id of the task.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.watch.id
    }

    /// Calls the operation of the API that cancels the task.
    ///
    /// Returns `false` if the document names none: nothing was sent, and dropping the task only stops the waiting.
    ///
    /// # Errors
    /// Returns an error if the response is not a success.
    pub async fn cancel(&mut self) -> Result<bool, Error<NoError>> {
        let Some(operation) = self.watch.task.cancel else { return Ok(false) };
        let error = |kind, attempts| Error::new(kind, Some(operation), attempts);
        let call = self.watch.get.followed_by(operation).map_err(|kind| error(kind, 0))?;
        let Watch { values, id, .. } = &self.watch;
        let (attempts, outcome) = exchange(call.with_path(&with_id(operation, values, id)), false).await;
        let received = outcome.map_err(|kind| error(kind, attempts))?;
        if received.raw.status.is_success() {
            return Ok(true);
        }
        let unexpected = Unexpected::new(received.raw, None);
        Err(error(ErrorKind::Unexpected(Box::new(unexpected)), attempts))
    }
}

impl<S: Decode, F: Decode + fmt::Debug> Running<S, F> {
    /// Waits for the end of the task.
    ///
    /// # Errors
    /// Returns an error if the task has failed, can't be followed, or does not end in time.
    pub async fn finish(self) -> Result<S, WaitError<S, F>> {
        self.end().await
    }

    /// The same, with the error of the call that created the task.
    pub(super) async fn end<E: fmt::Debug>(mut self) -> Result<S, WaitError<S, F, E>> {
        self.until(false).await.map(|update| update.task)
    }

    /// Returns the changes as a stream, which ends with the task.
    pub fn updates(self) -> Updates<S, F> {
        Updates(State::Idle(Box::new(self)))
    }

    /// Waits for the next change of the status or the progress. Returns `None` after the end.
    ///
    /// The first poll is a change. If the future is dropped, as by `tokio::select!`, the wait goes on, and a poll that
    /// was in flight is sent again by the next call.
    ///
    /// # Errors
    /// See [`finish`](Self::finish). An error is the end.
    pub async fn next(&mut self) -> Option<Result<Update<S>, WaitError<S, F>>> {
        if self.has_ended {
            return None;
        }
        let change = self.until(true).await;
        self.has_ended = change.as_ref().map_or(true, |change| change.is_done);
        Some(change)
    }

    /// Polls until the task has ended or, if `each` is set, has changed.
    async fn until<E: fmt::Debug>(&mut self, each: bool) -> Result<Update<S>, WaitError<S, F, E>> {
        loop {
            let report = match self.watch.poll().await {
                Ok(report) => report,
                Err(none) => return Err(self.lost(none)),
            };
            let Report { status, progress, ending, attempts, received } = report;
            let is_new =
                self.last.as_ref().is_none_or(|(last, before)| *last != status || *before != progress);
            // A task that goes on is decoded only if somebody wants it.
            if ending.is_none() && !(each && is_new) {
                continue;
            }
            let get = self.watch.task.get;
            let task = reply::decode::<S, F>(get, received).map_err(|kind| self.failed(kind, attempts))?;
            let task = task.into_value();
            self.last = Some((status.clone(), progress));
            return match ending {
                Some(Ending::Failed { message }) => {
                    Err(WaitError::Failed { id: self.id().to_owned(), status, message, task: Box::new(task) })
                }
                _ => Ok(Update { status, progress, is_done: ending.is_some(), task }),
            };
        }
    }

    /// Returns the error for a poll without a status.
    fn lost<E: fmt::Debug>(&self, none: NoReport) -> WaitError<S, F, E> {
        let operation = self.watch.task.get;
        match none {
            NoReport::Deadline(after) => WaitError::Deadline { id: self.id().to_owned(), after },
            NoReport::Failed { kind, attempts } => self.failed(kind.widen(), attempts),
            NoReport::Other { received, attempts } => match reply::decode::<S, F>(operation, *received) {
                Err(kind) => self.failed(kind, attempts),
                Ok(_) => WaitError::NoStatus { id: self.id().to_owned(), operation },
            },
        }
    }

    fn failed<E: fmt::Debug>(&self, kind: ErrorKind<F>, attempts: u32) -> WaitError<S, F, E> {
        let error = Error::new(kind, Some(self.watch.task.get), attempts);
        WaitError::Poll { id: self.id().to_owned(), error }
    }
}

impl<S, F> fmt::Debug for Running<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running")
            .field("id", &self.watch.id)
            .field("last", &self.last)
            .finish_non_exhaustive()
    }
}

/// The changes of a task, as a stream.
#[must_use = "a task is polled when its changes are polled for"]
pub struct Updates<S, F: fmt::Debug>(State<S, F>);

type Changed<S, F> = (Box<Running<S, F>>, Option<Result<Update<S>, WaitError<S, F>>>);

enum State<S, F: fmt::Debug> {
    Idle(Box<Running<S, F>>),
    Running(Pin<Box<dyn Future<Output = Changed<S, F>> + Send>>),
    Ended,
}

impl<S, F> Stream for Updates<S, F>
where
    S: Decode + 'static,
    F: Decode + fmt::Debug + 'static,
{
    type Item = Result<Update<S>, WaitError<S, F>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0 = match std::mem::replace(&mut self.0, State::Ended) {
            State::Idle(mut running) => State::Running(Box::pin(async move {
                let change = running.next().await;
                (running, change)
            })),
            other => other,
        };
        let State::Running(future) = &mut self.0 else { return Poll::Ready(None) };
        let (running, change) = ready!(future.as_mut().poll(context));
        self.0 = if change.is_some() { State::Idle(running) } else { State::Ended };
        Poll::Ready(change)
    }
}

impl<S, F: fmt::Debug> fmt::Debug for Updates<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Updates")
    }
}
