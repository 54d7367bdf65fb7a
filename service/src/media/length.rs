//! Reads the length of a sound or a video from its file, without decoding it.

use std::io::Cursor;

use lofty::config::{GlobalOptions, ParseOptions, apply_global_options};
use lofty::file::{AudioFile, FileType};
use lofty::probe::Probe;

use super::format::Format;

/// The most that lofty may allocate for one part of a header, in bytes. Tags and pictures are skipped.
const MAX_ALLOCATION: usize = 1024 * 1024;

/// Returns the length in seconds, or `None` if the bytes are no such file.
///
/// Returns `None` for WebM, too.
pub(crate) fn seconds(bytes: &[u8], format: Format) -> Option<f64> {
    let file_type = match format {
        Format::Mp4 | Format::Mov => return film(bytes),
        Format::Mp3 => FileType::Mpeg,
        Format::Wav => FileType::Wav,
        Format::M4a => FileType::Mp4,
        _ => return None,
    };
    // The options hold for this thread.
    apply_global_options(GlobalOptions::new().allocation_limit(MAX_ALLOCATION));
    let options = ParseOptions::new().read_tags(false).read_cover_art(false);
    let file = Probe::with_file_type(Cursor::new(bytes), file_type).options(options).read().ok()?;
    Some(file.properties().duration().as_secs_f64())
}

/// Returns the length that the header of an ISO base media file tells.
fn film(bytes: &[u8]) -> Option<f64> {
    let header = inside(inside(bytes, b"moov")?, b"mvhd")?;
    let number = |at: usize| Some(u32::from_be_bytes(*header.get(at..)?.first_chunk()?));
    let (scale, length) = match header.first()? {
        0 => (number(12)?, f64::from(number(16)?)),
        _ => (number(20)?, f64::from(number(24)?) * 4_294_967_296.0 + f64::from(number(28)?)),
    };
    (scale > 0).then(|| length / f64::from(scale))
}

/// Returns the content of the first box with this name.
fn inside<'b>(mut boxes: &'b [u8], name: &[u8; 4]) -> Option<&'b [u8]> {
    loop {
        let (length, rest) = boxes.split_first_chunk::<4>()?;
        let length = match u32::from_be_bytes(*length) {
            0 => boxes.len() as u64,
            1 => u64::from_be_bytes(*boxes.get(8..)?.first_chunk()?),
            length => u64::from(length),
        };
        let one = boxes.get(..usize::try_from(length).ok()?).filter(|one| one.len() >= 8)?;
        if rest.starts_with(name) {
            return one.get(8..);
        }
        boxes = boxes.get(one.len()..)?;
    }
}

#[cfg(test)]
pub(super) mod tests {
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
    fn files_tell_their_length() {
        assert_eq!(seconds(&wav(2.5), Format::Wav), Some(2.5));
        let told = seconds(&mp3(100), Format::Mp3).unwrap();
        assert!((told - 100.0 * 1152.0 / 44100.0).abs() < 0.1, "{told}");
        assert_eq!(seconds(b"RIFF and so on", Format::Wav), None);
        assert_eq!(seconds(&wav(2.0), Format::M4a), None);
        assert_eq!(seconds(&wav(2.0), Format::Png), None);
        let film = include_bytes!("../../../tests/providers/media/film.mp4");
        let told = seconds(film, Format::Mp4).unwrap();
        assert!((told - 1.0).abs() < 0.01, "{told}");
        assert_eq!(seconds(&film[..100], Format::Mp4), None);
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_odd(noise: Vec<u8>, cut in 0..200_usize) {
            for (format, mut file) in [(Format::Wav, wav(0.01)), (Format::Mp3, mp3(2)), (Format::M4a, noise.clone()), (Format::Mov, noise.clone())] {
                file.truncate(cut);
                file.extend(&noise);
                let _ = seconds(&file, format);
            }
        }
    }
}
