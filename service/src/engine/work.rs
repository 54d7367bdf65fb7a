//! The work of the built-in engines, and what a task stores of it.

use serde::{Deserialize, Serialize};

use asset_engines::picture::Info;
use asset_engines::{
    camera, compose, describe, expand, film, icon, prompt, remove, retouch, sound, speech, upscale,
};

use super::family::Family;
use super::request::{Input, Request};
use crate::domain::Piece;
use crate::media::format::Kind;
use crate::media::input::Source;

/// Calls a macro with the table of all modalities: their names, parameters and built-in engines.
macro_rules! modalities {
    ($with:ident) => {
        $with! {
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
    };
}
pub(super) use modalities;

macro_rules! work {
    ($($(#[$doc:meta])* $variant:ident($parameters:ty), $name:literal => $engine:expr;)*) => {
        /// The parameters of one modality, as JSON.
        #[derive(Debug, Clone, Serialize, Deserialize)]
        #[serde(tag = "modality", content = "parameters", rename_all = "snake_case")]
        pub enum Work {
            $($(#[$doc])* $variant($parameters),)*
        }

        $(impl From<$parameters> for Work {
            fn from(parameters: $parameters) -> Self {
                Self::$variant(parameters)
            }
        })*

        /// The names of the built-in engines, for settings.
        pub static BUILT_IN: &[&str] = &[$($name),*];
    };
}

modalities!(work);

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

    /// Returns the kind of the result, for engines that take it as input.
    ///
    /// `None` stands for a text, and for a file that no engine takes.
    #[must_use]
    pub const fn makes(&self) -> Option<Kind> {
        match self {
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
        }
    }
}

/// The part of a request that a task stores: everything that a worker needs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Assignment {
    /// The steps, in order. Only workflow apps have more than one.
    pub steps: Vec<Step>,
    /// The outputs of steps that earlier attempts finished. These steps do not run again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub finished: Vec<FinishedStep>,
    /// The seed of random numbers, so that each attempt gives the same result.
    pub seed: u64,
    /// The maximum size of the result files in bytes, by the key's tier when the task was accepted.
    pub most_bytes: u64,
}

impl Assignment {
    /// Returns the steps that the next attempt runs: one of an attached engine, or all of built-in engines up to the next
    /// one of an attached engine.
    ///
    /// The work of an attached engine may cost money. So its result is stored before the next step begins.
    #[must_use]
    pub fn stage(&self) -> &[Step] {
        let rest = self.steps.get(self.finished.len()..).unwrap_or_default();
        rest.get(..stage(rest.iter().map(|step| &step.instructions))).unwrap_or_default()
    }
}

/// Returns how many of these steps are one [stage](Assignment::stage).
fn stage<'a>(steps: impl IntoIterator<Item = &'a Instructions>) -> usize {
    let mut steps = steps.into_iter();
    match steps.next() {
        None => 0,
        Some(Instructions::Attached(_)) => 1,
        Some(Instructions::BuiltIn(_)) => {
            1 + steps.take_while(|step| matches!(step, Instructions::BuiltIn(_))).count()
        }
    }
}

/// The output of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinishedStep {
    /// The engine.
    pub engine: String,
    /// The texts and files.
    pub pieces: Vec<Piece>,
    /// The size of the files, in bytes.
    pub bytes: u64,
}

/// One engine's part of the work.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Step {
    /// The family whose engine does the work: [`Family::name`](super::family::Family::name).
    pub family: String,
    /// The instructions for the engine.
    pub instructions: Instructions,
    /// The input media.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<StoredMedium>,
}

/// The instructions for an engine: exactly the input of the engine that the request was accepted for.
///
/// Rejected: to store the input for built-in engines, too. Each attempt would convert it again, and after a change of settings
/// another engine than the accepted one would run it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Instructions {
    /// The parameters of the family's built-in engine.
    BuiltIn(Work),
    /// The input of the operation, for the family's attached engine.
    Attached(Input),
}

impl Instructions {
    /// Returns the request for the engine of this family.
    #[must_use]
    pub fn request(&self, family: &'static Family) -> Request<'_> {
        match self {
            Self::BuiltIn(work) => Request { family, input: None, work: Some(work) },
            Self::Attached(input) => Request { family, input: Some(input), work: None },
        }
    }
}

/// The source of a medium.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoredMedium {
    /// The client sent it, or its URL.
    Given {
        /// The field of the body that held it; empty in steps of workflow apps for built-in engines.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// The kind of the medium.
        kind: Kind,
        /// Its location.
        source: Source,
        /// The size and format of a picture whose bytes are in the request; unknown after that.
        #[serde(skip)]
        picture: Option<Info>,
    },
    /// The first file of an earlier step.
    Output {
        /// The field of the body; empty as above.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// The kind of the medium.
        kind: Kind,
        /// The number of the earlier step, from 0.
        step: usize,
    },
}

impl StoredMedium {
    /// Returns the size and format, if it is a picture of a request that has just been read.
    #[must_use]
    pub const fn picture(&self) -> Option<Info> {
        match self {
            Self::Given { picture, .. } => *picture,
            Self::Output { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_of_an_attached_engine_is_a_stage_of_its_own() {
        let body = serde_json::Value::Null;
        let yes = &Instructions::Attached(Input { operation: String::new(), model: None, body });
        let no = &Instructions::BuiltIn(describe::Describe {}.into());
        for (steps, expected) in [
            (&[][..], 0),
            (&[no], 1),
            (&[no, no, yes, no], 2),
            (&[yes, yes], 1),
            (&[yes, no, no], 1),
            (&[no, no, no], 3),
        ] {
            assert_eq!(stage(steps.iter().copied()), expected, "{steps:?}");
        }
    }
}
