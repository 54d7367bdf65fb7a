//! The work of a task, and the engines that can do it.

use std::marker::PhantomData;
use std::sync::Arc;

use asset_engines::picture::Info;
use asset_engines::{
    Engine, Failure, Job, Output, Parameters, Refusal, camera, compose, describe, expand, film, icon, prompt,
    remove, retouch, sound, speech, upscale,
};
use serde::{Deserialize, Serialize};

use crate::media::format::Kind;
use crate::media::input::Source;

/// The media of a task, in the order of its request.
pub type Media = Vec<Vec<u8>>;

/// An engine of any modality.
pub trait AnyEngine: Send + Sync + 'static {
    /// Returns the engine's name: see [`Engine::name`].
    fn name(&self) -> &'static str;

    /// Returns the parameters that the engine can't honour, with the reasons.
    fn refuse(&self, work: &Work) -> Vec<Refusal>;

    /// Returns the kinds that this many media must have; `None` if the engine takes another number.
    fn media(&self, count: usize) -> Option<Vec<Kind>>;

    /// Returns why the pictures don't fit this work: see [`Engine::refuse_media`].
    fn refuse_media(&self, work: &Work, pictures: &[Option<Info>]) -> Vec<Refusal>;

    /// Returns the given fields that the engine does not read: see [`Engine::ignored`].
    fn ignored(&self, work: &Work) -> Vec<&'static str>;

    /// Does the work; blocks the thread.
    ///
    /// # Errors
    /// Returns why there is no result.
    fn run(&self, work: &Work, media: Media, job: &Job) -> Result<Vec<Output>, Failure>;
}

/// Converts a task's media to the input of an engine.
trait FromMedia: Sized {
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
trait Modality: Parameters<Media: FromMedia> {
    fn of(work: &Work) -> Option<&Self>;
}

/// Adapts an engine of one modality to [`AnyEngine`].
struct Adapter<P, E>(E, PhantomData<fn(P)>);

impl<P: Modality, E: Engine<P>> AnyEngine for Adapter<P, E> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn refuse(&self, work: &Work) -> Vec<Refusal> {
        P::of(work).map(|parameters| self.0.refuse(parameters)).unwrap_or_default()
    }

    fn media(&self, count: usize) -> Option<Vec<Kind>> {
        P::Media::from_media(vec![Vec::new(); count])?;
        Some((0..count).map(P::Media::kind).collect())
    }

    fn refuse_media(&self, work: &Work, pictures: &[Option<Info>]) -> Vec<Refusal> {
        P::of(work).map(|parameters| self.0.refuse_media(parameters, pictures)).unwrap_or_default()
    }

    fn ignored(&self, work: &Work) -> Vec<&'static str> {
        P::of(work).map(|parameters| self.0.ignored(parameters)).unwrap_or_default()
    }

    fn run(&self, work: &Work, media: Media, job: &Job) -> Result<Vec<Output>, Failure> {
        let mismatch = || Failure::Internal(format!("{} got the work of another modality", self.0.name()));
        let parameters = P::of(work).ok_or_else(mismatch)?;
        let media = P::Media::from_media(media).ok_or_else(mismatch)?;
        // Another version of the service may have accepted the task.
        if let Some(refusal) = self.0.refuse(parameters).first() {
            let message = format!("The engine can't honour `{}`: {}", refusal.parameter, refusal.reason);
            return Err(Failure::media("unsupported_parameters", message));
        }
        self.0.run(parameters, media, job)
    }
}

macro_rules! modalities {
    ($($(#[$doc:meta])* $variant:ident($parameters:ty), $name:literal => $engine:expr;)*) => {
        /// The work of a task: the parameters of one modality, stored with the task as JSON.
        #[derive(Debug, Clone, Serialize, Deserialize)]
        #[serde(tag = "modality", content = "parameters", rename_all = "snake_case")]
        pub enum Work {
            $($(#[$doc])* $variant($parameters),)*
        }

        $(impl Modality for $parameters {
            fn of(work: &Work) -> Option<&Self> {
                match work {
                    Work::$variant(parameters) => Some(parameters),
                    _ => None,
                }
            }
        }

        impl From<$parameters> for Work {
            fn from(parameters: $parameters) -> Self {
                Self::$variant(parameters)
            }
        })*

        /// Returns the built-in engine with this name, if it can do this work.
        #[must_use]
        pub fn built_in(work: &Work, name: &str) -> Option<Arc<dyn AnyEngine>> {
            match (work, name) {
                $((Work::$variant(_), $name) => Some(Arc::new(Adapter::<$parameters, _>($engine, PhantomData))),)*
                _ => None,
            }
        }

        /// The names of the built-in engines, for settings.
        pub static BUILT_IN: &[&str] = &[$($name),*];
    };
}

modalities! {
    /// Retouches a portrait.
    Retouch(retouch::Retouch), "tone-retoucher" => retouch::Retoucher;
    /// Enlarges a picture to twice its size.
    Upscale(upscale::Precision), "lanczos-upscaler" => upscale::Upscaler;
    /// Enlarges a picture by a factor.
    UpscaleBy(upscale::PrecisionV2), "lanczos-upscaler" => upscale::Upscaler;
    /// Extends a picture beyond its edges.
    Expand(expand::Expand), "texture-expander" => expand::Expander;
    /// Shows a picture from another point of view.
    Camera(camera::Camera), "plane-camera" => camera::Photographer;
    /// Removes something from a picture.
    Remove(remove::Remove), "patch-inpainter" => remove::Remover;
    /// Describes a picture.
    Describe(describe::Describe), "measured-description" => describe::Describer;
    /// Makes a picture from a text.
    Compose(compose::Composition), "procedural-composition" => compose::Composer;
    /// Makes a video from a text.
    Animate(film::Animation), "procedural-animation" => film::Animator;
    /// Makes a video from stills.
    Move(film::CameraMove), "still-camera" => film::StillCamera;
    /// Makes a sound effect from a text.
    Sound(sound::SoundParameters), "procedural-sound" => sound::ProceduralSound;
    /// Speaks a text.
    Speech(speech::SpeechParameters), "formant-speech" => speech::FormantSpeech;
    /// Finds an icon for a text.
    Icon(icon::IconParameters), "icon-retrieval" => icon::IconRetrieval;
    /// Improves a prompt.
    Prompt(prompt::PromptParameters), "template-expansion" => prompt::TemplateExpansion;
}

impl Work {
    /// Returns the cost of checking these parameters.
    ///
    /// The unit is bytes: the size of a request body that takes as long to read.
    #[must_use]
    pub fn weight(&self) -> usize {
        match self {
            // The check plans the length of the speech. That takes as long as reading sixteen times as much
            // JSON.
            Self::Speech(parameters) => parameters.text.len().saturating_mul(16),
            _ => 0,
        }
    }

    /// Returns the kind of each piece of the result, for engines that take it as input.
    ///
    /// `None` stands for a text, and for a file that no engine takes.
    #[must_use]
    pub fn makes(&self) -> Vec<Option<Kind>> {
        let piece = match self {
            Self::Retouch(_)
            | Self::Upscale(_)
            | Self::UpscaleBy(_)
            | Self::Expand(_)
            | Self::Camera(_)
            | Self::Remove(_)
            | Self::Compose(_) => Some(Kind::Image),
            Self::Animate(_) | Self::Move(_) => Some(Kind::Video),
            Self::Icon(parameters) => match parameters.format {
                icon::IconFormat::Png => Some(Kind::Image),
                icon::IconFormat::Svg => None,
            },
            Self::Sound(_) | Self::Speech(_) => Some(Kind::Audio),
            Self::Describe(_) | Self::Prompt(_) => None,
        };
        vec![piece]
    }
}

/// The part of a request that a task stores: everything that a worker needs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Assignment {
    /// The steps, in order. Only workflow apps have more than one.
    pub steps: Vec<Step>,
    /// The seed of random numbers, so that each attempt gives the same result.
    pub seed: u64,
    /// The workflow app, if the task is a run of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// Fields of the request that the engine does not read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
    /// The maximum size of the result files in bytes: that of the key's tier when the task was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_bytes: Option<u64>,
}

/// One engine's part of the work.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Step {
    /// The family whose engine does the work: [`Family::name`](super::family::Family::name).
    pub family: String,
    /// The work.
    pub work: Work,
    /// The input media.
    #[serde(default)]
    pub media: Vec<Medium>,
}

/// The source of a medium.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Medium {
    /// The client sent it, or its URL.
    Given {
        /// The kind of the medium.
        kind: Kind,
        /// Its location.
        source: Source,
    },
    /// A file that an earlier step makes, by its index from 0.
    Made(usize),
}
