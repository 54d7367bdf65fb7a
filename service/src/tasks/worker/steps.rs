//! One step of an attempt: loads its media, and runs its engine.

use std::panic::AssertUnwindSafe;

use bytes::Bytes;
use futures_util::FutureExt as _;

use super::Worker;
use super::attempt::{Trouble, load_trouble, unavailable};
use super::measured::EngineTime;
use crate::engine::context::Context;
use crate::engine::family::Family;
use crate::engine::media_fields;
use crate::engine::work::{FinishedStep, Step, StoredMedium};
use crate::engine::{Failure, Medium, Output};
use crate::files::Area;
use crate::media::format::Kind;
use crate::media::input::{Expected, Source};
use crate::media::load;
use crate::store::{FailureCause, Piece};

/// Why a step has no output.
pub(super) enum StepTrouble {
    Engine(Failure),
    Other(Trouble),
}

impl From<Trouble> for StepTrouble {
    fn from(trouble: Trouble) -> Self {
        Self::Other(trouble)
    }
}

/// A step of this attempt that is done.
pub(super) struct DoneStep {
    /// The name of its family.
    pub(super) family: String,
    /// The engine.
    pub(super) engine: String,
    pub(super) outputs: Vec<Output>,
    /// Whether each output is unsafe, if the engine has reported it.
    pub(super) nsfw: Option<Vec<bool>>,
}

/// The steps before a step.
pub(super) struct Before<'a> {
    /// Those of earlier attempts.
    pub(super) finished: &'a [FinishedStep],
    /// Those of this attempt.
    pub(super) done: &'a [DoneStep],
}

/// Runs a step.
pub(super) async fn run(
    worker: &Worker,
    step: Step,
    context: &Context,
    before: &Before<'_>,
    engines: &EngineTime,
) -> Result<DoneStep, StepTrouble> {
    let family = Family::named(&step.family);
    let (family, engine) = family
        .and_then(|family| Some((family, worker.registry.engine_for(family, &step.instructions)?)))
        .ok_or_else(|| {
            let message = "The engine that the task was accepted for is no longer configured.";
            Trouble::NotHere(unavailable(message), format!("no engine serves {}", step.family))
        })?;
    let request = step.instructions.request(family);
    let expected = |name: &str, kind| media_fields::expected(family, name, kind);
    let mut media = Vec::with_capacity(step.media.len());
    for source in &step.media {
        media.push(match source {
            StoredMedium::Output { name, kind, step } => {
                before.output(worker, *step, name, &expected(name, *kind)).await?
            }
            StoredMedium::Given { name, kind, source } => {
                medium(worker, source, name, &expected(name, *kind)).await?
            }
        });
    }
    let working = engines.start();
    let run = AssertUnwindSafe(engine.run(request, media, context)).catch_unwind();
    let outputs = run.await.unwrap_or_else(|_| Err(Failure::Internal("the engine panicked".to_owned())));
    drop(working);
    let outputs = outputs.map_err(StepTrouble::Engine)?;
    let nsfw = context.nsfw().filter(|found| found.len() == outputs.len());
    Ok(DoneStep { family: step.family, engine: engine.name().to_owned(), outputs, nsfw })
}

impl Before<'_> {
    /// Returns the first file that an earlier step has made.
    async fn output(
        &self,
        worker: &Worker,
        step: usize,
        name: &str,
        expected: &Expected,
    ) -> Result<Medium, Trouble> {
        let kind = expected.kind;
        if let Some(finished) = self.finished.get(step) {
            let Some(key) = finished.pieces.first().and_then(Piece::file) else { return Err(no_file()) };
            let size = worker.files.size(Area::Results, key).await.map_err(Trouble::Outage)?;
            if size.is_some_and(|size| size > kind.max_fetched() as u64) {
                return Err(too_long());
            }
            let source = Source::Own { area: Area::Results, key: key.to_owned() };
            return medium(worker, &source, name, expected).await;
        }
        let done = step.checked_sub(self.finished.len()).and_then(|step| self.done.get(step));
        match done.and_then(|step| step.outputs.first()) {
            Some(Output::File(file)) => {
                Ok(Medium { name: name.to_owned(), kind, bytes: file.bytes.clone().into(), url: None })
            }
            Some(Output::Long(_)) => Err(too_long()),
            _ => Err(no_file()),
        }
    }
}

fn too_long() -> Trouble {
    Trouble::Final(FailureCause {
        code: "unsupported_media".to_owned(),
        message: "A step of the workflow app can't use a file as long as an earlier step made.".to_owned(),
    })
}

fn no_file() -> Trouble {
    Trouble::Final(unavailable("The workflow app needs a file that none of its earlier steps makes."))
}

/// Loads a medium.
async fn medium(
    worker: &Worker,
    source: &Source,
    name: &str,
    expected: &Expected,
) -> Result<Medium, Trouble> {
    let kind = expected.kind;
    let url = match source {
        Source::Url(url) => Some(url.clone()),
        Source::Own { key, area: Area::Results } => Some(worker.urls.of(key)),
        Source::Own { key, area: Area::Catalogue } => Some(worker.urls.of_catalogue(key)),
        Source::Own { area: Area::Inputs, .. } | Source::Stored(_) => None,
    };
    let bytes = match source {
        Source::Stored(key) => stored(worker, Area::Inputs, key, kind).await?,
        Source::Own { area, key } => {
            let bytes = stored(worker, *area, key, kind).await?;
            load::look(&bytes, expected).await.map_err(|error| load_trouble(&error))?;
            bytes
        }
        Source::Url(url) => {
            let fetched = load::fetch(&worker.fetcher, url, expected).await;
            fetched.map_err(|error| load_trouble(&error))?.0
        }
    };
    Ok(Medium { name: name.to_owned(), kind, bytes, url })
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
