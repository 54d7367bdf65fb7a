//! Retouching portraits: skin evened out, lighting corrected. Tone and detail only; nothing is painted.

mod light;
mod render;
mod skin;

use serde::{Deserialize, Serialize};

use crate::picture::{decode, png};
use crate::{Engine, Failure, Job, Output, Parameters, Refusal};

/// What a retoucher is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retouch {
    /// In which way the skin is worked on.
    #[serde(flatten)]
    pub mode: Mode,
    /// How much edges are sharpened, 0 to 100.
    #[serde(default)]
    pub sharpen: u8,
    /// How much grain is laid over, 0 to 100.
    #[serde(default = "default_grain")]
    pub smart_grain: u8,
}

/// A way to retouch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "snake_case")]
pub enum Mode {
    /// Stylised: even skin, a soft glow, warmer and richer colours.
    Creative,
    /// Natural.
    Faithful {
        /// How much of the skin's structure stays, 0 to 100; at 100 all of it.
        #[serde(default = "default_skin_detail")]
        skin_detail: u8,
    },
    /// Toward a target.
    Flexible {
        /// The target.
        #[serde(default)]
        optimized_for: Target,
    },
}

/// What a flexible retouch aims at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// Even skin.
    #[default]
    EnhanceSkin,
    /// Balanced colours and local contrast; the skin is left alone.
    ImproveLighting,
    /// Both, and more structure beside the skin.
    EnhanceEverything,
    /// A rendering made to look real: needs a model.
    TransformToReal,
    /// Make-up taken off: needs a model.
    NoMakeUp,
}

impl Target {
    /// The name of one that needs a model.
    const fn model(self) -> Option<&'static str> {
        match self {
            Self::EnhanceSkin | Self::ImproveLighting | Self::EnhanceEverything => None,
            Self::TransformToReal => Some("transform_to_real"),
            Self::NoMakeUp => Some("no_make_up"),
        }
    }
}

fn default_grain() -> u8 {
    2
}

fn default_skin_detail() -> u8 {
    80
}

impl Parameters for Retouch {
    type Media = Vec<u8>;
}

/// Skin found by its colour, evened out by separating fine from coarse structure; lighting by grey-world and local
/// histograms. The result is a PNG file of the same size.
#[derive(Debug, Clone, Copy, Default)]
pub struct Retoucher;

const NAME: &str = "tone-retoucher/1";

impl Engine<Retouch> for Retoucher {
    fn name(&self) -> &'static str {
        NAME
    }

    fn refuse(&self, parameters: &Retouch) -> Vec<Refusal> {
        let mode = match parameters.mode {
            Mode::Creative => None,
            Mode::Faithful { skin_detail } => Refusal::of_number("skin_detail", skin_detail, 0..=100),
            Mode::Flexible { optimized_for } => optimized_for.model().map(|target| {
                let reason = format!("{target} needs a model, and the built-in engine has none");
                Refusal::new("optimized_for", reason)
            }),
        };
        let bounds = [
            Refusal::of_number("sharpen", parameters.sharpen, 0..=100),
            Refusal::of_number("smart_grain", parameters.smart_grain, 0..=100),
        ];
        bounds.into_iter().chain([mode]).flatten().collect()
    }

    fn run(&self, parameters: &Retouch, media: Vec<u8>, job: &Job) -> Result<Vec<Output>, Failure> {
        let picture = decode(&media)?;
        drop(media);
        job.check()?;
        let recipe = render::Recipe::new(parameters);
        let result = render::retouch(&picture, &recipe, job)?;
        Ok(vec![Output::File(png(&result, NAME)?)])
    }
}
