//! Reads a picture's header.
//!
//! It is fast enough to run while a task is submitted.

use std::cmp::max_by_key;
use std::io::{self, BufRead, Cursor, ErrorKind, Read as _, Seek, SeekFrom};

use image::metadata::Orientation;
use image::{ImageDecoder, ImageError, ImageFormat, ImageReader, Limits};

use crate::Failure;

/// The largest size of an encoded picture, in bytes.
pub const MAX_BYTES: usize = 10 * 1024 * 1024;
/// The shortest allowed side, in pixels.
pub const MIN_SIDE: u32 = 64;
/// The longest allowed side, in pixels.
pub const MAX_SIDE: u32 = 8000;
/// The largest number of pixels.
pub const MAX_AREA: u64 = 25_000_000;

/// The memory that a decoder may allocate besides the pixels, in bytes.
///
/// A compressed colour profile or text of a PNG can be a thousand times larger than its file.
const MAX_ALLOCATION: u64 = 1024 * 1024;

/// The supported input formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JPEG.
    Jpeg,
    /// PNG. Only the first frame of an animation is used.
    Png,
    /// WebP. Only the first frame of an animation is used.
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
    pub(super) fn sniff(bytes: &[u8]) -> Option<Self> {
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

/// Returns the width and height in a picture's header, without checking the limits.
///
/// Returns `None` if the header can't be read. The picture is not turned upright, and no pixels are decoded.
pub fn dimensions(content: impl BufRead + Seek, format: Format) -> Option<(u32, u32)> {
    decoder(content, format).ok().map(|decoder| decoder.dimensions())
}

/// Returns the header's facts, the orientation, and a decoder for the pixels.
pub(super) fn open(bytes: &[u8]) -> Result<(Info, Orientation, impl ImageDecoder + '_), Failure> {
    if bytes.len() > MAX_BYTES {
        let message = format!("The image has {} bytes; the limit is {MAX_BYTES}.", bytes.len());
        return Err(Failure::media("image_too_large", message));
    }
    let format = Format::sniff(bytes)
        .ok_or_else(|| Failure::media("unsupported_media", "The image is not a JPEG, PNG or WebP file."))?;
    if format == Format::WebP {
        let (width, height) =
            largest_frame(&mut Cursor::new(bytes)).map_err(|error| unreadable(&error.into()))?;
        if area((width, height)) > MAX_AREA {
            check_size(width, height)?;
        }
    }
    let mut decoder = decoder(Cursor::new(bytes), format)?;
    let (width, height) = decoder.dimensions();
    check_size(width, height)?;
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let (width, height) = if on_its_side(orientation) { (height, width) } else { (width, height) };
    Ok((Info { format, width, height }, orientation, decoder))
}

/// Returns a decoder that has read the header.
pub(super) fn decoder<'r>(
    content: impl BufRead + Seek + 'r,
    format: Format,
) -> Result<impl ImageDecoder + 'r, Failure> {
    let mut reader = ImageReader::with_format(content, format.of_image());
    // Callers check the sides, with messages of their own.
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MAX_ALLOCATION);
    reader.limits(limits);
    reader.into_decoder().map_err(|error| unreadable(&error))
}

/// Converts a decoder's error to a failure.
pub(super) fn unreadable(error: &ImageError) -> Failure {
    match error {
        ImageError::Limits(_) => {
            Failure::media("image_too_large", "The image needs too much memory to decode; use a smaller one.")
        }
        ImageError::IoError(error) if !is_malformed(error.kind()) => {
            Failure::Internal(format!("can't read the image: {error}"))
        }
        _ => Failure::media("unsupported_media", format!("The image can't be decoded: {error}.")),
    }
}

/// Returns whether decoders report malformed pictures as I/O errors of this kind.
///
/// All other kinds come from the source of the bytes.
fn is_malformed(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::UnexpectedEof | ErrorKind::InvalidData | ErrorKind::InvalidInput)
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
    if area((width, height)) > MAX_AREA {
        let message =
            format!("The image is {width}x{height} pixels; it may have at most {MAX_AREA} pixels in total.");
        return Err(Failure::media("image_too_large", message));
    }
    Ok(())
}

pub(super) fn area((width, height): (u32, u32)) -> u64 {
    u64::from(width) * u64::from(height)
}

/// Returns the sides of the largest lossy frame of a WebP picture, and rewinds.
///
/// The decoder decodes a frame before it compares the frame with the size of the picture.
pub(super) fn largest_frame(content: &mut (impl BufRead + Seek)) -> io::Result<(u32, u32)> {
    let mut largest = (0, 0);
    content.seek(SeekFrom::Start(12))?;
    loop {
        let mut begin = Vec::with_capacity(18);
        let read = content.by_ref().take(18).read_to_end(&mut begin)?;
        let Some(([name @ .., a, b, c, d], start)) = begin.split_first_chunk::<8>() else { break };
        let size = i64::from(u32::from_le_bytes([*a, *b, *c, *d]));
        if let (b"VP8 ", [_, _, _, 0x9d, 0x01, 0x2a, a, b, c, d]) = (name, start) {
            let [width, height] = [[*a, *b], [*c, *d]].map(|side| u16::from_le_bytes(side) & 0x3fff);
            largest = max_by_key(largest, (width.into(), height.into()), |sides| area(*sides));
        }
        // The chunks of a frame follow its header.
        let length = if name == b"ANMF" { 24 } else { 8 + size + size % 2 };
        content.seek_relative(length - i64::try_from(read).unwrap_or_default())?;
    }
    content.rewind()?;
    Ok(largest)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_frame_in_a_small_picture_is_refused() {
        for picture in large_frames() {
            let refused = inspect(&picture).unwrap_err();
            assert!(matches!(refused, Failure::Media { code: "image_too_large", .. }), "{refused}");
            let refused = crate::picture::decode_result(Cursor::new(picture)).unwrap_err();
            assert!(matches!(refused, Failure::Media { code: "image_too_large", .. }), "{refused}");
        }
    }

    /// Returns pictures with a canvas of 64x64 pixels, and a frame of 16383x16383.
    fn large_frames() -> [Vec<u8>; 2] {
        let chunk = |name: &[u8; 4], content: &[u8]| {
            let size = u32::try_from(content.len()).unwrap().to_le_bytes();
            [name, size.as_slice(), content].concat()
        };
        let canvas = chunk(b"VP8X", &[0, 0, 0, 0, 63, 0, 0, 63, 0, 0]);
        let frame = chunk(b"VP8 ", &[0, 0, 0, 0x9d, 0x01, 0x2a, 0xff, 0x3f, 0xff, 0x3f, 0, 0]);
        let moving = chunk(b"ANMF", &[&[0; 16][..], &frame].concat());
        [frame, moving].map(|frame| chunk(b"RIFF", &[b"WEBP", canvas.as_slice(), &frame].concat()))
    }
}
