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
pub(crate) fn decode(bytes: Vec<u8>) -> Result<Picture, Failure> {
    let (_, orientation, mut decoder) = open(&bytes)?;
    let colour = decoder.color_type().has_color();
    let profile = decoder.icc_profile().ok().flatten().filter(|profile| colour && is_usable(profile));
    let mut image = DynamicImage::from_decoder(decoder).map_err(|error| unreadable(&error))?;
    drop(bytes);
    image.apply_orientation(orientation);
    let transparent = image.color().has_alpha();
    let pixels = image.into_rgba8();
    let opaque = !transparent || pixels.as_raw().as_chunks::<4>().0.iter().all(|pixel| pixel[3] == u8::MAX);
    Ok(Picture { pixels, opaque, profile })
}

/// Held while a picture with more than [`MAX_AREA`] pixels is decoded.
static LARGE: Mutex<()> = Mutex::new(());

/// Decodes a picture that an engine made, of at most [`MAX_RESULT_AREA`] pixels.
///
/// At most one picture with more than [`MAX_AREA`] pixels is decoded at a time.
///
/// # Errors
/// [`Failure::Media`] with `unsupported_media` or `image_too_large`, and [`Failure::Internal`] if the content
/// can't be read.
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

/// Returns whether a profile can be kept: it is for RGB, and not larger than [`MAX_PROFILE`].
///
/// A profile for grey or CMYK does not fit the decoded pixels, which are always RGB.
fn is_usable(profile: &[u8]) -> bool {
    profile.len() <= MAX_PROFILE && profile.get(16..20) == Some(b"RGB ")
}

#[cfg(test)]
mod tests {
    use std::io::{self, BufReader, Cursor, Read, SeekFrom};

    use image::{ImageFormat, Rgb, RgbImage};

    use super::*;

    /// A file on a disk that fails after some bytes.
    struct FailingFile {
        content: Cursor<Vec<u8>>,
        readable: u64,
    }

    impl Read for FailingFile {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let left = self.readable.saturating_sub(self.content.position());
            match self.content.by_ref().take(left).read(buffer)? {
                0 => Err(io::Error::other("the disk failed")),
                read => Ok(read),
            }
        }
    }

    impl Seek for FailingFile {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.content.seek(to)
        }
    }

    #[test]
    fn a_failed_read_is_internal() {
        let picture = RgbImage::from_fn(64, 64, |x, y| Rgb([(3 * x) as u8, (3 * y) as u8, (x * y) as u8]));
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
            let mut content = Cursor::new(Vec::new());
            picture.write_to(&mut content, format).unwrap();
            let whole = content.into_inner();
            assert!(decode_result(Cursor::new(whole.as_slice())).is_ok(), "{format:?}");
            for readable in [0, whole.len() as u64 / 2] {
                let file = FailingFile { content: Cursor::new(whole.clone()), readable };
                let failure = decode_result(BufReader::new(file)).unwrap_err();
                assert!(matches!(failure, Failure::Internal(_)), "{format:?}: {failure:?}");
            }
        }
    }
}
