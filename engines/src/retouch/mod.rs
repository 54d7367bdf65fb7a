//! Portrait retouching: even skin and corrected lighting.
//!
//! It changes only tone and detail, and paints nothing.

mod light;
mod render;
mod skin;

use serde::{Deserialize, Serialize};

use crate::picture::{decode, png};
use crate::{Engine, Failure, Job, Output, Refusal};

/// The parameters of a retouch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retouch {
    /// The kind of skin retouching.
    #[serde(flatten)]
    pub mode: Mode,
    /// The sharpening of edges, 0 to 100. 0 by default.
    #[serde(default)]
    pub sharpen: u8,
    /// The strength of added grain, 0 to 100. 2 by default.
    #[serde(default = "default_grain")]
    pub smart_grain: u8,
}

/// A kind of retouching.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "snake_case")]
pub enum Mode {
    /// Stylised: even skin, a soft glow, warmer and richer colours.
    Creative,
    /// Natural: keeps most of the skin's structure by default.
    Faithful {
        /// The share of the skin's structure that stays, 0 to 100. 80 by default; 100 keeps all of it.
        #[serde(default = "default_skin_detail")]
        skin_detail: u8,
    },
    /// Optimised for a target.
    Flexible {
        /// The target.
        #[serde(default)]
        optimized_for: Target,
    },
}

/// The target of a flexible retouch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// Even skin.
    #[default]
    EnhanceSkin,
    /// Balanced colours and local contrast. The skin stays unchanged.
    ImproveLighting,
    /// Even skin, better lighting, and more structure outside the skin.
    EnhanceEverything,
    /// A rendering that looks real. The engine refuses this target, because it needs a model.
    TransformToReal,
    /// No make-up. The engine refuses this target, because it needs a model.
    NoMakeUp,
}

impl Target {
    /// Returns the name of the target if the engine does not support it.
    const fn unsupported(self) -> Option<&'static str> {
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

/// Retouches the tone and the detail of portraits.
///
/// It finds skin by its colour and evens it out by separating coarse from fine structure. It corrects
/// lighting by grey-world balance and local histograms. The result is a PNG file of the same size.
#[derive(Debug, Clone, Copy, Default)]
pub struct Retoucher;

impl Engine<Retouch> for Retoucher {
    const NAME: &'static str = "tone-retoucher/1";

    type Media = Vec<u8>;

    fn refuse(&self, parameters: &Retouch) -> Vec<Refusal> {
        let mode = match parameters.mode {
            Mode::Creative => None,
            Mode::Faithful { skin_detail } => Refusal::of_number("skin_detail", skin_detail, 0..=100),
            Mode::Flexible { optimized_for } => optimized_for.unsupported().map(|target| {
                let reason = format!("{target} needs a model, and the built-in engine has none");
                Refusal::new("optimized_for", reason)
            }),
        };
        let refusals = [
            Refusal::of_number("sharpen", parameters.sharpen, 0..=100),
            Refusal::of_number("smart_grain", parameters.smart_grain, 0..=100),
            mode,
        ];
        refusals.into_iter().flatten().collect()
    }

    fn run(&self, parameters: &Retouch, media: Vec<u8>, job: &Job) -> Result<Vec<Output>, Failure> {
        let picture = decode(media)?;
        job.check()?;
        let result = render::retouch(&picture, &render::Recipe::new(parameters), job)?;
        Ok(vec![Output::File(png(&result, Self::NAME)?)])
    }
}
