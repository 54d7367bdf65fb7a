//! The work of the built-in engines, and what a task stores of it.

use serde::{Deserialize, Serialize};

use asset_engines::{
    camera, compose, describe, expand, film, icon, prompt, remove, retouch, sound, speech, upscale,
};

use super::builtin::{Adapter, AnyBuiltIn, Modality};
use super::request::Input;
use crate::media::format::Kind;
use crate::media::input::Source;
use crate::store::Piece;

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
        pub(super) fn built_in(work: &Work, name: &str) -> Option<Box<dyn AnyBuiltIn>> {
            match (work, name) {
                $((Work::$variant(_), $name) => Some(Box::new(Adapter::<$parameters, _>::new($engine))),)*
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
    /// What the first steps have made in earlier attempts, which does not happen again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub finished: Vec<FinishedStep>,
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

impl Assignment {
    /// Returns the steps that the next attempt runs: one that has an input, or all without one up to the next that
    /// has.
    ///
    /// A step with an input may run elsewhere and cost money. So its result is stored before the next step begins.
    #[must_use]
    pub fn stage(&self) -> &[Step] {
        let rest = self.steps.get(self.finished.len()..).unwrap_or_default();
        rest.get(..stage(rest.iter().map(|step| step.input.is_some()))).unwrap_or_default()
    }
}

/// Returns how many of these steps are one [stage](Assignment::stage), by whether each has an input.
pub fn stage(have_inputs: impl IntoIterator<Item = bool>) -> usize {
    let mut have_inputs = have_inputs.into_iter();
    match have_inputs.next() {
        None => 0,
        Some(true) => 1,
        Some(false) => 1 + have_inputs.take_while(|has_input| !has_input).count(),
    }
}

/// What a step has made.
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
    /// The parameters of the built-in engine, if one can do the work. Processes of the previous release read
    /// nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<Work>,
    /// The input of the operation. The steps of workflow apps that built-in engines run, and tasks of the previous
    /// release, have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Input>,
    /// The input media.
    #[serde(default)]
    pub media: Vec<StoredMedium>,
}

/// The source of a medium.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoredMedium {
    /// The client sent it, or its URL.
    Given {
        /// The field of the body that held it; empty in steps without an input.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// The kind of the medium.
        kind: Kind,
        /// Its location.
        source: Source,
    },
    /// The first file of an earlier step, by the step's number from 0.
    Made(usize),
    /// The same for a step with an input.
    MadeFor {
        /// The field of the body.
        name: String,
        /// The kind of the medium.
        kind: Kind,
        /// The number of the earlier step, from 0.
        step: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_with_an_input_is_a_stage_of_its_own() {
        let (yes, no) = (true, false);
        for (have_inputs, expected) in [
            (&[][..], 0),
            (&[no], 1),
            (&[no, no, yes, no], 2),
            (&[yes, yes], 1),
            (&[yes, no, no], 1),
            (&[no, no, no], 3),
        ] {
            assert_eq!(stage(have_inputs.iter().copied()), expected, "{have_inputs:?}");
        }
    }
}
