//! A task that exists: its changes, its end, its cancellation.

use std::{
    fmt,
    future::Future,
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_core::Stream;

use super::poll::{Ending, NoReport, Report, Subject, Watch};
use crate::client::{
    Error, ErrorKind, Received, Response, Undecodable, WaitError, exchange::exchange, reply,
};
use crate::{
    codec::{Decode, JsonReader},
    table::Operation,
    types::NoError,
};

/// A task that exists, and that this program waits for.
///
/// The program stops waiting when it drops this; the task continues. A program that wants to wait again later stores the
/// [id](Self::id) and calls the operation that gets the task.
///
/// `S` is the task, `F` the errors of the operation that gets it, and `R` the result.
pub struct Running<S, F, R = S> {
    watch: Watch,
    /// The status and the progress of the last change.
    last: Option<(String, Option<f64>)>,
    has_ended: bool,
    types: PhantomData<super::Decoded<S, F, R>>,
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
    /// The task. For a long-running operation with a monitor, it is the JSON of the response.
    pub task: S,
}

impl<S, F, R> Running<S, F, R> {
    pub(super) const fn new(watch: Watch) -> Self {
        Self { watch, last: None, has_ended: false, types: PhantomData }
    }

    /// Returns the id of the task. For a long-running operation with a monitor, it is the URL without its query.
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
        let Subject::Task { task, values } = &self.watch.subject else { return Ok(false) };
        let Some(step) = task.cancel else { return Ok(false) };
        let values = step.values(values, &self.watch.id);
        let call = self.watch.get.followed_by(step.operation)?;
        let Received { raw, .. } = exchange(call.with_path(&values), false).await?;
        if raw.status.is_success() { Ok(true) } else { Err(Error::unexpected(step.operation, raw)) }
    }
}

impl<S: Decode, F: Decode + fmt::Debug, R: Decode> Running<S, F, R> {
    /// Waits for the end of the task.
    ///
    /// # Errors
    /// Returns an error if the task has failed, can't be followed, or does not end in time.
    pub async fn finish(self) -> Result<R, WaitError<S, F>> {
        self.end().await
    }

    /// Waits for the end of the task. `E` is the error type of the call that created it.
    pub(super) async fn end<E: fmt::Debug>(mut self) -> Result<R, WaitError<S, F, E>> {
        let Report { received, .. } = self.until(false).await?;
        let received = self.watch.result(received).await.map_err(|none| self.lost(none))?;
        let result = reply::decode::<R, F>(self.operation(), received);
        result.map(Response::into_value).map_err(|error| self.failed(error))
    }

    /// Returns the changes as a stream, which ends with the task.
    pub fn updates(self) -> Updates<S, F, R> {
        Updates(State::Idle(Box::new(self)))
    }

    /// Waits for the next change of the status or the progress. Returns `None` after the end.
    ///
    /// The first poll is a change. If the future is dropped, as by `tokio::select!`, the wait continues, and a poll that
    /// was in flight is sent again by the next call.
    ///
    /// # Errors
    /// See [`finish`](Self::finish). An error is the end.
    pub async fn next(&mut self) -> Option<Result<Update<S>, WaitError<S, F>>> {
        if self.has_ended {
            return None;
        }
        let change = self.change().await;
        self.has_ended = change.as_ref().map_or(true, |change| change.is_done);
        Some(change)
    }

    async fn change(&mut self) -> Result<Update<S>, WaitError<S, F>> {
        let Report { status, progress, ending, received } = self.until(true).await?;
        let task = self.state(received).map_err(|error| self.failed(error))?;
        Ok(Update { status, progress, is_done: ending.is_some(), task })
    }

    /// Polls until the task has succeeded or, if `each` is set, has changed.
    async fn until<E: fmt::Debug>(&mut self, each: bool) -> Result<Report, WaitError<S, F, E>> {
        loop {
            let report = self.watch.poll().await.map_err(|none| self.lost(none))?;
            let state = (report.status.clone(), report.progress);
            let is_new = self.last.as_ref() != Some(&state);
            match report.ending {
                None if !(each && is_new) => continue,
                Some(Ending::Failed { message }) => {
                    let (id, status) = (self.id().to_owned(), report.status);
                    let task = Box::new(self.state(report.received).map_err(|error| self.failed(error))?);
                    return Err(WaitError::Failed { id, status, message, task });
                }
                None | Some(Ending::Done) => {}
            }
            self.last = Some(state);
            return Ok(report);
        }
    }

    /// Decodes the task in a response.
    fn state(&self, received: Received) -> Result<S, Error<F>> {
        let operation = self.operation();
        let Subject::Monitor(_) = self.watch.subject else {
            return reply::decode::<S, F>(operation, received).map(Response::into_value);
        };
        let Received { raw, .. } = received;
        let body = if raw.body.is_empty() { b"null" } else { &raw.body[..] };
        S::decode(&mut JsonReader::tolerant(body)).map_err(|error| {
            let attempts = raw.attempts;
            let kind = ErrorKind::Decode(Box::new(Undecodable::new(raw.clone(), error.into())));
            Error::new(kind, Some(operation), attempts)
        })
    }

    /// Returns the error for a poll without a status.
    fn lost<E: fmt::Debug>(&self, none: NoReport) -> WaitError<S, F, E> {
        let operation = self.operation();
        match none {
            NoReport::Deadline(after) => WaitError::Deadline { id: self.id().to_owned(), after },
            NoReport::Failed(error) => self.failed(error.widen()),
            // The body of a monitor is not that of the operation.
            NoReport::Other(received)
                if received.raw.status.is_success() && matches!(self.watch.subject, Subject::Monitor(_)) =>
            {
                WaitError::NoStatus { id: self.id().to_owned(), operation }
            }
            NoReport::Other(received) => match reply::decode::<S, F>(operation, *received) {
                Err(error) => self.failed(error),
                Ok(_) => WaitError::NoStatus { id: self.id().to_owned(), operation },
            },
        }
    }

    fn failed<E: fmt::Debug>(&self, error: Error<F>) -> WaitError<S, F, E> {
        WaitError::Poll { id: self.id().to_owned(), error }
    }

    /// Returns the operation that is polled.
    fn operation(&self) -> &'static Operation {
        self.watch.get.operation
    }
}

impl<S, F, R> fmt::Debug for Running<S, F, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running")
            .field("id", &self.watch.id)
            .field("last", &self.last)
            .finish_non_exhaustive()
    }
}

/// The changes of a task, as a stream.
#[must_use = "a task is polled when its changes are polled for"]
pub struct Updates<S, F: fmt::Debug, R = S>(State<S, F, R>);

type Changed<S, F, R> = (Box<Running<S, F, R>>, Option<Result<Update<S>, WaitError<S, F>>>);

enum State<S, F: fmt::Debug, R> {
    Idle(Box<Running<S, F, R>>),
    Running(Pin<Box<dyn Future<Output = Changed<S, F, R>> + Send>>),
    Ended,
}

impl<S, F, R> Stream for Updates<S, F, R>
where
    S: Decode + 'static,
    F: Decode + fmt::Debug + 'static,
    R: Decode + 'static,
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

impl<S, F: fmt::Debug, R> fmt::Debug for Updates<S, F, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Updates")
    }
}
