//! The built-in engines: they block, so each run has a thread of its own.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::LazyLock;

use asset_engines::picture::Info;
use asset_engines::{
    Engine as Typed, Job, Parameters, camera, compose, describe, expand, film, icon, prompt, remove, retouch,
    sound, speech, upscale,
};
use async_trait::async_trait;
use serde::Deserialize;

use super::context::Context;
use super::limits::Limit;
use super::settings::BuiltInSettings;
use super::work::{Work, modalities};
use super::{Engine, Failure, GivenMedium, Medium, Output, Probe, Refusal, Request};
use crate::log::redact::without_values;
use crate::media::format::Kind;

/// The media of a task, in the order of its request.
type Media = Vec<Vec<u8>>;

/// A built-in engine of any modality.
pub(super) trait AnyBuiltIn: Send + Sync + 'static {
    /// Returns the engine's name: see [`Typed::name`].
    fn name(&self) -> &'static str;

    /// Returns the parameters that the engine can't honour, with the reasons.
    fn refuse(&self, work: &Work) -> Vec<Refusal>;

    /// Returns the parameters whose values have no effect: see [`Typed::ignored`].
    fn ignored(&self, work: &Work) -> Vec<&'static str>;

    /// Returns the kinds that this many media must have; `None` if the engine takes another number.
    fn media(&self, count: usize) -> Option<Vec<Kind>>;

    /// Returns why the pictures don't fit this work: see [`Typed::refuse_media`].
    fn refuse_media(&self, work: &Work, pictures: &[Option<Info>]) -> Vec<Refusal>;

    /// Does the work; blocks the thread.
    ///
    /// # Errors
    /// Returns why there is no result.
    fn run(&self, work: &Work, media: Media, job: &Job) -> Result<Vec<Output>, asset_engines::Failure>;
}

/// Converts a task's media to the input of an engine.
pub(super) trait FromMedia: Sized {
    fn from_media(media: Media) -> Option<Self>;

    /// Returns the kind that the medium at this index must have.
    fn kind(_place: usize) -> Kind {
        Kind::Image
    }
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

/// Parameters that are a variant of [`Work`].
pub(super) trait Modality: Parameters<Media: FromMedia> {
    fn of(work: &Work) -> Option<&Self>;
}

macro_rules! engines {
    ($($(#[$doc:meta])* $variant:ident($parameters:ty), $name:literal => $engine:expr;)*) => {
        $(impl Modality for $parameters {
            fn of(work: &Work) -> Option<&Self> {
                match work {
                    Work::$variant(parameters) => Some(parameters),
                    _ => None,
                }
            }
        })*

        /// Returns the built-in engine with this name, if it can do this work.
        fn built_in(work: &Work, name: &str) -> Option<Box<dyn AnyBuiltIn>> {
            match (work, name) {
                $((Work::$variant(_), $name) => Some(Box::new(Adapter::<$parameters, _>::new($engine))),)*
                _ => None,
            }
        }
    };
}

modalities!(engines);

/// Adapts an engine of one modality to [`AnyBuiltIn`].
pub(super) struct Adapter<P, E>(E, PhantomData<fn(P)>);

impl<P, E> Adapter<P, E> {
    pub(super) const fn new(engine: E) -> Self {
        Self(engine, PhantomData)
    }
}

impl<P: Modality, E: Typed<P>> AnyBuiltIn for Adapter<P, E> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn refuse(&self, work: &Work) -> Vec<Refusal> {
        P::of(work).map(|parameters| self.0.refuse(parameters)).unwrap_or_default()
    }

    fn ignored(&self, work: &Work) -> Vec<&'static str> {
        P::of(work).map(|parameters| self.0.ignored(parameters)).unwrap_or_default()
    }

    fn media(&self, count: usize) -> Option<Vec<Kind>> {
        P::Media::from_media(vec![Vec::new(); count])?;
        Some((0..count).map(P::Media::kind).collect())
    }

    fn refuse_media(&self, work: &Work, pictures: &[Option<Info>]) -> Vec<Refusal> {
        P::of(work).map(|parameters| self.0.refuse_media(parameters, pictures)).unwrap_or_default()
    }

    fn run(&self, work: &Work, media: Media, job: &Job) -> Result<Vec<Output>, asset_engines::Failure> {
        let mismatch = || {
            asset_engines::Failure::Internal(format!("{} got the work of another modality", self.0.name()))
        };
        let parameters = P::of(work).ok_or_else(mismatch)?;
        let media = P::Media::from_media(media).ok_or_else(mismatch)?;
        self.0.run(parameters, media, job)
    }
}

/// The parameters in which a built-in engine supports less than the API.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Declared {
    /// The limits of fields. The engine itself refuses what exceeds them.
    pub limits: BTreeMap<String, Limit>,
    /// The fields that it does not read.
    pub ignored: Vec<String>,
}

/// The limits of all built-in engines that support less than the API, by engine name. A test reads them.
pub static DECLARED: LazyLock<BTreeMap<String, Declared>> =
    LazyLock::new(|| toml::from_str(include_str!("../../assets/engines/built-in.toml")).unwrap_or_default());

/// Returns what a built-in engine takes less of than the API.
#[must_use]
pub fn declared(name: &str) -> &'static Declared {
    static ALL: Declared = Declared { limits: BTreeMap::new(), ignored: Vec::new() };
    DECLARED.get(name).unwrap_or(&ALL)
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
    fn engine(&self, request: Request<'_>) -> Option<Box<dyn AnyBuiltIn>> {
        built_in(request.work?, &self.name)
    }
}

#[async_trait]
impl Engine for BuiltIn {
    fn name(&self) -> &str {
        self.version
    }

    fn refuse(&self, request: Request<'_>, media: &[GivenMedium<'_>]) -> Vec<Refusal> {
        let Some((work, engine)) = request.work.zip(self.engine(request)) else { return Vec::new() };
        let pictures: Vec<_> = media.iter().map(|medium| medium.picture).collect();
        let mut refusals = crate::blocking::in_place(work.weight(), || engine.refuse(work));
        refusals.extend(engine.refuse_media(work, &pictures));
        refusals
    }

    fn kinds(&self, request: Request<'_>, count: usize) -> Option<Vec<Kind>> {
        self.engine(request)?.media(count)
    }

    fn ignored(&self, request: Request<'_>) -> Vec<String> {
        let by_value = request.work.zip(self.engine(request)).map(|(work, engine)| engine.ignored(work));
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
        let mismatch = || Failure::Internal(format!("{} can't do this work", self.version));
        let (mut work, engine) = request.work.cloned().zip(self.engine(request)).ok_or_else(mismatch)?;
        if let Work::Compose(composition) = &mut work {
            composition.caption = self.settings.captions;
        }
        let media = media.into_iter().map(|medium| medium.bytes.into()).collect();
        // A cancelled engine keeps its thread until it returns.
        let (job, hold) = (context.job(), context.hold());
        let run = move || {
            crate::crash::hang("engine");
            // Another version of the service may have accepted the task.
            let outputs = match engine.refuse(&work).first() {
                Some(Refusal { parameter, reason, .. }) => {
                    Err(Failure::Unsupported(format!("The engine can't honour `{parameter}`: {reason}")))
                }
                None => engine.run(&work, media, &job).map_err(Failure::from),
            };
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
