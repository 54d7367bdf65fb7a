//! Measures media by their headers, without decoding them: the size of pictures, the length of sounds, both of videos.

use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};

use asset_engines::picture;
use lofty::config::{GlobalOptions, ParseOptions, apply_global_options};
use lofty::file::{AudioFile, FileType};
use lofty::probe::Probe;

use super::format::Format;

/// The maximum that lofty may allocate for one part of a header, in bytes. Tags and pictures are skipped.
const MAX_ALLOCATION: usize = 1024 * 1024;

/// The largest index of a video, in bytes.
const MAX_INDEX: u64 = 16 * 1024 * 1024;

/// The maximum number of boxes before the index of a video.
const MAX_BOXES: usize = 100_000;

/// The facts in the header of a medium.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Measured {
    /// The width and height, in pixels.
    pub(crate) size: Option<(u32, u32)>,
    /// The length, in seconds.
    pub(crate) seconds: Option<f64>,
}

/// Measures a file with this extension. For WebM and SVG, both facts are `None`.
pub(crate) fn of(content: &mut (impl Read + Seek), extension: &str) -> Measured {
    if content.rewind().is_err() {
        return Measured::default();
    }
    let content = BufReader::new(content);
    match extension {
        "png" => still(content, picture::Format::Png),
        "jpg" => still(content, picture::Format::Jpeg),
        "webp" => still(content, picture::Format::WebP),
        "mp4" | "mov" => film(content).unwrap_or_default(),
        _ => Measured { size: None, seconds: sound(content, extension) },
    }
}

/// Returns the length in seconds, or `None` if the bytes are not such a file.
///
/// Returns `None` for WebM, too.
pub(crate) fn seconds(bytes: &[u8], format: Format) -> Option<f64> {
    of(&mut Cursor::new(bytes), format.extension()).seconds
}

fn still(content: BufReader<impl Read + Seek>, format: picture::Format) -> Measured {
    Measured { size: picture::dimensions(content, format), seconds: None }
}

fn sound(content: BufReader<impl Read + Seek>, extension: &str) -> Option<f64> {
    let file_type = match extension {
        "mp3" => FileType::Mpeg,
        "wav" => FileType::Wav,
        "m4a" => FileType::Mp4,
        "flac" => FileType::Flac,
        "ogg" => FileType::Vorbis,
        _ => return None,
    };
    // The options apply to this thread only.
    apply_global_options(GlobalOptions::new().allocation_limit(MAX_ALLOCATION));
    let options = ParseOptions::new().read_tags(false).read_cover_art(false);
    let file = Probe::with_file_type(content, file_type).options(options).read().ok()?;
    Some(file.properties().duration().as_secs_f64())
}

/// Measures an ISO base media file: the length of the whole, and the size of the first track that has one.
fn film(content: BufReader<impl Read + Seek>) -> Option<Measured> {
    let index = index(content)?;
    let header = inside(&index, b"mvhd")?;
    let number = |at: usize| Some(u32::from_be_bytes(*header.get(at..)?.first_chunk()?));
    let (scale, length) = match header.first()? {
        0 => (number(12)?, f64::from(number(16)?)),
        _ => (number(20)?, f64::from(number(24)?) * 4_294_967_296.0 + f64::from(number(28)?)),
    };
    // In fragments, the header has no length.
    let seconds = (scale > 0 && length > 0.0).then(|| length / f64::from(scale));
    let tracks = boxes(&index).filter(|(name, _)| name == b"trak");
    let size = tracks.filter_map(|(_, track)| size(inside(track, b"tkhd")?)).find(|size| *size != (0, 0));
    Some(Measured { size, seconds })
}

/// Returns the size at the end of a track's header, two numbers with 16 bits of fraction.
fn size(header: &[u8]) -> Option<(u32, u32)> {
    let [a, b, _, _, c, d, _, _] = *header.last_chunk()?;
    Some((u16::from_be_bytes([a, b]).into(), u16::from_be_bytes([c, d]).into()))
}

/// Returns the content of the box `moov`, the index of the file.
fn index(mut content: BufReader<impl Read + Seek>) -> Option<Vec<u8>> {
    let mut left = content.seek(SeekFrom::End(0)).ok()?;
    content.rewind().ok()?;
    for _ in 0..MAX_BOXES {
        let mut head = Vec::with_capacity(16);
        content.by_ref().take(16).read_to_end(&mut head).ok()?;
        let (name, length) = extent(&head, left)?;
        content.seek_relative(8 - i64::try_from(head.len()).ok()?).ok()?;
        if name == *b"moov" && length <= MAX_INDEX {
            let mut index = Vec::new();
            content.take(length - 8).read_to_end(&mut index).ok()?;
            return Some(index);
        }
        content.seek_relative(i64::try_from(length - 8).ok()?).ok()?;
        left -= length;
    }
    None
}

/// Returns the name and the length of the box that starts with `head`; `left` is the number of bytes up to the end.
pub(crate) fn extent(head: &[u8], left: u64) -> Option<([u8; 4], u64)> {
    let (length, rest) = head.split_first_chunk::<4>()?;
    let length = match u32::from_be_bytes(*length) {
        0 => left,
        1 => u64::from_be_bytes(*head.get(8..)?.first_chunk()?),
        length => u64::from(length),
    };
    ((8..=left).contains(&length)).then_some((*rest.first_chunk()?, length))
}

/// Returns the boxes of these bytes: their names and contents.
fn boxes(mut bytes: &[u8]) -> impl Iterator<Item = ([u8; 4], &[u8])> {
    std::iter::from_fn(move || {
        let (name, length) = extent(bytes, bytes.len() as u64)?;
        let (one, rest) = bytes.split_at_checked(usize::try_from(length).ok()?)?;
        bytes = rest;
        Some((name, one.get(8..)?))
    })
}

/// Returns the content of the first box with this name.
fn inside<'b>(bytes: &'b [u8], name: &[u8; 4]) -> Option<&'b [u8]> {
    boxes(bytes).find(|(found, _)| found == name).map(|(_, content)| content)
}

#[cfg(test)]
pub(super) mod tests {
    use image::ImageFormat;
    use proptest::prelude::*;

    use super::*;

    /// Returns a WAV file of silence with 8000 8-bit samples per second.
    pub(in crate::media) fn wav(seconds: f64) -> Vec<u8> {
        let samples = (seconds * 8000.0) as u32;
        let mut file = b"RIFF".to_vec();
        file.extend((36 + samples).to_le_bytes());
        file.extend(b"WAVEfmt ");
        file.extend(16_u32.to_le_bytes());
        file.extend([1, 0, 1, 0]);
        file.extend(8000_u32.to_le_bytes());
        file.extend(8000_u32.to_le_bytes());
        file.extend([1, 0, 8, 0]);
        file.extend(b"data");
        file.extend(samples.to_le_bytes());
        file.resize(file.len() + samples as usize, 128);
        file
    }

    /// Returns MPEG 1 layer III frames (128 kbit/s, 44.1 kHz).
    ///
    /// Each frame has 1152 samples in 417 bytes.
    fn mp3(frames: usize) -> Vec<u8> {
        let mut frame = vec![0; 417];
        frame[..4].copy_from_slice(b"\xff\xfb\x90\x00");
        frame.repeat(frames)
    }

    #[test]
    fn headers_have_length_and_size() {
        assert_eq!(seconds(&wav(2.5), Format::Wav), Some(2.5));
        let measured = seconds(&mp3(100), Format::Mp3).unwrap();
        assert!((measured - 100.0 * 1152.0 / 44100.0).abs() < 0.1, "{measured}");
        assert_eq!(seconds(b"RIFF and so on", Format::Wav), None);
        assert_eq!(seconds(&wav(2.0), Format::M4a), None);
        assert_eq!(seconds(&wav(2.0), Format::Png), None);
        let film = include_bytes!("../../../tests/providers/media/film.mp4");
        let measured = seconds(film, Format::Mp4).unwrap();
        assert!((measured - 1.0).abs() < 0.01, "{measured}");
        assert_eq!(seconds(&film[..100], Format::Mp4), None);
        assert_eq!(of(&mut Cursor::new(film), "mp4").size, Some((32, 32)));
        let mut png = Cursor::new(Vec::new());
        image::RgbImage::new(64, 80).write_to(&mut png, ImageFormat::Png).unwrap();
        assert_eq!(of(&mut png, "png"), Measured { size: Some((64, 80)), seconds: None });
        assert_eq!(of(&mut Cursor::new(b"<svg/>"), "svg"), Measured::default());
    }

    proptest! {
        #[test]
        fn no_bytes_panic(noise: Vec<u8>, cut in 0..200_usize) {
            for (format, mut file) in [(Format::Wav, wav(0.01)), (Format::Mp3, mp3(2)), (Format::M4a, noise.clone()), (Format::Mov, noise.clone())] {
                file.truncate(cut);
                file.extend(&noise);
                let _ = seconds(&file, format);
            }
        }
    }
}
