//! One attempt at a task: its media are had, its engine runs, its files are put.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use asset_engines::{Failure, Job, Output};
use bytes::Bytes;
use tokio::sync::watch;

use super::{Worker, heartbeat};
use crate::crash;
use crate::files::{Area, attempt_of, result_key};
use crate::media::format::Kind;
use crate::media::input::Source;
use crate::media::load::{self, LoadError};
use crate::store::{Claimed, FailureCause, Piece};
use crate::tasks::family::Family;
use crate::tasks::work::{Assignment, Medium, Step};

/// What came of an attempt.
pub(super) enum Outcome {
    /// The task is at its end.
    Ended(Result<Vec<Piece>, FailureCause>),
    /// Something broke that may not break again: what the client is told if it does, and what the log is told.
    TryAgain(Option<FailureCause>, String),
    /// The process stops.
    GiveBack,
    /// The lease is lost: the task is somebody else's.
    Lost,
}

/// Why there is no result yet.
enum Trouble {
    Final(FailureCause),
    /// It may pass; where it does not, the client is told this.
    Unreachable(FailureCause),
    Passing(String),
    Cancelled,
}

/// Runs one attempt, under heartbeats.
pub(super) async fn run(
    worker: &Worker,
    claimed: &Claimed,
    mut stop: watch::Receiver<bool>,
    grace: Duration,
) -> Outcome {
    let cancelled = Arc::new(AtomicBool::new(false));
    let work = attempt(worker, claimed, Arc::clone(&cancelled));
    tokio::pin!(work);
    let outcome = tokio::select! {
        done = &mut work => done,
        () = heartbeat::keep(worker, &claimed.lease, Arc::clone(&cancelled)) => return Outcome::Lost,
        () = stopped(&mut stop, grace) => {
            cancelled.store(true, Ordering::Relaxed);
            work.await
        }
    };
    match outcome {
        Ok(pieces) => Outcome::Ended(Ok(pieces)),
        Err(Trouble::Final(cause)) => Outcome::Ended(Err(cause)),
        Err(Trouble::Unreachable(cause)) => {
            Outcome::TryAgain(Some(cause), "media can't be fetched".to_owned())
        }
        Err(Trouble::Passing(reason)) => Outcome::TryAgain(None, reason),
        Err(Trouble::Cancelled) => Outcome::GiveBack,
    }
}

/// Returns once the process has been stopping for so long.
async fn stopped(stop: &mut watch::Receiver<bool>, grace: Duration) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
    tokio::time::sleep(grace).await;
}

async fn attempt(
    worker: &Worker,
    claimed: &Claimed,
    cancelled: Arc<AtomicBool>,
) -> Result<Vec<Piece>, Trouble> {
    let assignment: Assignment = serde_json::from_str(&claimed.task.work).map_err(|error| {
        tracing::error!(task = %claimed.task.id, %error, "a task's work can't be read");
        unavailable("The task was accepted by a version of the service that is no longer there.")
    })?;
    let job = Job::new(assignment.seed, cancelled);
    let mut outputs = Vec::new();
    for step in assignment.steps {
        outputs.extend(self::step(worker, step, &job, &outputs).await?);
    }
    put(worker, claimed, outputs).await
}

/// Does one step, on a thread of its own. `before`: what the steps before it have made.
async fn step(worker: &Worker, step: Step, job: &Job, before: &[Output]) -> Result<Vec<Output>, Trouble> {
    let engine = Family::named(&step.family)
        .and_then(|family| worker.registry.engine(family, &step.work))
        .ok_or_else(|| unavailable("The engine that the task was accepted for is no longer configured."))?;
    let mut media = Vec::with_capacity(step.media.len());
    for source in &step.media {
        media.push(match source {
            Medium::Made(place) => made(before, *place)?,
            Medium::Given { kind, source: Source::Stored(key) } => stored(worker, key, *kind).await?,
            Medium::Given { kind, source: Source::Url(url) } => {
                let fetched = load::fetch(&worker.fetcher, url, *kind).await;
                fetched.map_err(|error| load_trouble(&error))?.0.into()
            }
        });
    }
    let job = job.clone();
    match tokio::task::spawn_blocking(move || engine.run(&step.work, media, &job)).await {
        Ok(Ok(outputs)) => Ok(outputs),
        Ok(Err(failure)) => Err(engine_trouble(failure)),
        Err(panic) => Err(Trouble::Passing(format!("the engine panicked: {panic}"))),
    }
}

/// A medium that came with the request. It was looked at then.
async fn stored(worker: &Worker, key: &str, kind: Kind) -> Result<Vec<u8>, Trouble> {
    match worker.files.read(Area::Inputs, key).await {
        Ok(Some(bytes)) => Ok(bytes.into()),
        Ok(None) => Err(Trouble::Final(FailureCause {
            code: "input_gone".to_owned(),
            message: format!("The {} that came with the task is not kept any more.", kind.name()),
        })),
        Err(error) => Err(Trouble::Passing(error.to_string())),
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
                put.map_err(|error| Trouble::Passing(error.to_string()))?;
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
    tracing::info!(?error, "media can't be fetched");
    if error.is_temporary() { Trouble::Unreachable(error.cause()) } else { Trouble::Final(error.cause()) }
}
