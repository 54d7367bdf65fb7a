//! Kinds and formats of media.
//!
//! The first bytes determine the format. File names and declared media types are ignored.

use serde::{Deserialize, Serialize};

/// The kind of medium that a parameter holds: `x-media` in the spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A picture.
    Image,
    /// Audio.
    Audio,
    /// A video.
    Video,
}

/// The accepted formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// JPEG.
    Jpeg,
    /// PNG.
    Png,
    /// WebP.
    WebP,
    /// MP3.
    Mp3,
    /// WAV.
    Wav,
    /// Audio in an MP4 container.
    M4a,
    /// MP4.
    Mp4,
    /// QuickTime.
    Mov,
    /// WebM.
    WebM,
}

const MIB: usize = 1024 * 1024;

impl Kind {
    /// Returns the kind's name: `image`, `audio` or `video`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Audio => "audio",
            Self::Video => "video",
        }
    }

    /// Returns the kind with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Image, Self::Audio, Self::Video].into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the maximum size of a medium within a request, in decoded bytes.
    #[must_use]
    pub const fn max_inline(self) -> usize {
        match self {
            Self::Image | Self::Video => 10 * MIB,
            Self::Audio => 15 * MIB,
        }
    }

    /// Returns the maximum size of a medium behind a URL, in bytes.
    #[must_use]
    pub const fn max_fetched(self) -> usize {
        match self {
            Self::Image => 10 * MIB,
            Self::Audio => 15 * MIB,
            Self::Video => 100 * MIB,
        }
    }

    /// Returns the media types of its formats, as the spec documents them and results use them.
    #[must_use]
    pub const fn media_types(self) -> &'static [&'static str] {
        match self {
            Self::Image => &["image/jpeg", "image/png", "image/webp"],
            Self::Audio => &["audio/mpeg", "audio/wav", "audio/mp4"],
            Self::Video => &["video/mp4", "video/quicktime", "video/webm"],
        }
    }

    /// Returns the names of its formats, for messages.
    #[must_use]
    pub const fn formats(self) -> &'static str {
        match self {
            Self::Image => "JPEG, PNG or WebP",
            Self::Audio => "MP3, WAV or M4A",
            Self::Video => "MP4, MOV or WebM",
        }
    }

    /// Returns the task's `error.code` for a medium that is too large.
    #[must_use]
    pub const fn too_large(self) -> &'static str {
        match self {
            Self::Image => "image_too_large",
            Self::Audio => "audio_too_large",
            Self::Video => "video_too_large",
        }
    }
}

impl Format {
    /// Returns the file extension.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Jpeg => "jpg",
            Self::Png => "png",
            Self::WebP => "webp",
            Self::Mp3 => "mp3",
            Self::Wav => "wav",
            Self::M4a => "m4a",
            Self::Mp4 => "mp4",
            Self::Mov => "mov",
            Self::WebM => "webm",
        }
    }

    /// Returns the format of these bytes, if it is a format of this kind.
    #[must_use]
    pub fn sniff(bytes: &[u8], kind: Kind) -> Option<Self> {
        match kind {
            Kind::Image => image(bytes),
            Kind::Audio => audio(bytes),
            Kind::Video => video(bytes),
        }
    }
}

fn image(bytes: &[u8]) -> Option<Format> {
    match bytes {
        [0xff, 0xd8, 0xff, ..] => Some(Format::Jpeg),
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Format::Png),
        _ if riff(bytes) == Some(b"WEBP") => Some(Format::WebP),
        _ => None,
    }
}

fn audio(bytes: &[u8]) -> Option<Format> {
    match bytes {
        [b'I', b'D', b'3', ..] => Some(Format::Mp3),
        [0xff, second, third, ..] if is_mp3_frame(*second, *third) => Some(Format::Mp3),
        _ if riff(bytes) == Some(b"WAVE") => Some(Format::Wav),
        // Many encoders give audio files the brands of video. Decoding shows which of the two it is.
        _ => matches!(base_media(bytes), Some(Format::M4a | Format::Mp4)).then_some(Format::M4a),
    }
}

fn video(bytes: &[u8]) -> Option<Format> {
    if bytes.starts_with(b"\x1a\x45\xdf\xa3") {
        // Matroska begins with the same bytes, but has another document type.
        let header = bytes.get(..64).unwrap_or(bytes);
        return header.windows(7).any(|window| window == b"\x42\x82\x84webm").then_some(Format::WebM);
    }
    base_media(bytes).filter(|format| *format != Format::M4a)
}

fn riff(bytes: &[u8]) -> Option<&[u8; 4]> {
    bytes.strip_prefix(b"RIFF")?.get(4..)?.first_chunk()
}

/// Returns whether these are bytes 2 and 3 of an MPEG layer III frame with valid rates.
const fn is_mp3_frame(second: u8, third: u8) -> bool {
    let (version, layer) = (second >> 3 & 3, second >> 1 & 3);
    second >> 5 == 7 && version != 1 && layer == 1 && third >> 4 != 15 && third >> 2 & 3 != 3
}

/// Returns the ISO base media format (MP4 and related ones), by the brands in the first box.
fn base_media(bytes: &[u8]) -> Option<Format> {
    let (size, rest) = bytes.split_first_chunk::<4>()?;
    let (name, rest) = rest.split_first_chunk::<4>()?;
    match name {
        b"ftyp" => {}
        // Old QuickTime files don't have the box `ftyp`.
        b"moov" | b"mdat" | b"wide" => return Some(Format::Mov),
        _ => return None,
    }
    let size = usize::try_from(u32::from_be_bytes(*size)).unwrap_or(usize::MAX);
    let rest = rest.get(..size.saturating_sub(8).min(256)).unwrap_or(rest);
    let brands = rest.as_chunks::<4>().0;
    match brands.first()? {
        b"qt  " => return Some(Format::Mov),
        b"M4A " | b"M4B " => return Some(Format::M4a),
        // These are pictures. Some of them also have a brand of MP4.
        b"avif" | b"avis" | b"heic" | b"heix" | b"mif1" | b"msf1" => return None,
        _ => {}
    }
    let is_mp4 = |brand: &[u8; 4]| {
        matches!(brand, b"isom" | b"mp41" | b"mp42" | b"avc1" | b"dash" | b"M4V " | b"MSNV")
            || matches!(brand, [b'i', b's', b'o', b'2'..=b'9'])
    };
    brands.iter().any(is_mp4).then_some(Format::Mp4)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn formats_are_known_by_their_first_bytes() {
        let cases: &[(&[u8], Kind, Option<Format>)] = &[
            (b"\xff\xd8\xff\xe0", Kind::Image, Some(Format::Jpeg)),
            (b"\x89PNG\r\n\x1a\n....", Kind::Image, Some(Format::Png)),
            (b"RIFF\x10\0\0\0WEBPVP8 ", Kind::Image, Some(Format::WebP)),
            (b"RIFF\x10\0\0\0WAVEfmt ", Kind::Image, None),
            (b"GIF89a", Kind::Image, None),
            (b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>", Kind::Image, None),
            (b"BM......", Kind::Image, None),
            (b"\0\0\0\x1cftypavif\0\0\0\0avifmif1", Kind::Image, None),
            (b"ID3\x04", Kind::Audio, Some(Format::Mp3)),
            (b"\xff\xfb\x90\x00", Kind::Audio, Some(Format::Mp3)),
            (b"\xff\xf3\x40\x00", Kind::Audio, Some(Format::Mp3)),
            (b"\xff\xf1\x50\x80", Kind::Audio, None), // AAC without a container
            (b"\xff\xfd\x90\x00", Kind::Audio, None), // layer II
            (b"\xff\xfb\xf0\x00", Kind::Audio, None),
            (b"RIFF\x10\0\0\0WAVEfmt ", Kind::Audio, Some(Format::Wav)),
            (b"\0\0\0\x1cftypM4A \0\0\0\0M4A mp42", Kind::Audio, Some(Format::M4a)),
            (b"\0\0\0\x1cftypmp42\0\0\0\0isom", Kind::Audio, Some(Format::M4a)),
            (b"OggS", Kind::Audio, None),
            (b"fLaC", Kind::Audio, None),
            (b"\0\0\0\x1cftypisom\0\0\x02\0isomiso2avc1", Kind::Video, Some(Format::Mp4)),
            (b"\0\0\0\x18ftypXAVC\0\0\0\0XAVCmp42", Kind::Video, Some(Format::Mp4)),
            (b"\0\0\0\x10ftypXAVC\0\0\0\0XAVCmp42", Kind::Video, None), // those brands are another box's
            (b"\0\0\0\x14ftypqt  \0\0\0\0qt  ", Kind::Video, Some(Format::Mov)),
            (b"\0\0\0\x08wide\0\0\0\0mdat", Kind::Video, Some(Format::Mov)),
            (b"\0\0\0\x1cftypM4A \0\0\0\0M4A mp42", Kind::Video, None),
            (b"\0\0\0\x1cftypheic\0\0\0\0mif1isom", Kind::Video, None),
            (b"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm", Kind::Video, Some(Format::WebM)),
            (b"\x1a\x45\xdf\xa3\xa3\x42\x86\x81\x01\x42\x82\x88matroska", Kind::Video, None),
            (b"\xff\xd8\xff\xe0", Kind::Video, None),
            (b"<html>", Kind::Video, None),
        ];
        for (bytes, kind, expected) in cases {
            assert_eq!(Format::sniff(bytes, *kind), *expected, "{}", bytes.escape_ascii());
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(mut bytes: Vec<u8>, ftyp: bool) {
            if ftyp && bytes.len() >= 8 {
                bytes[4..8].copy_from_slice(b"ftyp");
            }
            for kind in [Kind::Image, Kind::Audio, Kind::Video] {
                let _ = Format::sniff(&bytes, kind);
            }
        }
    }
}
