//! Decodes pictures from untrusted bytes.

use std::io::{BufRead, Seek};
use std::sync::{Mutex, PoisonError};

use image::{DynamicImage, ImageDecoder};

use super::inspect::{Format, MAX_AREA, area, decoder, largest_frame, open, unreadable};
use super::{MAX_RESULT_AREA, Picture};
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

/// Held while a picture with more pixels than a submitted one is decoded.
static LARGE: Mutex<()> = Mutex::new(());

/// Decodes a picture that an engine made, of at most [`MAX_RESULT_AREA`] pixels.
///
/// At most one picture with more than [`MAX_AREA`] pixels is decoded at a time.
///
/// # Errors
/// [`Failure::Media`] with `unsupported_media` or `image_too_large`.
pub fn decode_result(mut content: impl BufRead + Seek) -> Result<DynamicImage, Failure> {
    let begin = content.fill_buf().map_err(|error| unreadable(&error.into()))?;
    let format = Format::sniff(begin)
        .ok_or_else(|| Failure::media("unsupported_media", "The image is not a JPEG, PNG or WebP file."))?;
    let frame = if format == Format::WebP { largest_frame(&mut content) } else { Ok((0, 0)) };
    let frame = frame.map_err(|error| unreadable(&error.into()))?;
    check_result(frame)?;
    let decoder = decoder(content, format)?;
    check_result(decoder.dimensions())?;
    let area = area(frame).max(area(decoder.dimensions()));
    // A panic of a decoder leaves no shared state.
    let _alone = (area > MAX_AREA).then(|| LARGE.lock().unwrap_or_else(PoisonError::into_inner));
    DynamicImage::from_decoder(decoder).map_err(|error| unreadable(&error))
}

fn check_result((width, height): (u32, u32)) -> Result<(), Failure> {
    if area((width, height)) <= MAX_RESULT_AREA {
        return Ok(());
    }
    let message = format!(
        "The image is {width}x{height} pixels; it may have at most {MAX_RESULT_AREA} pixels in total."
    );
    Err(Failure::media("image_too_large", message))
}

/// Returns whether a profile is for RGB.
///
/// A profile for grey or CMYK does not fit the decoded pixels, which are always RGB.
fn is_rgb(profile: &[u8]) -> bool {
    profile.len() <= MAX_PROFILE && profile.get(16..20) == Some(b"RGB ")
}
