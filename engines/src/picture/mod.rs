//! Pictures as all picture engines see them: read with care, worked on as planes of light, written with their maker's name.

mod decode;
mod encode;
mod filter;
mod inspect;
mod light;
mod noise;
mod plane;
mod tone;

pub use inspect::{Format, Info, MAX_AREA, MAX_BYTES, MAX_SIDE, MIN_SIDE, inspect};

pub(crate) use decode::decode;
pub(crate) use encode::{JPEG_QUALITY, PngRows, jpeg, png};
pub(crate) use filter::{box_mean, convolve, gaussian, guided, pad, weigh};
pub(crate) use light::{bright, from_display, luma, to_display};
pub(crate) use noise::{grain, hash};
pub(crate) use plane::Plane;
pub(crate) use tone::{GRAIN, SHARPEN, grain_weight, local_contrast, unsharp};

use image::RgbaImage;

/// A decoded picture: eight bits a channel, upright, alpha not multiplied in.
#[derive(Debug, Clone)]
pub(crate) struct Picture {
    /// The pixels.
    pub pixels: RgbaImage,
    /// Whether no pixel lets anything through.
    pub opaque: bool,
    /// The colour profile the pixels are meant in, when it is not sRGB; a result carries it on.
    pub profile: Option<Vec<u8>>,
}

impl Picture {
    pub fn width(&self) -> usize {
        self.pixels.width() as usize
    }

    pub fn height(&self) -> usize {
        self.pixels.height() as usize
    }

    /// A row of pixels, empty outside of the picture.
    pub fn row(&self, y: usize) -> &[[u8; 4]] {
        let width = self.width();
        let (pixels, _) = self.pixels.as_raw().as_chunks::<4>();
        pixels.get(y * width..(y + 1) * width).unwrap_or_default()
    }

    /// The same with other pixels.
    pub fn with_pixels(&self, pixels: RgbaImage) -> Self {
        Self { pixels, opaque: self.opaque, profile: self.profile.clone() }
    }
}

/// The next eight-bit value to `value`, which is 0 to 1 when it is in range.
pub(crate) fn quantise(value: f32) -> u8 {
    // A cast of a float to an integer saturates.
    (value * 255.0 + 0.5) as u8
}
