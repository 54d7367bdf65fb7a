//! Tests of complete and truncated files.

use std::io::Write as _;

use flac_codec::encode::{FlacByteWriter, Options};

use super::*;
use crate::media::format::Kind;

/// Files that ffmpeg has made.
const FILES: &[(&str, &[u8])] = &[
    ("mp3", include_bytes!("tagged.mp3")),
    ("mp3", include_bytes!("bare.mp3")),
    ("flac", include_bytes!("tone.flac")),
    ("ogg", include_bytes!("vorbis.ogg")),
    ("ogg", include_bytes!("opus.ogg")),
    ("webm", include_bytes!("whole.webm")),
    ("webm", include_bytes!("streamed.webm")),
    ("mp3", include_bytes!("stereo.mp3")),
];

fn accepts(bytes: &[u8], extension: &str) -> bool {
    is_complete(&mut io::Cursor::new(bytes), extension).unwrap()
}

#[test]
fn truncated_files_of_each_format_are_refused() {
    for (number, (extension, bytes)) in FILES.iter().enumerate() {
        assert!(accepts(bytes, extension), "{number} {extension}");
        // Without a number of its frames, an MP3 file that ends between two of them looks complete. So does a streamed
        // film that ends between two elements.
        let looks_complete: Vec<_> =
            (0..bytes.len()).filter(|cut| accepts(&bytes[..*cut], extension)).collect();
        let most = match number {
            1 => 13,
            6 => 4,
            _ => 0,
        };
        assert!(looks_complete.len() <= most, "{number} {extension}: {looks_complete:?}");
    }
}

#[test]
fn joined_files_announce_no_number_of_frames() {
    let parts = [include_bytes!("tagged.mp3").as_slice(), include_bytes!("stereo.mp3")];
    let has_announcement =
        |bytes: &[u8]| bytes.windows(4).any(|window| [b"Xing".as_slice(), b"Info"].contains(&window));
    assert!(parts.iter().any(|part| has_announcement(part)));
    let mut joined = Vec::new();
    join_mp3(&mut parts.map(io::Cursor::new), &mut joined).unwrap();
    assert!(accepts(&joined, "mp3") && !has_announcement(&joined));
    assert!(joined.starts_with(&[0xff]) && joined.len() > parts[1].len());
}

#[test]
fn formats_are_identified() {
    for (extension, bytes) in FILES {
        let kind = if *extension == "webm" { Kind::Video } else { Kind::Audio };
        let found = super::super::identify(bytes, kind).map(|(_, extension)| extension);
        assert_eq!(found, Some(*extension));
    }
}

#[test]
fn small_files_occupy_no_thread_for_long() {
    let silence = vec![0; 400_000];
    let mut file = io::Cursor::new(Vec::new());
    let options = Options::default();
    let writer = FlacByteWriter::endian(&mut file, LittleEndian, options, 44_100, 16, 1, None);
    let mut writer = writer.unwrap();
    writer.write_all(&silence).unwrap();
    writer.finalize().unwrap();
    let (file, length) = (file.into_inner(), silence.len() as u64);
    assert!(file.len() < silence.len() / 20, "{} bytes", file.len());
    assert!(sound_decodes(&*file, length).unwrap());
    let refused = sound_decodes(&*file, length - 1).unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::FileTooLarge);

    let page = |flags: u8, stream: usize| {
        let mut page = [0; 27];
        page[..4].copy_from_slice(b"OggS");
        page[5] = flags;
        page[14..18].copy_from_slice(&u32::try_from(stream).unwrap().to_le_bytes());
        page
    };
    let at_once = |streams: usize| {
        let pages = (0..streams).map(|stream| page(FIRST, stream));
        pages.chain((0..streams).map(|stream| page(LAST, stream))).collect::<Vec<_>>().concat()
    };
    assert!(accepts(&at_once(MAX_STREAMS), "ogg"));
    let refused = is_complete(&mut io::Cursor::new(at_once(MAX_STREAMS + 1)), "ogg").unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::FileTooLarge);
    let in_turn = (0..1000).map(|stream| page(FIRST | LAST, stream)).collect::<Vec<_>>().concat();
    assert!(accepts(&in_turn, "ogg"));
}

#[test]
fn large_metadata_are_refused() {
    let tone = include_bytes!("tone.flac");
    let block = [&[0x01, 0xff, 0xff, 0xff][..], &vec![0; 0xff_ffff]].concat();
    let with = |blocks: usize| {
        let (head, rest) = tone.split_at(4 + 4 + 34);
        [head, &block.repeat(blocks), rest].concat()
    };
    assert!(accepts(&with(0), "flac"));
    let refused = is_complete(&mut io::Cursor::new(with(2)), "flac").unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::FileTooLarge);
}

#[test]
fn large_last_metadata_are_refused() {
    let tone = include_bytes!("tone.flac");
    let (head, _) = tone.split_at(4 + 4 + 34);
    let block = |kind: u8, length: usize| {
        let [.., a, b, c] = u32::try_from(length).unwrap().to_be_bytes();
        [&[kind, a, b, c][..], &vec![0; length]].concat()
    };
    let with = |last: usize| [head, &block(1, 0xff_0000), &block(0x81, last)].concat();
    let refused = is_complete(&mut io::Cursor::new(with(0xff_ffff)), "flac").unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::FileTooLarge);
    assert!(Parts::of(io::Cursor::new(with(100))).unwrap().metadata().is_ok());
}

#[test]
fn tags_with_a_footer_are_skipped() {
    let bare = include_bytes!("bare.mp3");
    let with = |flags: u8, footer: &[u8]| {
        let header = [b'I', b'D', b'3', 4, 0, flags, 0, 0, 0, 5];
        [&header[..], &[0_u8; 5], footer, bare].concat()
    };
    assert!(accepts(&with(0, &[]), "mp3"));
    assert!(accepts(&with(FOOTER, b"3DI\x04\x00\x10\x00\x00\x00\x05"), "mp3"));
}

#[test]
fn all_announced_frames_are_needed_in_front_of_other_data() {
    let tagged = include_bytes!("tagged.mp3");
    let with_end = |bytes: &[u8]| [bytes, &[0xff, 0x00]].concat();
    assert!(accepts(&with_end(tagged), "mp3"));
    let mut parts = Parts::of(io::Cursor::new(&tagged[..])).unwrap();
    assert!(parts.tag().unwrap());
    for _ in 0..2 {
        let (beginning, _) = parts.begin::<48>().unwrap();
        assert!(parts.skip(Frame::read(&beginning).unwrap().length).unwrap());
    }
    let cut = usize::try_from(parts.position).unwrap();
    assert!(cut < tagged.len() && !accepts(&with_end(&tagged[..cut]), "mp3"));
}

#[test]
fn noise_is_never_complete() {
    let noise: Vec<u8> =
        (0..4000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for extension in ["mp3", "flac", "ogg", "webm", "mp4", "png"] {
        assert!(!accepts(&noise, extension) && !accepts(b"", extension), "{extension}");
    }
}
