//! The steps that one attempt runs: loads their media, runs their engines, stores their results.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use tokio::time::Instant;

use super::Worker;
use super::outcome::{Outcome, is_final};
use super::output::{DoneStep, put};
use super::permits::Permit;
use super::stopwatch::Stopwatch;
use crate::crash;
use crate::domain::{Claimed, Piece, RemainingWork};
use crate::engine::call::Calls;
use crate::engine::context::{Cancellation, Context};
use crate::engine::family::Family;
use crate::engine::media_fields;
use crate::engine::registry::lane::Lane;
use crate::engine::work::{Assignment, FinishedStep, Step, StoredMedium};
use crate::engine::{Failure, Medium, Output};
use crate::files::Area;
use crate::media::format::Kind;
use crate::media::input::{Expected, Source};
use crate::media::load;
use crate::tasks::effort;
use crate::tasks::results::Results;
use crate::trace::{self, Kind as SpanKind, Span};

/// The minimum time between two records of the progress.
const BETWEEN_RECORDS: Duration = Duration::from_secs(1);

const NO_ENGINE: &str = "The engine that the task was accepted for is no longer configured.";

/// The steps of an attempt.
pub(super) struct Stage<'a> {
    pub(super) worker: &'a Worker,
    pub(super) claimed: &'a Claimed,
    /// The lane of the attached engine that runs the stage. It has one step then.
    pub(super) lane: Option<&'a Lane>,
    pub(super) stopwatch: &'a Stopwatch,
}

impl Stage<'_> {
    /// Runs the steps. The permit is free once they are done, before their results are stored.
    pub(super) async fn run(
        self,
        deadline: Instant,
        permit: Arc<Permit>,
        cancellation: Cancellation,
    ) -> Outcome {
        let Self { worker, claimed, .. } = self;
        let assignment: Assignment = match serde_json::from_str(&claimed.work) {
            Ok(assignment) => assignment,
            Err(error) => {
                let message = "No process can read the task, which another version of the service accepted.";
                let reason = format!("can't read the work: {error}");
                return Outcome::Failed(Results::default(), Failure::Unserved { message, reason });
            }
        };
        crash::on(&claimed.work).await;
        let lane = self.lane.map_or("", |lane| lane.name.as_str());
        let store = Arc::clone(&worker.store);
        let calls = Calls::of_task(lane, store, claimed.lease.clone(), claimed.call.as_deref());
        let mut context = Context::new(assignment.seed, deadline, calls, permit);
        context.scratch_folder = worker.files.scratch();
        context.account = Some(worker.files.account(&claimed.task.key_id));
        context.most_bytes = most_bytes(&assignment);
        context.cancellation = cancellation;
        let (mut done, mut failure) = (Vec::new(), None);
        for step in assignment.stage() {
            let work = self.step(step, &context, &assignment.finished, &done);
            match self.recording_progress(&context, work).await {
                Ok(step) => done.push(step),
                Err(failed) => {
                    failure = Some(failed);
                    break;
                }
            }
        }
        drop(context);
        self.finish(assignment, done, failure).await
    }

    /// Stores the results of the steps that are done. A run of a workflow app shows them even if a later step fails.
    async fn finish(
        &self,
        mut assignment: Assignment,
        done: Vec<DoneStep>,
        failure: Option<Failure>,
    ) -> Outcome {
        let is_app = self.claimed.task.app.is_some();
        let failed =
            |assignment: Assignment, failure| Outcome::Failed(Results::of(assignment.finished), failure);
        let failure = match failure {
            Some(failure) if !is_app || !is_final(&failure) => return failed(assignment, failure),
            failure => failure,
        };
        match put(self.worker, self.claimed, done, is_app, most_bytes(&assignment)).await {
            Ok(finished) => assignment.finished.extend(finished),
            Err(failure) => return failed(assignment, failure),
        }
        if let Some(failure) = failure {
            return failed(assignment, failure);
        }
        if assignment.stage().is_empty() {
            return Outcome::Completed(Results::of(assignment.finished));
        }
        let (demand, now) = (effort::demand(assignment.stage()), self.worker.clock.now());
        match serde_json::to_string(&assignment) {
            Ok(work) => Outcome::Advanced(RemainingWork { work, demand, engine_time: None, now }),
            Err(error) => failed(assignment, Failure::Internal(format!("can't write the work: {error}"))),
        }
    }

    /// Stores how far an engine has come while it works. It is a hint for the client, so failures of the store don't matter.
    async fn recording_progress<T>(&self, context: &Context, work: impl Future<Output = T>) -> T {
        let mut progress = context.progress();
        let record = async {
            while progress.changed().await.is_ok() {
                let reported = progress.borrow_and_update().clone();
                if let Ok(reported) = serde_json::to_string(&reported) {
                    let _ = self.worker.store.record_progress(&self.claimed.lease, &reported).await;
                }
                tokio::time::sleep(BETWEEN_RECORDS).await;
            }
            std::future::pending::<Infallible>().await
        };
        tokio::select! {
            done = work => done,
            never = record => match never {},
        }
    }

    /// Runs a step; `finished` are the steps of earlier attempts, and `done` those of this attempt before it.
    async fn step(
        &self,
        step: &Step,
        context: &Context,
        finished: &[FinishedStep],
        done: &[DoneStep],
    ) -> Result<DoneStep, Failure> {
        let unserved = || {
            let reason = format!("no engine serves {}", step.family);
            Failure::Unserved { message: NO_ENGINE, reason }
        };
        let family = Family::named(&step.family).ok_or_else(unserved)?;
        let engine = self.worker.registry.engine_for(family, &step.instructions).ok_or_else(unserved)?;
        let request = step.instructions.request(family);
        let mut media = Vec::with_capacity(step.media.len());
        for source in &step.media {
            let expected = |name: &str, kind| media_fields::expected(family, name, kind);
            media.push(match source {
                StoredMedium::Output { name, kind, step } => {
                    self.output(*step, name, &expected(name, *kind), finished, done).await?
                }
                StoredMedium::Given { name, kind, source, .. } => {
                    self.medium(source, name, &expected(name, *kind)).await?
                }
            });
        }
        let run = AssertUnwindSafe(engine.run(request, media, context)).catch_unwind();
        let panicked = |_| Err(Failure::Internal("the engine panicked".to_owned()));
        let kind = if self.lane.is_some() { SpanKind::Client } else { SpanKind::Internal };
        let mut span = Span::start(kind, format_args!("engine {}", engine.name()), trace::current());
        span.set("engine.name", engine.name());
        span.set("task.family", family.name);
        let result = span.scope(self.stopwatch.time(run)).await.unwrap_or_else(panicked);
        if let Err(failure) = &result {
            span.fail(failure.kind());
        }
        drop(span);
        let outputs = result?;
        let nsfw = context.nsfw().filter(|found| found.len() == outputs.len());
        Ok(DoneStep { family: step.family.clone(), engine: engine.name().to_owned(), outputs, nsfw })
    }

    /// Returns the first file of an earlier step, which this attempt or another one has run.
    async fn output(
        &self,
        step: usize,
        name: &str,
        expected: &Expected,
        finished: &[FinishedStep],
        done: &[DoneStep],
    ) -> Result<Medium, Failure> {
        let kind = expected.kind;
        if let Some(finished) = finished.get(step) {
            let key = finished.pieces.first().and_then(Piece::file).ok_or_else(no_file)?;
            let size = self.worker.files.size(Area::Results, key).await?;
            if size.is_some_and(|size| size > kind.max_fetched() as u64) {
                return Err(too_long());
            }
            let source = Source::Own { area: Area::Results, key: key.to_owned() };
            return self.medium(&source, name, expected).await;
        }
        let done = step.checked_sub(finished.len()).and_then(|step| done.get(step));
        match done.and_then(|step| step.outputs.first()) {
            Some(Output::File(file)) => {
                Ok(Medium { name: name.to_owned(), kind, bytes: file.bytes.clone().into(), url: None })
            }
            Some(Output::Long(_)) => Err(too_long()),
            _ => Err(no_file()),
        }
    }

    /// Loads a medium.
    async fn medium(&self, source: &Source, name: &str, expected: &Expected) -> Result<Medium, Failure> {
        let (kind, urls) = (expected.kind, &self.worker.urls);
        let url = match source {
            Source::Url(url) => Some(url.clone()),
            Source::Own { key, area: Area::Results } => Some(urls.of(key)),
            Source::Own { key, area: Area::Catalogue } => Some(urls.of_catalogue(key)),
            Source::Own { area: Area::Inputs, .. } | Source::Stored(_) => None,
        };
        let bytes = match source {
            Source::Stored(key) => self.stored(Area::Inputs, key, kind).await?,
            Source::Own { area, key } => {
                let bytes = self.stored(*area, key, kind).await?;
                load::check(&bytes, expected).await?;
                bytes
            }
            Source::Url(url) => load::fetch(&self.worker.fetcher, url, expected).await?.0,
        };
        Ok(Medium { name: name.to_owned(), kind, bytes, url })
    }

    /// Reads a medium from the file store.
    async fn stored(&self, area: Area, key: &str, kind: Kind) -> Result<Bytes, Failure> {
        let bytes = self.worker.files.read(area, key).await?;
        let gone = || format!("The task's {} is no longer stored.", kind.name());
        bytes.ok_or_else(|| Failure::Media { code: "input_gone", message: gone() })
    }
}

/// Returns the maximum number of bytes that the files of this attempt may have.
fn most_bytes(assignment: &Assignment) -> u64 {
    let stored: u64 = assignment.finished.iter().map(|step| step.bytes).sum();
    assignment.most_bytes.saturating_sub(stored)
}

fn too_long() -> Failure {
    let message = "A step of the workflow app can't use a file as long as an earlier step made.";
    Failure::Media { code: "unsupported_media", message: message.to_owned() }
}

fn no_file() -> Failure {
    let message = "The workflow app needs a file that none of its earlier steps makes.";
    Failure::Media { code: "engine_unavailable", message: message.to_owned() }
}
