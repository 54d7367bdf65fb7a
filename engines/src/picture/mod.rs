//! Pictures for all picture engines: decoding, planes of display values, encoding.

mod colour;
mod decode;
mod encode;
mod filter;
mod inspect;
mod light;
mod noise;
mod plane;
mod tone;

pub use decode::decode_result;
pub use inspect::{Format, Info, MAX_AREA, MAX_BYTES, MAX_SIDE, MIN_SIDE, dimensions, inspect};

pub(crate) use colour::Colour;
pub(crate) use decode::decode;
pub(crate) use encode::{JPEG_QUALITY, PngRows, jpeg, on_white, png};
pub(crate) use filter::{box_mean, convolve, gaussian, guided, pad, weigh};
pub(crate) use light::{bright, from_display, luma, to_display};
pub(crate) use noise::grain;
pub(crate) use plane::Plane;
pub(crate) use tone::{GRAIN, SHARPEN, grain_weight, local_contrast, unsharp};

use image::RgbaImage;

use crate::Failure;

/// The largest number of pixels of a picture that an engine makes.
pub const MAX_RESULT_AREA: u64 = 100_000_000;

/// A decoded picture: eight bits per channel, upright, alpha not premultiplied.
#[derive(Debug, Clone)]
pub(crate) struct Picture {
    pub pixels: RgbaImage,
    /// Whether all pixels are opaque.
    pub opaque: bool,
    /// The embedded RGB colour profile. Results keep it. Without one, the pixels count as sRGB.
    pub profile: Option<Vec<u8>>,
}

impl Picture {
    pub fn width(&self) -> usize {
        self.pixels.width() as usize
    }

    pub fn height(&self) -> usize {
        self.pixels.height() as usize
    }

    /// Returns a row of pixels. It is empty outside of the picture.
    pub fn row(&self, y: usize) -> &[[u8; 4]] {
        let width = self.width();
        let (pixels, _) = self.pixels.as_raw().as_chunks::<4>();
        pixels.get(y * width..(y + 1) * width).unwrap_or_default()
    }

    /// Creates an opaque picture from rows of this width.
    pub fn new(width: usize, pixels: Vec<[u8; 4]>) -> Result<Self, Failure> {
        let side = |side: usize| u32::try_from(side).unwrap_or_default();
        let (width, height) = (side(width), side(pixels.len() / width.max(1)));
        let pixels = RgbaImage::from_raw(width, height, pixels.into_flattened())
            .ok_or_else(|| Failure::Internal("the rows of the picture have different lengths".into()))?;
        Ok(Self { pixels, opaque: true, profile: None })
    }

    /// Returns a picture with other pixels, in rows of this width, and the same properties.
    pub fn with_pixels(&self, width: usize, pixels: Vec<[u8; 4]>) -> Result<Self, Failure> {
        Ok(Self { opaque: self.opaque, profile: self.profile.clone(), ..Self::new(width, pixels)? })
    }
}

/// Rounds a value of 0 to 1 to eight bits.
pub(crate) fn quantise(value: f32) -> u8 {
    // A cast from float to integer saturates.
    (value * 255.0 + 0.5) as u8
}

/// Interpolates smoothly from 0 at `from` to 1 at `to`.
pub(crate) fn smooth(from: f32, to: f32, at: f32) -> f32 {
    let t = ((at - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
