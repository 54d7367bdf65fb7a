//! One attempt at a task: loads its media, runs its engines, stores its files.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use asset_engines::{Failure, Job, Output};
use bytes::Bytes;
use tokio::sync::watch;

use super::slots::Slot;
use super::{Worker, heartbeat};
use crate::crash;
use crate::files::{Area, FilesError, attempt_of, result_key};
use crate::media::format::Kind;
use crate::media::input::Source;
use crate::media::load::{self, LoadError};
use crate::store::{Claimed, FailureCause, Piece};
use crate::tasks::family::Family;
use crate::tasks::work::{Assignment, Medium, Step};

/// How long a cancelled engine may take to notice.
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
    let cancelled = Arc::new(AtomicBool::new(false));
    let (asked, thread) = (slot.asked(), Arc::downgrade(&slot));
    let called_off = async {
        tokio::select! {
            () = stopped(stop, grace) => {}
            () = asked => {}
        }
    };
    let work = attempt(worker, claimed, slot, Arc::clone(&cancelled));
    let beats = heartbeat::keep(worker, &claimed.lease, Arc::clone(&cancelled));
    tokio::pin!(work, beats);
    let outcome = tokio::select! {
        done = &mut work => done,
        () = &mut beats => return Outcome::Lost,
        () = tokio::time::sleep(deadline) => {
            cancelled.store(true, Ordering::Relaxed);
            tokio::select! {
                _ = &mut work => {}
                () = &mut beats => return Outcome::Lost,
                // No thread can be stopped, so an engine that ignores the cancellation keeps its thread.
                () = tokio::time::sleep(LAST_MOMENTS) => {
                    let is_replaced = thread.upgrade().is_some_and(|slot| slot.replace());
                    tracing::error!(task = %claimed.task.id, is_replaced, "an engine hangs and occupies a thread");
                    metrics::counter!("engines_hung_total").increment(1);
                }
            }
            return Outcome::Late(FailureCause {
                code: "deadline_exceeded".to_owned(),
                message: format!("The task took longer than {} seconds.", deadline.as_secs()),
            });
        }
        () = called_off => {
            cancelled.store(true, Ordering::Relaxed);
            tokio::select! {
                done = &mut work => done,
                () = &mut beats => return Outcome::Lost,
                // A download ends with the process, as does an engine that ignores the cancellation.
                () = tokio::time::sleep(LAST_MOMENTS) => Err(Trouble::Cancelled),
            }
        }
    };
    match outcome {
        Ok(made) => Outcome::Ended(Ok(made)),
        Err(Trouble::Final(cause)) => Outcome::Ended(Err(cause)),
        Err(Trouble::Unreachable(cause, why)) => {
            Outcome::TryAgain(Some(cause), format!("can't fetch media: {why}"))
        }
        Err(Trouble::Passing(reason)) => Outcome::TryAgain(None, reason),
        Err(Trouble::Outage(error)) => Outcome::Wait(error.to_string()),
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
    cancelled: Arc<AtomicBool>,
) -> Result<Made, Trouble> {
    let assignment: Assignment = serde_json::from_str(&claimed.task.work).map_err(|error| {
        tracing::error!(task = %claimed.task.id, %error, "can't read a task's work");
        unavailable("This version of the service can't read the task, which another version accepted.")
    })?;
    let most_bytes = assignment.most_bytes.unwrap_or(u64::MAX);
    let job = Job::new(assignment.seed, cancelled).in_folder(worker.files.scratch()).at_most(most_bytes);
    let (mut outputs, mut engines) = (Vec::new(), Vec::new());
    for step in assignment.steps {
        let (engine, made) = self::step(worker, step, &job, &slot, &outputs).await?;
        engines.push(engine);
        outputs.extend(made);
    }
    drop(slot);
    let bytes = size(&outputs, most_bytes)?;
    let pieces = put(worker, claimed, outputs).await?;
    Ok(Made { pieces, bytes, engine: engines.join(" + ") })
}

/// Runs one step on its own thread; returns the engine's name and output.
///
/// `before` holds the output of the earlier steps.
async fn step(
    worker: &Worker,
    step: Step,
    job: &Job,
    slot: &Arc<Slot>,
    before: &[Output],
) -> Result<(&'static str, Vec<Output>), Trouble> {
    let engine = Family::named(&step.family)
        .and_then(|family| worker.registry.engine(family, &step.work))
        .ok_or_else(|| unavailable("The engine that the task was accepted for is no longer configured."))?;
    let mut media = Vec::with_capacity(step.media.len());
    for source in &step.media {
        media.push(match source {
            Medium::Made(place) => made(before, *place)?,
            Medium::Given { kind, source: Source::Stored(key) } => {
                stored(worker, Area::Inputs, key, *kind).await?
            }
            Medium::Given { kind, source: Source::Own { area, key } } => {
                let bytes = stored(worker, *area, key, *kind).await?;
                load::look(&bytes, *kind).map_err(|error| load_trouble(&error))?;
                bytes
            }
            Medium::Given { kind, source: Source::Url(url) } => {
                let fetched = load::fetch(&worker.fetcher, url, *kind).await;
                fetched.map_err(|error| load_trouble(&error))?.0.into()
            }
        });
    }
    let (job, name) = (job.clone(), engine.name());
    // A cancelled engine keeps its slot until it returns.
    let slot = Arc::clone(slot);
    let run = move || {
        crash::hang("engine");
        let made = engine.run(&step.work, media, &job);
        drop(slot);
        made
    };
    match tokio::task::spawn_blocking(run).await {
        Ok(Ok(outputs)) => Ok((name, outputs)),
        Ok(Err(failure)) => Err(engine_trouble(failure)),
        Err(panic) => Err(Trouble::Passing(format!("the engine panicked: {panic}"))),
    }
}

/// Reads a medium from the file store.
async fn stored(worker: &Worker, area: Area, key: &str, kind: Kind) -> Result<Vec<u8>, Trouble> {
    match worker.files.read(area, key).await {
        Ok(Some(bytes)) => Ok(bytes.into()),
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
    if size > most { Err(engine_trouble(Failure::too_large())) } else { Ok(size) }
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

fn engine_trouble(failure: Failure) -> Trouble {
    match failure {
        Failure::Cancelled => Trouble::Cancelled,
        Failure::Media { code, message } => Trouble::Final(FailureCause { code: code.to_owned(), message }),
        Failure::Internal(reason) => Trouble::Passing(reason),
    }
}

fn load_trouble(error: &LoadError) -> Trouble {
    if error.is_temporary() {
        Trouble::Unreachable(error.cause(), error.for_operator())
    } else {
        Trouble::Final(error.cause())
    }
}
