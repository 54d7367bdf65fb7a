//! Encodes pictures to files that name the engine that made them.

use std::borrow::Cow;
use std::io::Write;

use image::codecs::jpeg::JpegEncoder;
use image::{ExtendedColorType, ImageEncoder};

use super::Picture;
use crate::{Failure, File};

/// The JPEG quality.
///
/// At 92, artefacts are invisible, and the file is about a tenth as large as the raw pixels.
pub(crate) const JPEG_QUALITY: u8 = 92;

/// Encodes a PNG file row by row, so that the pixels of a large picture are never in memory at once.
pub(crate) struct PngRows {
    stream: png::StreamWriter<'static, Sink>,
    sink: Sink,
    opaque: bool,
}

/// The encoded bytes. The encoder owns one handle, and [`PngRows`] the other.
#[derive(Clone, Default)]
struct Sink(std::rc::Rc<std::cell::RefCell<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl PngRows {
    /// Starts a file with the colour profile and the transparency of `source`.
    pub fn new(width: usize, height: usize, source: &Picture, engine: &str) -> Result<Self, Failure> {
        Self::begin(
            (width, height),
            source.opaque,
            source.profile.clone(),
            png::Compression::Balanced,
            engine,
        )
    }

    /// Starts an opaque file.
    ///
    /// `effort` is the compression effort, 0 to 100. Default: medium.
    pub fn opaque(size: (usize, usize), effort: Option<u8>, engine: &str) -> Result<Self, Failure> {
        let compression = match effort {
            Some(..34) => png::Compression::Fast,
            Some(67..) => png::Compression::High,
            _ => png::Compression::Balanced,
        };
        Self::begin(size, true, None, compression, engine)
    }

    fn begin(
        (width, height): (usize, usize),
        opaque: bool,
        profile: Option<Vec<u8>>,
        compression: png::Compression,
        engine: &str,
    ) -> Result<Self, Failure> {
        let side = |side: usize| {
            u32::try_from(side)
                .map_err(|_| Failure::Internal("a side of the picture is too long for PNG".into()))
        };
        let mut info = png::Info::with_size(side(width)?, side(height)?);
        info.color_type = if opaque { png::ColorType::Rgb } else { png::ColorType::Rgba };
        info.bit_depth = png::BitDepth::Eight;
        info.icc_profile = profile.map(Cow::Owned);
        let sink = Sink::default();
        let mut encoder = png::Encoder::with_info(sink.clone(), info).map_err(broken)?;
        encoder.set_compression(compression);
        encoder.add_text_chunk("Software".into(), engine.into()).map_err(broken)?;
        let stream = encoder.write_header().and_then(png::Writer::into_stream_writer).map_err(broken)?;
        Ok(Self { stream, sink, opaque })
    }

    /// Writes the next row.
    pub fn push(&mut self, row: &[[u8; 4]]) -> Result<(), Failure> {
        if self.opaque {
            let row: Vec<u8> = row.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
            self.stream.write_all(&row).map_err(broken)
        } else {
            self.stream.write_all(row.as_flattened()).map_err(broken)
        }
    }

    /// Returns the file. All rows must have been written.
    pub fn finish(self) -> Result<File, Failure> {
        self.stream.finish().map_err(broken)?;
        Ok(File { media_type: "image/png", extension: "png", bytes: self.sink.0.take() })
    }
}

/// Encodes the picture as a PNG file.
pub(crate) fn png(picture: &Picture, engine: &str) -> Result<File, Failure> {
    let mut rows = PngRows::new(picture.width(), picture.height(), picture, engine)?;
    for y in 0..picture.height() {
        rows.push(picture.row(y))?;
    }
    rows.finish()
}

/// Encodes the picture as a JPEG file of this quality, 1 to 100.
///
/// Transparent parts are composited over white.
pub(crate) fn jpeg(picture: &Picture, quality: u8, engine: &str) -> Result<File, Failure> {
    let rgb: Vec<u8> =
        (0..picture.height()).flat_map(|y| picture.row(y)).flat_map(|&pixel| on_white(pixel)).collect();
    let mut bytes = Vec::new();
    let mut encoder = JpegEncoder::new_with_quality(&mut bytes, quality);
    if let Some(profile) = &picture.profile {
        encoder.set_icc_profile(profile.clone()).map_err(broken)?;
    }
    encoder.set_exif_metadata(exif_software(engine)).map_err(broken)?;
    let (width, height) = picture.pixels.dimensions();
    encoder.write_image(&rgb, width, height, ExtendedColorType::Rgb8).map_err(broken)?;
    Ok(File { media_type: "image/jpeg", extension: "jpg", bytes })
}

/// Composites a pixel over white.
pub(crate) fn on_white([r, g, b, a]: [u8; 4]) -> [u8; 3] {
    let white = 255 - u32::from(a);
    [r, g, b].map(|value| ((u32::from(value) * u32::from(a) + 255 * white + 127) / 255) as u8)
}

/// Builds EXIF data with one entry, `Software`.
fn exif_software(engine: &str) -> Vec<u8> {
    let text: Vec<u8> = engine.bytes().chain([0]).collect();
    let length = u32::try_from(text.len()).unwrap_or_default();
    let mut exif = b"II*\0\x08\0\0\0\x01\0\x31\x01\x02\0".to_vec();
    exif.extend(length.to_le_bytes());
    // The text follows the directory. Names of engines are longer than the four bytes that the directory can hold.
    exif.extend(26_u32.to_le_bytes());
    exif.extend([0; 4]);
    exif.extend(text);
    exif
}

fn broken(error: impl std::fmt::Display) -> Failure {
    Failure::Internal(format!("can't encode the result: {error}"))
}
