//! One attempt at a task: loads its media, runs its engines, stores its files.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::slots::Slot;
use super::{Worker, heartbeat, progress};
use crate::crash;
use crate::engine::call::{Calls, OnUncertain};
use crate::engine::context::{Cancellation, Context, Over};
use crate::engine::family::Family;
use crate::engine::work::{Assignment, Step, StoredMedium};
use crate::engine::{Failure, Medium, Output, Request};
use crate::files::{Area, FilesError, attempt_of, result_key};
use crate::media::format::Kind;
use crate::media::input::Source;
use crate::media::load::{self, LoadError};
use crate::store::{Claimed, FailureCause, Piece};

/// How long a built-in engine may take to notice that its attempt is over.
const LAST_MOMENTS: Duration = Duration::from_secs(3);

/// The result of an attempt.
pub(super) struct Made {
    /// The texts and files, in order.
    pub(super) pieces: Vec<Piece>,
    /// The size of the files.
    pub(super) bytes: u64,
    /// The engines that made them.
    pub(super) engine: String,
}

/// The outcome of an attempt.
pub(super) enum Outcome {
    /// The task ends.
    Ended(Result<Made, FailureCause>),
    /// The attempt failed and may succeed later.
    ///
    /// Holds the cause for the client if this was the last attempt, and the reason for the log.
    TryAgain(Option<FailureCause>, String),
    /// The service itself has a failure, so the attempt does not count.
    ///
    /// Holds the reason for the log.
    Wait(String),
    /// The engine does not work or is busy. The task waits as long as it takes, and the attempt does not count.
    ///
    /// Holds the reason for the log, and when the engine wants to be asked again.
    NotNow(String, Option<Duration>),
    /// The attempt exceeded its deadline, as another one would: the task ends.
    Late(FailureCause),
    /// The process stops, or another key gets the thread.
    GiveBack,
    /// The lease is lost: another worker may hold the task.
    Lost,
}

/// Why an attempt has no result.
enum Trouble {
    Final(FailureCause),
    /// Media could not be downloaded.
    ///
    /// Holds the cause for the client and the reason for the log.
    Unreachable(FailureCause, String),
    /// The engine failed; another attempt may succeed.
    Passing(String),
    /// The file store failed; another attempt may succeed, and this one does not count.
    Outage(FilesError),
    /// The engine does not work or is busy.
    NotNow(String, Option<Duration>),
    Cancelled,
}

/// Runs one attempt under heartbeats, until its deadline.
pub(super) async fn run(
    worker: &Worker,
    claimed: &Claimed,
    slot: Arc<Slot>,
    deadline: Duration,
    (stop, grace): (watch::Receiver<bool>, Duration),
) -> Outcome {
    let cancellation = Cancellation::default();
    let (asked, thread) = (slot.asked(), Arc::downgrade(&slot));
    let called_off = async {
        tokio::select! {
            () = stopped(stop, grace) => {}
            () = asked => {}
        }
    };
    // What an attached engine serves needs nothing else, also as a step of a workflow app.
    let is_attached = worker.registry.lane(&claimed.demand.families).is_some();
    let last_moments = |over: Over| if is_attached { over.last_moments() } else { LAST_MOMENTS };
    let work = attempt(worker, claimed, slot, deadline, cancellation.clone());
    let beats = heartbeat::keep(worker, &claimed.lease, &cancellation);
    tokio::pin!(work, beats);
    let over = tokio::select! {
        done = &mut work => return outcome(done),
        // An engine cancels its provider's job if an operator has ended the task.
        () = &mut beats => {
            let over = cancellation.over().unwrap_or(Over::Interrupted);
            let _ = timeout(last_moments(over), &mut work).await;
            return Outcome::Lost;
        }
        () = tokio::time::sleep(deadline) => Over::Ended,
        () = called_off => Over::Interrupted,
    };
    cancellation.end(over);
    let done = timeout(last_moments(over), &mut work);
    tokio::pin!(done);
    let done = tokio::select! {
        done = &mut done => done,
        () = &mut beats => {
            let _ = done.await;
            return Outcome::Lost;
        }
    };
    if over == Over::Interrupted {
        // A download ends with the process, as does an engine that ignores the cancellation.
        return outcome(done.unwrap_or(Err(Trouble::Cancelled)));
    }
    if done.is_err() {
        // No thread can be stopped, so an engine that ignores the cancellation keeps its thread.
        let is_replaced = thread.upgrade().is_some_and(|slot| slot.replace());
        tracing::error!(task = %claimed.task.id, is_replaced, "an engine hangs and occupies a thread");
        metrics::counter!("engines_hung_total").increment(1);
    }
    Outcome::Late(FailureCause {
        code: "deadline_exceeded".to_owned(),
        message: format!("The task took longer than {} seconds.", deadline.as_secs()),
    })
}

/// Returns the outcome of an attempt that ended by itself.
fn outcome(done: Result<Made, Trouble>) -> Outcome {
    match done {
        Ok(made) => Outcome::Ended(Ok(made)),
        Err(Trouble::Final(cause)) => Outcome::Ended(Err(cause)),
        Err(Trouble::Unreachable(cause, why)) => {
            Outcome::TryAgain(Some(cause), format!("can't fetch media: {why}"))
        }
        Err(Trouble::Passing(reason)) => Outcome::TryAgain(None, reason),
        Err(Trouble::Outage(error)) => Outcome::Wait(error.to_string()),
        Err(Trouble::NotNow(reason, retry_after)) => Outcome::NotNow(reason, retry_after),
        Err(Trouble::Cancelled) => Outcome::GiveBack,
    }
}

/// Returns once the process has been stopping for `grace`.
pub(super) async fn stopped(mut stop: watch::Receiver<bool>, grace: Duration) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
    tokio::time::sleep(grace).await;
}

async fn attempt(
    worker: &Worker,
    claimed: &Claimed,
    slot: Arc<Slot>,
    deadline: Duration,
    cancellation: Cancellation,
) -> Result<Made, Trouble> {
    let assignment: Assignment = serde_json::from_str(&claimed.task.work).map_err(|error| {
        tracing::error!(task = %claimed.task.id, %error, "can't read a task's work");
        unavailable("This version of the service can't read the task, which another version accepted.")
    })?;
    let most_bytes = assignment.most_bytes.unwrap_or(u64::MAX);
    let lane = assignment.steps.iter().find_map(|step| worker.registry.lane(&step.family));
    let lane_name = lane.map_or("", |lane| lane.name.as_str());
    let calls =
        Calls::of_task(lane_name, Arc::clone(&worker.store), claimed.lease.clone(), claimed.call.as_deref());
    let context = Context::new(assignment.seed, Instant::now() + deadline, calls, slot)
        .in_folder(worker.files.scratch())
        .at_most(most_bytes)
        .ended_by(cancellation);
    let (mut outputs, mut engines) = (Vec::new(), Vec::new());
    for step in assignment.steps {
        let run = self::step(worker, step, &context, &outputs);
        let (engine, made) = match progress::told(worker, &claimed.lease, &context, run).await {
            Ok(made) => made,
            Err(StepTrouble::Engine(failure)) => {
                let on_uncertain = lane.map_or(OnUncertain::Retry, |lane| lane.on_uncertain);
                return Err(after(failure, &context, on_uncertain).await);
            }
            Err(StepTrouble::Other(trouble)) => return Err(trouble),
        };
        engines.push(engine);
        outputs.extend(made);
    }
    drop(context);
    let bytes = size(&outputs, most_bytes)?;
    let pieces = put(worker, claimed, outputs).await?;
    Ok(Made { pieces, bytes, engine: engines.join(" + ") })
}

/// Why a step has no output.
enum StepTrouble {
    Engine(Failure),
    Other(Trouble),
}

impl From<Trouble> for StepTrouble {
    fn from(trouble: Trouble) -> Self {
        Self::Other(trouble)
    }
}

/// Runs one step; returns the engine's name and output.
///
/// `before` holds the output of the earlier steps.
async fn step(
    worker: &Worker,
    step: Step,
    context: &Context,
    before: &[Output],
) -> Result<(String, Vec<Output>), StepTrouble> {
    let family = Family::named(&step.family);
    let request =
        family.map(|family| Request { family, input: step.input.as_ref(), work: step.work.as_ref() });
    let (request, engine) = request
        .and_then(|request| Some((request, worker.registry.engine(request)?)))
        .ok_or_else(|| unavailable("The engine that the task was accepted for is no longer configured."))?;
    let mut media = Vec::with_capacity(step.media.len());
    for source in &step.media {
        media.push(match source {
            StoredMedium::Made(place) => Medium {
                name: String::new(),
                kind: Kind::Image,
                bytes: made(before, *place)?.into(),
                url: None,
            },
            StoredMedium::Given { name, kind, source } => {
                let url = match source {
                    Source::Url(url) => Some(url.clone()),
                    Source::Own { key, area: Area::Results } => Some(worker.urls.of(key)),
                    Source::Own { .. } | Source::Stored(_) => None,
                };
                Medium { name: name.clone(), kind: *kind, bytes: loaded(worker, source, *kind).await?, url }
            }
        });
    }
    let run = AssertUnwindSafe(engine.run(request, media, context)).catch_unwind();
    let outputs = run.await.unwrap_or_else(|_| Err(Failure::Internal("the engine panicked".to_owned())));
    Ok((engine.name().to_owned(), outputs.map_err(StepTrouble::Engine)?))
}

/// Loads a medium that the client gave.
async fn loaded(worker: &Worker, source: &Source, kind: Kind) -> Result<Bytes, Trouble> {
    match source {
        Source::Stored(key) => stored(worker, Area::Inputs, key, kind).await,
        Source::Own { area, key } => {
            let bytes = stored(worker, *area, key, kind).await?;
            load::look(&bytes, kind).map_err(|error| load_trouble(&error))?;
            Ok(bytes)
        }
        Source::Url(url) => {
            let fetched = load::fetch(&worker.fetcher, url, kind).await;
            Ok(fetched.map_err(|error| load_trouble(&error))?.0)
        }
    }
}

/// Reads a medium from the file store.
async fn stored(worker: &Worker, area: Area, key: &str, kind: Kind) -> Result<Bytes, Trouble> {
    match worker.files.read(area, key).await {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => Err(Trouble::Final(FailureCause {
            code: "input_gone".to_owned(),
            message: format!("The task's {} is no longer stored.", kind.name()),
        })),
        Err(error) => Err(Trouble::Outage(error)),
    }
}

/// Returns a file that an earlier step made.
fn made(before: &[Output], place: usize) -> Result<Vec<u8>, Trouble> {
    match before.get(place) {
        Some(Output::File(file)) => Ok(file.bytes.clone()),
        Some(Output::Long(_)) => Err(Trouble::Final(FailureCause {
            code: "unsupported_media".to_owned(),
            message: "A step of the workflow app can't use a file as long as an earlier step made."
                .to_owned(),
        })),
        _ => Err(unavailable("The workflow app needs a file that none of its earlier steps makes.")),
    }
}

fn unavailable(message: &str) -> Trouble {
    Trouble::Final(FailureCause { code: "engine_unavailable".to_owned(), message: message.to_owned() })
}

/// Returns the size of all files of a result, if it is not too large.
fn size(outputs: &[Output], most: u64) -> Result<u64, Trouble> {
    let mut size = 0_u64;
    for output in outputs {
        size = size.saturating_add(match output {
            Output::Text(_) => 0,
            Output::File(file) => file.bytes.len() as u64,
            Output::Long(file) => {
                file.content.length().map_err(|error| Trouble::Outage(FilesError::Scratch(error)))?
            }
        });
    }
    if size > most { Err(Trouble::Final(failure_cause(Context::too_large()))) } else { Ok(size) }
}

/// Stores the files of a result under keys of this attempt.
///
/// They are invisible until the task ends.
async fn put(worker: &Worker, claimed: &Claimed, outputs: Vec<Output>) -> Result<Vec<Piece>, Trouble> {
    let mut pieces = Vec::with_capacity(outputs.len());
    for (place, output) in outputs.into_iter().enumerate() {
        let key = |extension| result_key(&claimed.task.folder, claimed.lease.attempt, place, extension);
        let (key, put) = match output {
            Output::Text(text) => {
                pieces.push(Piece::Text(text));
                continue;
            }
            Output::File(file) => {
                let key = key(file.extension);
                let put = worker.files.put(Area::Results, &key, Bytes::from(file.bytes)).await;
                (key, put)
            }
            Output::Long(file) => {
                let key = key(file.extension);
                let put = worker.files.put_long(Area::Results, &key, file.content).await;
                (key, put)
            }
        };
        put.map_err(Trouble::Outage)?;
        crash::point("after-file");
        pieces.push(Piece::File(key));
    }
    Ok(pieces)
}

/// Removes the files of an attempt whose result does not count.
pub(super) async fn discard(worker: &Worker, folder: &str, attempt: u32) {
    let Ok(files) = worker.files.list(Area::Results, folder).await else { return };
    for file in files.iter().filter(|file| attempt_of(&file.key) == Some(attempt)) {
        if let Err(error) = worker.files.remove(Area::Results, &file.key).await {
            tracing::warn!(%error, key = file.key, "can't remove a discarded file; the sweep will");
        }
    }
}

/// Returns what follows from an engine's failure.
async fn after(failure: Failure, context: &Context, on_uncertain: OnUncertain) -> Trouble {
    match failure {
        Failure::Cancelled => Trouble::Cancelled,
        Failure::Busy { retry_after } => Trouble::NotNow(failure.to_string(), retry_after),
        Failure::Unavailable(_) | Failure::Credentials(_) => Trouble::NotNow(failure.to_string(), None),
        Failure::Timeout(_) | Failure::Internal(_) => Trouble::Passing(failure.to_string()),
        Failure::Uncertain(_) | Failure::Gone(_) if on_uncertain == OnUncertain::Retry => {
            match context.calls.clear().await {
                Ok(()) => Trouble::Passing(failure.to_string()),
                Err(error) => Trouble::Passing(error.to_string()),
            }
        }
        Failure::Uncertain(_) | Failure::Gone(_) => {
            tracing::error!(%failure, "a task fails, because another call could cost twice");
            Trouble::Final(failure_cause(failure))
        }
        Failure::Moderation(_) | Failure::Invalid(_) | Failure::Media { .. } => {
            Trouble::Final(failure_cause(failure))
        }
    }
}

/// Returns the cause that the client reads.
fn failure_cause(failure: Failure) -> FailureCause {
    let (code, message) = match failure {
        Failure::Media { code, message } => (code, message),
        Failure::Moderation(message) => ("content_refused", message),
        Failure::Invalid(message) => ("unsupported_parameters", message),
        Failure::Uncertain(_) | Failure::Gone(_) => (
            "outcome_unknown",
            "The connection to the engine was lost, and it is unknown whether it did the work.".to_owned(),
        ),
        _ => ("engine_failed", "The engine failed.".to_owned()),
    };
    FailureCause { code: code.to_owned(), message }
}

fn load_trouble(error: &LoadError) -> Trouble {
    if error.is_temporary() {
        Trouble::Unreachable(error.cause(), error.for_operator())
    } else {
        Trouble::Final(error.cause())
    }
}
