//! Decodes pictures from untrusted bytes.

use image::{DynamicImage, ImageDecoder};

use super::Picture;
use super::inspect::{open, unreadable};
use crate::Failure;

/// The largest colour profile that is kept, in bytes.
///
/// Those of cameras and screens are far smaller.
const MAX_PROFILE: usize = 256 * 1024;

/// Decodes a picture within the limits of [`inspect`](super::inspect()).
///
/// The result is turned upright as its EXIF data says.
pub(crate) fn decode(bytes: &[u8]) -> Result<Picture, Failure> {
    let (_, orientation, mut decoder) = open(bytes)?;
    let colour = decoder.color_type().has_color();
    let profile = decoder.icc_profile().ok().flatten().filter(|profile| colour && is_rgb(profile));
    let mut image = DynamicImage::from_decoder(decoder).map_err(|error| unreadable(&error))?;
    image.apply_orientation(orientation);
    let transparent = image.color().has_alpha();
    let pixels = image.into_rgba8();
    let opaque = !transparent || pixels.as_raw().as_chunks::<4>().0.iter().all(|pixel| pixel[3] == u8::MAX);
    Ok(Picture { pixels, opaque, profile })
}

/// Returns whether a profile is for RGB.
///
/// A profile for grey or CMYK does not fit the decoded pixels, which are always RGB.
fn is_rgb(profile: &[u8]) -> bool {
    profile.len() <= MAX_PROFILE && profile.get(16..20) == Some(b"RGB ")
}
