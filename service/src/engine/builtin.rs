//! The built-in engines: they block, so each run has a thread of its own.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use asset_engines::picture::Info;
use asset_engines::{
    Engine as Typed, Job, camera, compose, describe, expand, film, icon, prompt, remove, retouch, sound,
    speech, upscale,
};
use async_trait::async_trait;
use serde::Deserialize;

use super::context::Context;
use super::limits::Limit;
use super::settings::BuiltInSettings;
use super::work::{Work, modalities};
use super::{Engine, Failure, Medium, Output, Probe, Refusal, Request};
use crate::log::redact::without_values;
use crate::media::format::Kind;

/// The media of a task, in the order of its request.
type Media = Vec<Vec<u8>>;

/// A built-in engine of any modality, with the parameters of its work.
trait Bound {
    /// Returns the engine's name: see [`Typed::NAME`].
    fn name(&self) -> &'static str;

    /// Returns the parameters that the engine can't honour, with the reasons.
    fn refuse(&self) -> Vec<Refusal>;

    /// Returns the parameters whose values have no effect: see [`Typed::ignored`].
    fn ignored(&self) -> Vec<&'static str>;

    /// Returns whether the engine accepts this number of media.
    fn takes(&self, count: usize) -> bool;

    /// Returns why the pictures don't fit this work: see [`Typed::refuse_media`].
    fn refuse_media(&self, pictures: &[Option<Info>]) -> Vec<Refusal>;

    /// Does the work; blocks the thread.
    ///
    /// # Errors
    /// Returns why there is no result.
    fn run(&self, media: Media, job: &Job) -> Result<Vec<Output>, asset_engines::Failure>;
}

/// Converts a task's media to the input of an engine.
trait FromMedia: Sized {
    fn from_media(media: Media) -> Option<Self>;
}

impl FromMedia for () {
    fn from_media(media: Media) -> Option<Self> {
        media.is_empty().then_some(())
    }
}

impl FromMedia for Media {
    fn from_media(media: Media) -> Option<Self> {
        Some(media)
    }
}

impl FromMedia for Vec<u8> {
    fn from_media(media: Media) -> Option<Self> {
        let [one] = <[Self; 1]>::try_from(media).ok()?;
        Some(one)
    }
}

impl FromMedia for remove::Masked {
    fn from_media(media: Media) -> Option<Self> {
        let [image, mask] = <[Vec<u8>; 2]>::try_from(media).ok()?;
        Some(Self { image, mask })
    }
}

macro_rules! engines {
    ($($(#[$doc:meta])* $variant:ident($parameters:ty), $name:literal => $engine:expr;)*) => {
        /// Returns the built-in engine with this name, if it can do this work.
        fn built_in<'w>(work: &'w Work, name: &str) -> Option<Box<dyn Bound + 'w>> {
            match (work, name) {
                $((Work::$variant(parameters), $name) => Some(Box::new(With($engine, parameters))),)*
                _ => None,
            }
        }
    };
}

modalities!(engines);

/// An engine of one modality, with its parameters.
struct With<'w, P, E>(E, &'w P);

impl<P, E: Typed<P, Media: FromMedia>> Bound for With<'_, P, E> {
    fn name(&self) -> &'static str {
        E::NAME
    }

    fn refuse(&self) -> Vec<Refusal> {
        self.0.refuse(self.1)
    }

    fn ignored(&self) -> Vec<&'static str> {
        self.0.ignored(self.1)
    }

    fn takes(&self, count: usize) -> bool {
        E::Media::from_media(vec![Vec::new(); count]).is_some()
    }

    fn refuse_media(&self, pictures: &[Option<Info>]) -> Vec<Refusal> {
        self.0.refuse_media(self.1, pictures)
    }

    fn run(&self, media: Media, job: &Job) -> Result<Vec<Output>, asset_engines::Failure> {
        let mismatch =
            || asset_engines::Failure::Internal(format!("{} got the wrong number of media", E::NAME));
        self.0.run(self.1, E::Media::from_media(media).ok_or_else(mismatch)?, job)
    }
}

/// The parameters in which a built-in engine supports less than the API.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Declared {
    /// The limits of fields. The engine itself refuses what exceeds them.
    pub limits: BTreeMap<String, Limit>,
    /// The fields that it does not read.
    pub ignored: Vec<String>,
}

/// The limits of all built-in engines that support less than the API, by engine name. A test checks
/// that the file can be read.
pub static DECLARED: LazyLock<BTreeMap<String, Declared>> =
    LazyLock::new(|| toml::from_str(include_str!("../../assets/engines/built-in.toml")).unwrap_or_default());

/// Returns the fields in which a built-in engine supports less than the API.
#[must_use]
pub fn declared(name: &str) -> &'static Declared {
    static UNRESTRICTED: Declared = Declared { limits: BTreeMap::new(), ignored: Vec::new() };
    DECLARED.get(name).unwrap_or(&UNRESTRICTED)
}

/// The built-in engine with this name.
pub(super) struct BuiltIn {
    name: String,
    settings: BuiltInSettings,
    /// The name and version, as tasks show it.
    version: &'static str,
}

impl BuiltIn {
    /// Returns the built-in engine with this name, if it can do this work.
    pub(super) fn new(name: &str, settings: BuiltInSettings, work: &Work) -> Option<Self> {
        Some(Self { name: name.to_owned(), settings, version: built_in(work, name)?.name() })
    }

    /// Returns the engine for this work. Engines hold no data, so each request has its own.
    fn engine<'w>(&self, request: Request<'w>) -> Option<Box<dyn Bound + 'w>> {
        built_in(request.work?, &self.name)
    }
}

#[async_trait]
impl Engine for BuiltIn {
    fn name(&self) -> &str {
        self.version
    }

    fn refuse(&self, request: Request<'_>, pictures: &[Option<Info>]) -> Vec<Refusal> {
        let Some((work, engine)) = request.work.zip(self.engine(request)) else { return Vec::new() };
        let mut refusals = crate::blocking::in_place(work.weight(), || engine.refuse());
        refusals.extend(engine.refuse_media(pictures));
        refusals
    }

    fn kinds(&self, request: Request<'_>, count: usize) -> Option<Vec<Kind>> {
        self.engine(request)?.takes(count).then(|| vec![Kind::Image; count])
    }

    fn ignored(&self, request: Request<'_>) -> Vec<String> {
        let by_value = self.engine(request).map(|engine| engine.ignored());
        let by_value = by_value.into_iter().flatten().map(str::to_owned);
        let ignored = declared(&self.name).ignored.iter().cloned().chain(by_value);
        ignored.filter(|field| request.field(field).is_some()).collect()
    }

    async fn probe(&self) -> Result<Probe, Failure> {
        Ok(Probe::Free)
    }

    async fn run(
        &self,
        request: Request<'_>,
        media: Vec<Medium>,
        context: &Context,
    ) -> Result<Vec<Output>, Failure> {
        let mismatch = format!("{} can't do this work", self.version);
        let mut work = request.work.cloned().ok_or_else(|| Failure::Internal(mismatch.clone()))?;
        if let Work::Compose(composition) = &mut work {
            composition.caption = self.settings.captions;
        }
        let media = media.into_iter().map(|medium| medium.bytes.into()).collect();
        // A cancelled engine keeps its thread until it returns.
        let (job, hold, name) = (context.job(), context.hold(), self.name.clone());
        let run = move || {
            crate::crash::hang("engine");
            // Another version of the service may have accepted the task.
            let outputs = built_in(&work, &name).ok_or(Failure::Internal(mismatch)).and_then(|engine| {
                match engine.refuse().first() {
                    Some(Refusal { parameter, reason, .. }) => {
                        Err(Failure::Unsupported(format!("The engine can't honour `{parameter}`: {reason}")))
                    }
                    None => engine.run(media, &job).map_err(Failure::from),
                }
            });
            drop(hold);
            outputs
        };
        match tokio::task::spawn_blocking(run).await {
            Ok(outputs) => outputs,
            Err(panic) => {
                let panic = panic.to_string();
                Err(Failure::Internal(format!("the engine panicked: {}", without_values(&panic))))
            }
        }
    }
}
