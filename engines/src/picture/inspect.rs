//! Reads a picture's header.
//!
//! This is fast enough for the moment when a task is submitted.

use std::io::Cursor;

use image::metadata::Orientation;
use image::{ImageDecoder, ImageFormat, ImageReader, Limits};

use crate::Failure;

/// The largest size of an encoded picture, in bytes.
pub const MAX_BYTES: usize = 10 * 1024 * 1024;
/// The shortest allowed side, in pixels.
pub const MIN_SIDE: u32 = 64;
/// The longest allowed side, in pixels.
pub const MAX_SIDE: u32 = 8000;
/// The largest number of pixels.
pub const MAX_AREA: u64 = 25_000_000;

/// The memory that a decoder may allocate, in bytes.
///
/// It is enough for four channels of sixteen bits of the largest picture, and for working memory.
const MAX_ALLOCATION: u64 = MAX_AREA * 8 + 64 * 1024 * 1024;

/// The supported input formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JPEG.
    Jpeg,
    /// PNG. Of an animation, only the first frame is used.
    Png,
    /// WebP. Of an animation, only the first frame is used.
    WebP,
}

/// The facts in a picture's header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Info {
    /// The format.
    pub format: Format,
    /// The width after the picture is turned upright, in pixels.
    pub width: u32,
    /// The height after the picture is turned upright, in pixels.
    pub height: u32,
}

impl Format {
    /// Detects the format by the first bytes.
    fn sniff(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"\xff\xd8\xff") {
            Some(Self::Jpeg)
        } else if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            Some(Self::Png)
        } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            Some(Self::WebP)
        } else {
            None
        }
    }

    fn of_image(self) -> ImageFormat {
        match self {
            Self::Jpeg => ImageFormat::Jpeg,
            Self::Png => ImageFormat::Png,
            Self::WebP => ImageFormat::WebP,
        }
    }
}

/// Reads a picture's header and checks it against the limits.
///
/// It decodes no pixels.
///
/// # Errors
/// [`Failure::Media`] with `unsupported_media`, `image_too_large` or `image_too_small`.
pub fn inspect(bytes: &[u8]) -> Result<Info, Failure> {
    open(bytes).map(|(info, _, _)| info)
}

/// Returns the header's facts, the orientation, and a decoder for the pixels.
pub(super) fn open(bytes: &[u8]) -> Result<(Info, Orientation, impl ImageDecoder + '_), Failure> {
    if bytes.len() > MAX_BYTES {
        let message = format!("The image has {} bytes; the limit is {MAX_BYTES}.", bytes.len());
        return Err(Failure::media("image_too_large", message));
    }
    let format = Format::sniff(bytes)
        .ok_or_else(|| Failure::media("unsupported_media", "The image is not a JPEG, PNG or WebP file."))?;
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format.of_image());
    // Sides are checked below, with a message of our own.
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MAX_ALLOCATION);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|error| unreadable(&error))?;
    let (width, height) = decoder.dimensions();
    check_size(width, height)?;
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let (width, height) = if on_its_side(orientation) { (height, width) } else { (width, height) };
    Ok((Info { format, width, height }, orientation, decoder))
}

/// Converts a decoder's error to a failure.
pub(super) fn unreadable(error: &image::ImageError) -> Failure {
    if matches!(error, image::ImageError::Limits(_)) {
        return Failure::media(
            "image_too_large",
            "The image needs too much memory to decode; use a smaller one.",
        );
    }
    Failure::media("unsupported_media", format!("The image can't be decoded: {error}."))
}

fn check_size(width: u32, height: u32) -> Result<(), Failure> {
    if width.min(height) < MIN_SIDE {
        let message = format!("The image is {width}x{height} pixels; each side needs at least {MIN_SIDE}.");
        return Err(Failure::media("image_too_small", message));
    }
    if width.max(height) > MAX_SIDE {
        let message = format!("The image is {width}x{height} pixels; each side may have at most {MAX_SIDE}.");
        return Err(Failure::media("image_too_large", message));
    }
    if u64::from(width) * u64::from(height) > MAX_AREA {
        let message =
            format!("The image is {width}x{height} pixels; it may have at most {MAX_AREA} pixels in total.");
        return Err(Failure::media("image_too_large", message));
    }
    Ok(())
}

fn on_its_side(orientation: Orientation) -> bool {
    matches!(
        orientation,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    )
}
