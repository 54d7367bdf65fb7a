//! One attempt at a task: its media are had, its engine runs, its files are put.

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

/// How long an engine has to see that it is cancelled when the process stops.
const LAST_MOMENTS: Duration = Duration::from_secs(3);

/// A result.
pub(super) struct Made {
    /// Its pieces, in order.
    pub(super) pieces: Vec<Piece>,
    /// What made them.
    pub(super) engine: String,
}

/// What came of an attempt.
pub(super) enum Outcome {
    /// The task is at its end.
    Ended(Result<Made, FailureCause>),
    /// Something broke that may not break again: what the client is told if it does, and what the log is told.
    TryAgain(Option<FailureCause>, String),
    /// The service is in trouble, which costs no attempt: what the log is told.
    Wait(String),
    /// The process stops.
    GiveBack,
    /// The lease is lost: the task is somebody else's.
    Lost,
}

/// Why there is no result yet.
enum Trouble {
    Final(FailureCause),
    /// It may pass; where it does not, the client is told this. And what the log is told.
    Unreachable(FailureCause, String),
    /// It may pass, and is the task's.
    Passing(String),
    /// It may pass, and is ours.
    Outage(FilesError),
    Cancelled,
}

/// Runs one attempt, under heartbeats.
pub(super) async fn run(
    worker: &Worker,
    claimed: &Claimed,
    slot: Arc<Slot>,
    stop: watch::Receiver<bool>,
    grace: Duration,
) -> Outcome {
    let cancelled = Arc::new(AtomicBool::new(false));
    let work = attempt(worker, claimed, slot, Arc::clone(&cancelled));
    let beats = heartbeat::keep(worker, &claimed.lease, Arc::clone(&cancelled));
    tokio::pin!(work, beats);
    let outcome = tokio::select! {
        done = &mut work => done,
        () = &mut beats => return Outcome::Lost,
        () = stopped(stop, grace) => {
            cancelled.store(true, Ordering::Relaxed);
            tokio::select! {
                done = &mut work => done,
                () = &mut beats => return Outcome::Lost,
                // A download goes with the process; so does an engine that doesn't look up.
                () = tokio::time::sleep(LAST_MOMENTS) => Err(Trouble::Cancelled),
            }
        }
    };
    match outcome {
        Ok(made) => Outcome::Ended(Ok(made)),
        Err(Trouble::Final(cause)) => Outcome::Ended(Err(cause)),
        Err(Trouble::Unreachable(cause, why)) => {
            Outcome::TryAgain(Some(cause), format!("media can't be fetched: {why}"))
        }
        Err(Trouble::Passing(reason)) => Outcome::TryAgain(None, reason),
        Err(Trouble::Outage(error)) => Outcome::Wait(error.to_string()),
        Err(Trouble::Cancelled) => Outcome::GiveBack,
    }
}

/// Returns once the process has been stopping for so long.
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
        tracing::error!(task = %claimed.task.id, %error, "a task's work can't be read");
        unavailable("The task was accepted by a version of the service that is no longer there.")
    })?;
    let job = Job::new(assignment.seed, cancelled);
    let (mut outputs, mut engines) = (Vec::new(), Vec::new());
    for step in assignment.steps {
        let (engine, made) = self::step(worker, step, &job, &slot, &outputs).await?;
        engines.push(engine);
        outputs.extend(made);
    }
    drop(slot);
    let pieces = put(worker, claimed, outputs).await?;
    Ok(Made { pieces, engine: engines.join(" + ") })
}

/// Does one step, on a thread of its own; tells by what. `before`: what the steps before it have made.
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
    // An engine whose task was lost goes on until it sees so, and has its slot until then.
    let slot = Arc::clone(slot);
    let run = move || {
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

/// A medium that lies in the file store. One that came with the request was looked at then.
async fn stored(worker: &Worker, area: Area, key: &str, kind: Kind) -> Result<Vec<u8>, Trouble> {
    match worker.files.read(area, key).await {
        Ok(Some(bytes)) => Ok(bytes.into()),
        Ok(None) => Err(Trouble::Final(FailureCause {
            code: "input_gone".to_owned(),
            message: format!("The {} that the task was given is not kept any more.", kind.name()),
        })),
        Err(error) => Err(Trouble::Outage(error)),
    }
}

/// A file that a step before has made.
fn made(before: &[Output], place: usize) -> Result<Vec<u8>, Trouble> {
    match before.get(place) {
        Some(Output::File(file)) => Ok(file.bytes.clone()),
        _ => Err(unavailable("The workflow app needs a file that none of its steps makes.")),
    }
}

fn unavailable(message: &str) -> Trouble {
    Trouble::Final(FailureCause { code: "engine_unavailable".to_owned(), message: message.to_owned() })
}

/// Puts the files of a result under keys of this attempt: nobody sees them before the task is ended.
async fn put(worker: &Worker, claimed: &Claimed, outputs: Vec<Output>) -> Result<Vec<Piece>, Trouble> {
    let mut pieces = Vec::with_capacity(outputs.len());
    for (place, output) in outputs.into_iter().enumerate() {
        pieces.push(match output {
            Output::Text(text) => Piece::Text(text),
            Output::File(file) => {
                let key = result_key(&claimed.task.folder, claimed.lease.attempt, place, file.extension);
                let put = worker.files.put(Area::Results, &key, Bytes::from(file.bytes)).await;
                put.map_err(Trouble::Outage)?;
                crash::point("after-file");
                Piece::File(key)
            }
        });
    }
    Ok(pieces)
}

/// Removes the files of an attempt whose result does not count.
pub(super) async fn discard(worker: &Worker, folder: &str, attempt: u32) {
    let Ok(files) = worker.files.list(Area::Results, folder).await else { return };
    for file in files.iter().filter(|file| attempt_of(&file.key) == Some(attempt)) {
        if let Err(error) = worker.files.remove(Area::Results, &file.key).await {
            tracing::warn!(%error, key = file.key, "a file that nobody needs is left to the sweep");
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
