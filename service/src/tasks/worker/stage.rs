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
use super::output::{DoneStep, Results, put, size};
use super::permits::Permit;
use super::stopwatch::Stopwatch;
use crate::crash;
use crate::domain::{Claimed, Engines, Piece, RemainingWork};
use crate::engine::call::Calls;
use crate::engine::context::{Cancellation, Context};
use crate::engine::family::Family;
use crate::engine::media_fields;
use crate::engine::registry::lane::Lane;
use crate::engine::work::{Assignment, Step, StoredMedium};
use crate::engine::{Failure, Medium, Output};
use crate::files::Area;
use crate::media::format::Kind;
use crate::media::input::{Expected, Source};
use crate::media::load;
use crate::tasks::effort;

/// The minimum time between two records of the progress.
const BETWEEN_RECORDS: Duration = Duration::from_secs(1);

const NO_ENGINE: &str = "The engine that the task was accepted for is no longer configured.";

/// The steps of an attempt.
pub(super) struct Stage<'a> {
    worker: &'a Worker,
    claimed: &'a Claimed,
    assignment: Assignment,
    /// The lane of the attached engine that runs the stage. It has one step then.
    lane: Option<&'a Lane>,
}

impl<'a> Stage<'a> {
    /// Reads what a claimed task is to do next.
    pub(super) fn of(worker: &'a Worker, claimed: &'a Claimed) -> Result<Self, Outcome> {
        let assignment: Assignment = serde_json::from_str(&claimed.work).map_err(|error| {
            let message = "No process can read the task, which another version of the service accepted.";
            let reason = format!("can't read the work: {error}");
            Outcome::Failed(Results::default(), Failure::Unserved { message, reason })
        })?;
        let lane = match &claimed.demand.engines {
            Engines::Attached(family) => worker.registry.lane(family).map(Arc::as_ref),
            Engines::BuiltIn(_) | Engines::Unknown(_) => None,
        };
        Ok(Self { worker, claimed, assignment, lane })
    }

    /// Returns whether an attached engine runs the stage.
    pub(super) const fn is_attached(&self) -> bool {
        self.lane.is_some()
    }

    /// Returns the most bytes that the files of this attempt may have.
    fn most_bytes(&self) -> u64 {
        let stored: u64 = self.assignment.finished.iter().map(|step| step.bytes).sum();
        self.assignment.most_bytes.saturating_sub(stored)
    }

    fn context(&self, deadline: Instant, permit: Arc<Permit>, cancellation: Cancellation) -> Context {
        let Self { worker, claimed, .. } = self;
        let lane = self.lane.map_or("", |lane| lane.name.as_str());
        let store = Arc::clone(&worker.store);
        let calls = Calls::of_task(lane, store, claimed.lease.clone(), claimed.call.as_deref());
        let mut context = Context::new(self.assignment.seed, deadline, calls, permit);
        context.scratch_folder = worker.files.scratch();
        context.account = Some(worker.files.account(&claimed.task.key_id));
        context.most_bytes = self.most_bytes();
        context.cancellation = cancellation;
        context
    }

    /// Runs the steps. The permit is free once they are done, before their results are stored.
    pub(super) async fn run(
        mut self,
        deadline: Instant,
        permit: Arc<Permit>,
        cancellation: Cancellation,
        stopwatch: &Stopwatch,
    ) -> Outcome {
        crash::on(&self.claimed.work).await;
        let context = self.context(deadline, permit, cancellation);
        let (mut done, mut failure) = (Vec::new(), None);
        for step in self.assignment.stage() {
            match self.recording_progress(&context, self.step(step, &context, &done, stopwatch)).await {
                Ok(step) => done.push(step),
                Err(failed) => {
                    failure = Some(failed);
                    break;
                }
            }
        }
        drop(context);
        match self.finish(done, failure).await {
            Ok(outcome) => outcome,
            Err(failure) => Outcome::Failed(Results::of(self.assignment.finished), failure),
        }
    }

    /// Stores the results of the steps that are done. A run of a workflow app shows them even if a later step fails.
    async fn finish(&mut self, done: Vec<DoneStep>, failure: Option<Failure>) -> Result<Outcome, Failure> {
        let is_app = self.claimed.task.app.is_some();
        let failure = match failure {
            Some(failure) if !is_app || !is_final(&failure) => return Err(failure),
            failure => failure,
        };
        size(done.iter().flat_map(|step| &step.outputs), self.most_bytes())?;
        let finished = put(self.worker, self.claimed, done, is_app).await?;
        self.assignment.finished.extend(finished);
        let results = || Results::of(self.assignment.finished.clone());
        if let Some(failure) = failure {
            return Ok(Outcome::Failed(results(), failure));
        }
        if self.assignment.stage().is_empty() {
            return Ok(Outcome::Completed(results()));
        }
        let work = serde_json::to_string(&self.assignment)
            .map_err(|error| Failure::Internal(format!("can't write the work: {error}")))?;
        let (demand, now) = (effort::demand(self.assignment.stage()), self.worker.clock.now());
        Ok(Outcome::Advanced(RemainingWork { work, demand, engine_time: None, now }))
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

    /// Runs a step; `done` are the steps of this attempt before it.
    async fn step(
        &self,
        step: &Step,
        context: &Context,
        done: &[DoneStep],
        stopwatch: &Stopwatch,
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
                    self.output(*step, name, &expected(name, *kind), done).await?
                }
                StoredMedium::Given { name, kind, source, .. } => {
                    self.medium(source, name, &expected(name, *kind)).await?
                }
            });
        }
        let run = AssertUnwindSafe(engine.run(request, media, context)).catch_unwind();
        let panicked = |_| Err(Failure::Internal("the engine panicked".to_owned()));
        let outputs = stopwatch.time(run).await.unwrap_or_else(panicked)?;
        let nsfw = context.nsfw().filter(|found| found.len() == outputs.len());
        Ok(DoneStep { family: step.family.clone(), engine: engine.name().to_owned(), outputs, nsfw })
    }

    /// Returns the first file of an earlier step, which this attempt or another one has run.
    async fn output(
        &self,
        step: usize,
        name: &str,
        expected: &Expected,
        done: &[DoneStep],
    ) -> Result<Medium, Failure> {
        let (kind, finished) = (expected.kind, &self.assignment.finished);
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

fn too_long() -> Failure {
    let message = "A step of the workflow app can't use a file as long as an earlier step made.";
    Failure::Media { code: "unsupported_media", message: message.to_owned() }
}

fn no_file() -> Failure {
    let message = "The workflow app needs a file that none of its earlier steps makes.";
    Failure::Media { code: "engine_unavailable", message: message.to_owned() }
}
