//! Upscaling: resampling, sharpening, detail and grain. It invents no detail.

mod denoise;
mod render;
mod resample;

use serde::{Deserialize, Serialize};

use crate::picture::{Info, decode};
use crate::{Engine, Failure, Job, Output, Refusal};
use render::Settings;

/// The longest side of a result, in pixels: twice the longest side of an input.
pub const MAX_OUTPUT_SIDE: u32 = 16_000;
/// The largest number of pixels of a result.
///
/// It is four times the limit of an input, so that a factor of 2 always fits.
pub const MAX_OUTPUT_AREA: u64 = crate::picture::MAX_RESULT_AREA;

/// The parameters of the first precision upscaler. It doubles each side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Precision {
    /// The sharpening of edges, 0 to 100.
    pub sharpen: u8,
    /// The strength of added grain, 0 to 100.
    pub smart_grain: u8,
    /// The enhancement of fine structure, 0 to 100.
    pub ultra_detail: u8,
}

/// The parameters of the second precision upscaler.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PrecisionV2 {
    /// The sharpening of edges, 0 to 100.
    pub sharpen: u8,
    /// The strength of added grain, 0 to 100.
    pub smart_grain: u8,
    /// The enhancement of fine structure, 0 to 100.
    pub ultra_detail: u8,
    /// The kind of picture. `None` assumes nothing.
    pub flavor: Option<Flavor>,
    /// The factor for each side, 2 to 16.
    pub scale_factor: u32,
}

/// The kind of picture that an upscaler may assume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flavor {
    /// A drawing or a rendering: edges stay clean, without ringing beside them.
    Sublime,
    /// A photograph: texture comes first.
    Photo,
    /// A noisy photograph: its noise is measured and removed before enlarging.
    PhotoDenoiser,
}

impl Default for Precision {
    fn default() -> Self {
        Self { sharpen: 50, smart_grain: 7, ultra_detail: 30 }
    }
}

impl Default for PrecisionV2 {
    fn default() -> Self {
        Self { sharpen: 7, smart_grain: 7, ultra_detail: 30, flavor: None, scale_factor: 2 }
    }
}

impl Precision {
    const fn as_v2(&self) -> PrecisionV2 {
        let &Self { sharpen, smart_grain, ultra_detail } = self;
        PrecisionV2 { sharpen, smart_grain, ultra_detail, flavor: None, scale_factor: 2 }
    }
}

/// Returns the size of a result, which is known before any work is done.
///
/// `info` comes from [`inspect`](crate::picture::inspect()).
///
/// # Errors
/// [`Failure::Media`] with `image_too_large` if the result would have more than [`MAX_OUTPUT_AREA`] pixels or
/// a side longer than [`MAX_OUTPUT_SIDE`].
pub fn output_size(info: Info, scale_factor: u32) -> Result<(u32, u32), Failure> {
    let (width, height) = (info.width.saturating_mul(scale_factor), info.height.saturating_mul(scale_factor));
    if width.max(height) > MAX_OUTPUT_SIDE || u64::from(width) * u64::from(height) > MAX_OUTPUT_AREA {
        let message = format!(
            "{scale_factor} times {}x{} pixels is {width}x{height}; a result may have sides of {MAX_OUTPUT_SIDE} and \
             {MAX_OUTPUT_AREA} pixels in all.",
            info.width, info.height
        );
        return Err(Failure::media("image_too_large", message));
    }
    Ok((width, height))
}

/// Returns a refusal of `parameter` if the result would be too large.
fn too_large(pictures: &[Option<Info>], scale_factor: u32, parameter: &'static str) -> Vec<Refusal> {
    let info = pictures.first().copied().flatten();
    let failure = info.and_then(|info| output_size(info, scale_factor).err());
    failure.map(|failure| Refusal::new(parameter, failure.to_string())).into_iter().collect()
}

/// Resamples with Lanczos kernels, then adds sharpening, detail and grain.
///
/// Averaging is done in linear light, and the result is corrected to agree with its source. The result is a
/// PNG file.
#[derive(Debug, Clone, Copy, Default)]
pub struct Upscaler;

impl Engine<Precision> for Upscaler {
    const NAME: &'static str = "lanczos-upscaler/1";

    type Media = Vec<u8>;

    fn refuse(&self, parameters: &Precision) -> Vec<Refusal> {
        self.refuse(&parameters.as_v2())
    }

    fn refuse_media(&self, _: &Precision, pictures: &[Option<Info>]) -> Vec<Refusal> {
        too_large(pictures, PrecisionV2::default().scale_factor, "image")
    }

    fn run(&self, parameters: &Precision, media: Vec<u8>, job: &Job) -> Result<Vec<Output>, Failure> {
        self.run(&parameters.as_v2(), media, job)
    }
}

impl Engine<PrecisionV2> for Upscaler {
    const NAME: &'static str = <Self as Engine<Precision>>::NAME;

    type Media = Vec<u8>;

    fn refuse(&self, parameters: &PrecisionV2) -> Vec<Refusal> {
        let bounds = [
            Refusal::of_number("sharpen", parameters.sharpen, 0..=100),
            Refusal::of_number("smart_grain", parameters.smart_grain, 0..=100),
            Refusal::of_number("ultra_detail", parameters.ultra_detail, 0..=100),
            Refusal::of_number("scale_factor", parameters.scale_factor, 2..=16),
        ];
        bounds.into_iter().flatten().collect()
    }

    fn refuse_media(&self, parameters: &PrecisionV2, pictures: &[Option<Info>]) -> Vec<Refusal> {
        too_large(pictures, parameters.scale_factor, "scale_factor")
    }

    fn run(&self, parameters: &PrecisionV2, media: Vec<u8>, job: &Job) -> Result<Vec<Output>, Failure> {
        output_size(crate::picture::inspect(&media)?, parameters.scale_factor)?;
        let picture = decode(media)?;
        job.check()?;
        let settings = Settings {
            factor: parameters.scale_factor.clamp(1, 16) as usize,
            sharpen: f32::from(parameters.sharpen) / 100.0,
            grain: f32::from(parameters.smart_grain) / 100.0,
            detail: f32::from(parameters.ultra_detail) / 100.0,
            flavor: parameters.flavor,
        };
        Ok(vec![Output::File(render::upscale(&picture, &settings, <Self as Engine<Precision>>::NAME, job)?)])
    }
}
