//! MP4 files with one H.264 track.
//!
//! The index comes first, so that a browser can play a file while it loads.

use super::encode::Track;
use crate::{Failure, File};

/// Time units per second. It is a multiple of all common whole frame rates.
const TIMESCALE: u32 = 12_288;

/// Builds the file of a track, with `engine` as the tool that made it.
pub(super) fn file(track: &Track, engine: &str) -> Result<File, Failure> {
    let kind = boxed(b"ftyp", |out| {
        out.extend_from_slice(b"isom");
        number(out, 0x200);
        out.extend_from_slice(b"isomiso2avc1mp41");
    });
    // The index's length does not depend on the offset, so a first build measures it.
    let length = index(track, engine, 0)?.len();
    let offset = u32::try_from(kind.len() + length + 8).map_err(too_long)?;
    let data: usize = track.samples.iter().map(|sample| sample.bytes.len()).sum();
    let mut bytes = kind;
    bytes.reserve(length + data + 8);
    bytes.extend(index(track, engine, offset)?);
    number(&mut bytes, u32::try_from(data + 8).map_err(too_long)?);
    bytes.extend_from_slice(b"mdat");
    for sample in &track.samples {
        bytes.extend_from_slice(&sample.bytes);
    }
    Ok(File { media_type: "video/mp4", extension: "mp4", bytes })
}

fn too_long(_: std::num::TryFromIntError) -> Failure {
    Failure::Internal("the video is too long for an MP4 file".into())
}

fn index(track: &Track, engine: &str, offset: u32) -> Result<Vec<u8>, Failure> {
    let count = u32::try_from(track.samples.len()).map_err(too_long)?;
    let delta = TIMESCALE / track.rate;
    let duration = count * delta;
    let media =
        [head_of_media(duration), handler(b"vide", "Video"), information(track, count, delta, offset)?];
    let media = boxed(b"mdia", |out| out.extend(media.concat()));
    let track_box = boxed(b"trak", |out| out.extend([head_of_track(track, duration), media].concat()));
    let parts = [head_of_film(duration), track_box, tool(engine)];
    Ok(boxed(b"moov", |out| out.extend(parts.concat())))
}

fn head_of_film(duration: u32) -> Vec<u8> {
    full(b"mvhd", 0, |out| {
        // Creation and modification times are 0, so that the same request makes the same bytes.
        numbers(out, &[0, 0, TIMESCALE, duration, 0x1_0000, 0x0100_0000, 0, 0]);
        numbers(out, &MATRIX);
        numbers(out, &[0, 0, 0, 0, 0, 0, 2]);
    })
}

/// The identity transformation.
const MATRIX: [u32; 9] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000];

fn head_of_track(track: &Track, duration: u32) -> Vec<u8> {
    full(b"tkhd", 3, |out| {
        numbers(out, &[0, 0, 1, 0, duration, 0, 0, 0, 0]);
        numbers(out, &MATRIX);
        numbers(out, &[u32::from(track.width) << 16, u32::from(track.height) << 16]);
    })
}

fn head_of_media(duration: u32) -> Vec<u8> {
    // 0x55c4 is `und`, an undetermined language.
    full(b"mdhd", 0, |out| numbers(out, &[0, 0, TIMESCALE, duration, 0x55c4_0000]))
}

fn handler(kind: &[u8; 4], name: &str) -> Vec<u8> {
    full(b"hdlr", 0, |out| {
        number(out, 0);
        out.extend_from_slice(kind);
        numbers(out, &[0, 0, 0]);
        out.extend_from_slice(name.as_bytes());
        out.push(0);
    })
}

fn information(track: &Track, count: u32, delta: u32, offset: u32) -> Result<Vec<u8>, Failure> {
    let head = full(b"vmhd", 1, |out| numbers(out, &[0, 0]));
    let here = full(b"url ", 1, |_| {});
    let references = full(b"dref", 0, |out| {
        number(out, 1);
        out.extend(here);
    });
    let place = boxed(b"dinf", |out| out.extend(references));
    let tables = [
        full(b"stsd", 0, |out| {
            number(out, 1);
            out.extend(description(track));
        }),
        full(b"stts", 0, |out| numbers(out, &[1, count, delta])),
        keys(track)?,
        // All samples are in one chunk.
        full(b"stsc", 0, |out| numbers(out, &[1, 1, count, 1])),
        sizes(track, count)?,
        full(b"stco", 0, |out| numbers(out, &[1, offset])),
    ];
    let tables = boxed(b"stbl", |out| out.extend(tables.concat()));
    Ok(boxed(b"minf", |out| out.extend([head, place, tables].concat())))
}

/// Describes the samples: H.264, its parameter sets, and Rec. 709 colours.
fn description(track: &Track) -> Vec<u8> {
    let parameters = boxed(b"avcC", |out| {
        out.push(1);
        out.extend(track.sequence.get(1..4).unwrap_or_default());
        // Lengths have four bytes, and there is one set of each kind.
        out.extend([0xff, 0xe1]);
        prefixed(out, &track.sequence);
        out.push(1);
        prefixed(out, &track.picture);
    });
    let colours = boxed(b"colr", |out| {
        out.extend_from_slice(b"nclx");
        out.extend([0, 1, 0, 1, 0, 1, 0]);
    });
    boxed(b"avc1", |out| {
        numbers(out, &[0, 1, 0, 0, 0, 0]);
        out.extend(track.width.to_be_bytes());
        out.extend(track.height.to_be_bytes());
        numbers(out, &[0x48_0000, 0x48_0000, 0]);
        out.extend([0, 1]);
        out.extend([0; 32]);
        out.extend([0, 0x18, 0xff, 0xff]);
        out.extend(parameters);
        out.extend(colours);
    })
}

/// Lists the samples at which playback can start.
fn keys(track: &Track) -> Result<Vec<u8>, Failure> {
    let mut keys = Vec::new();
    for (sample, place) in track.samples.iter().zip(1_u32..) {
        if sample.key {
            keys.push(place);
        }
    }
    let count = u32::try_from(keys.len()).map_err(too_long)?;
    Ok(full(b"stss", 0, |out| {
        number(out, count);
        numbers(out, &keys);
    }))
}

fn sizes(track: &Track, count: u32) -> Result<Vec<u8>, Failure> {
    let sizes = track.samples.iter().map(|sample| u32::try_from(sample.bytes.len()).map_err(too_long));
    let sizes = sizes.collect::<Result<Vec<u32>, Failure>>()?;
    Ok(full(b"stsz", 0, |out| {
        numbers(out, &[0, count]);
        numbers(out, &sizes);
    }))
}

/// Names the tool that made the file.
///
/// Players and `ffprobe` show it as `encoder`.
fn tool(engine: &str) -> Vec<u8> {
    let value = boxed(b"data", |out| {
        numbers(out, &[1, 0]);
        out.extend_from_slice(engine.as_bytes());
    });
    let entry = boxed(b"\xa9too", |out| out.extend(value));
    let list = boxed(b"ilst", |out| out.extend(entry));
    let kind = full(b"hdlr", 0, |out| {
        number(out, 0);
        out.extend_from_slice(b"mdirappl");
        numbers(out, &[0, 0]);
        out.push(0);
    });
    let meta = full(b"meta", 0, |out| out.extend([kind, list].concat()));
    boxed(b"udta", |out| out.extend(meta))
}

fn boxed(name: &[u8; 4], fill: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = vec![0; 4];
    out.extend_from_slice(name);
    fill(&mut out);
    // An index for a few minutes of video is far smaller than 4 GiB.
    let length = u32::try_from(out.len()).unwrap_or_default().to_be_bytes();
    out.iter_mut().zip(length).for_each(|(target, byte)| *target = byte);
    out
}

/// Builds a box with a version of 0 and flags.
fn full(name: &[u8; 4], flags: u32, fill: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    boxed(name, |out| {
        number(out, flags);
        fill(out);
    })
}

fn number(out: &mut Vec<u8>, number: u32) {
    out.extend(number.to_be_bytes());
}

fn numbers(out: &mut Vec<u8>, numbers: &[u32]) {
    numbers.iter().for_each(|value| number(out, *value));
}

fn prefixed(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend(u16::try_from(bytes.len()).unwrap_or_default().to_be_bytes());
    out.extend_from_slice(bytes);
}
