//! What is to be done for a task, and any engine that can do it.

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
    /// What made a result: see [`Engine::name`].
    fn name(&self) -> &'static str;

    /// What of this work the engine can't honour.
    fn refuse(&self, work: &Work) -> Vec<Refusal>;

    /// What the media of this work must be; `None`: they can't be so many.
    fn media(&self, count: usize) -> Option<Vec<Kind>>;

    /// What of the media's headers doesn't go with this work: see [`Engine::refuse_media`].
    fn refuse_media(&self, work: &Work, pictures: &[Option<Info>]) -> Vec<Refusal>;

    /// Returns the given fields that the engine does not read: see [`Engine::ignored`].
    fn ignored(&self, work: &Work) -> Vec<&'static str>;

    /// Does the work; it blocks.
    ///
    /// # Errors
    /// Why there is no result.
    fn run(&self, work: &Work, media: Media, job: &Job) -> Result<Vec<Output>, Failure>;
}

/// How media arrive at an engine.
trait FromMedia: Sized {
    fn from_media(media: Media) -> Option<Self>;

    /// What the medium of this place must be.
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

/// An engine of one modality, as one of any.
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
        let mismatch = || Failure::Internal(format!("{} was given work of another kind", self.0.name()));
        let parameters = P::of(work).ok_or_else(mismatch)?;
        let media = P::Media::from_media(media).ok_or_else(mismatch)?;
        // Another version may have accepted it.
        if let Some(refusal) = self.0.refuse(parameters).first() {
            let message = format!("The engine can't honour `{}`: {}", refusal.parameter, refusal.reason);
            return Err(Failure::media("unsupported_parameters", message));
        }
        self.0.run(parameters, media, job)
    }
}

macro_rules! modalities {
    ($($(#[$doc:meta])* $variant:ident($parameters:ty), $name:literal => $engine:expr;)*) => {
        /// What is to be done: the parameters of a modality. It is kept with the task, as JSON.
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

        /// The engine that settings call so, for this work.
        #[must_use]
        pub fn built_in(work: &Work, name: &str) -> Option<Arc<dyn AnyEngine>> {
            match (work, name) {
                $((Work::$variant(_), $name) => Some(Arc::new(Adapter::<$parameters, _>($engine, PhantomData))),)*
                _ => None,
            }
        }

        /// What settings may call the engines that are built in.
        pub static BUILT_IN: &[&str] = &[$($name),*];
    };
}

modalities! {
    /// A portrait retouched.
    Retouch(retouch::Retouch), "tone-retoucher" => retouch::Retoucher;
    /// A picture enlarged to twice its size.
    Upscale(upscale::Precision), "lanczos-upscaler" => upscale::Upscaler;
    /// A picture enlarged by a factor.
    UpscaleBy(upscale::PrecisionV2), "lanczos-upscaler" => upscale::Upscaler;
    /// A picture grown at its edges.
    Expand(expand::Expand), "texture-expander" => expand::Expander;
    /// A picture seen from elsewhere.
    Camera(camera::Camera), "plane-camera" => camera::Photographer;
    /// Something removed from a picture.
    Remove(remove::Remove), "patch-inpainter" => remove::Remover;
    /// A picture described.
    Describe(describe::Describe), "measured-description" => describe::Describer;
    /// A picture from a text.
    Compose(compose::Composition), "procedural-composition" => compose::Composer;
    /// A video from a text.
    Animate(film::Animation), "procedural-animation" => film::Animator;
    /// A video from stills.
    Move(film::CameraMove), "still-camera" => film::StillCamera;
    /// A sound effect from a text.
    Sound(sound::SoundParameters), "procedural-sound" => sound::ProceduralSound;
    /// A text spoken.
    Speech(speech::SpeechParameters), "formant-speech" => speech::FormantSpeech;
    /// An icon from a text.
    Icon(icon::IconParameters), "icon-retrieval" => icon::IconRetrieval;
    /// A prompt improved.
    Prompt(prompt::PromptParameters), "template-expansion" => prompt::TemplateExpansion;
}

impl Work {
    /// Returns how expensive it is to check these parameters: the size of a request body that takes as long to read.
    #[must_use]
    pub fn weight(&self) -> usize {
        match self {
            // The length of a speech is planned: about as long as reading sixteen times as much JSON.
            Self::Speech(parameters) => parameters.text.len().saturating_mul(16),
            _ => 0,
        }
    }

    /// What its pieces are: the kind of a file that another engine can take; `None`: a text, or a file that none takes.
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

/// What a task keeps of its request: all that a worker needs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Assignment {
    /// What is done, one after the other; one step but for workflow apps.
    pub steps: Vec<Step>,
    /// What chance begins with, so that each attempt makes the same.
    pub seed: u64,
    /// The workflow app that this is a run of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// Fields of the request that the engine does not read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
}

/// One engine's part of the work.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Step {
    /// The family whose engine does it: [`Family::name`](super::family::Family::name).
    pub family: String,
    /// What is to be done.
    pub work: Work,
    /// What it is done to.
    #[serde(default)]
    pub media: Vec<Medium>,
}

/// Where the worker finds a medium.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Medium {
    /// The client has given it.
    Given {
        /// What it is.
        kind: Kind,
        /// Where it is.
        source: Source,
    },
    /// It is among the files that the steps before have made: which one, from 0.
    Made(usize),
}
