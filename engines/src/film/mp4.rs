//! MP4 files with one H.264 track.
//!
//! The index comes first, so that a browser can play a file while it loads.

use super::encode::Track;
use crate::{Failure, File};

/// Time units per second: 512 for each frame at [`RATE`](super::RATE).
///
/// It must be a multiple of the frame rate, or the video plays too fast.
const TIMESCALE: u32 = 12_288;

/// Builds the file of a track, with `engine` as the tool that made it.
pub(super) fn file(track: &Track, engine: &str) -> Result<File, Failure> {
    let kind = boxed(b"ftyp", &[&b"isom"[..], &bytes(&[0x200]), b"isomiso2avc1mp41"]);
    // The index's length does not depend on the offset, so a first build measures it.
    let length = index(track, engine, 0)?.len();
    let offset = u32::try_from(kind.len() + length + 8).map_err(too_long)?;
    let data: usize = track.samples.iter().map(|sample| sample.bytes.len()).sum();
    let mut bytes = kind;
    bytes.reserve(length + data + 8);
    bytes.extend(index(track, engine, offset)?);
    bytes.extend(u32::try_from(data + 8).map_err(too_long)?.to_be_bytes());
    bytes.extend_from_slice(b"mdat");
    track.samples.iter().for_each(|sample| bytes.extend_from_slice(&sample.bytes));
    Ok(File { media_type: "video/mp4", extension: "mp4", bytes })
}

fn too_long(_: std::num::TryFromIntError) -> Failure {
    Failure::Internal("the video is too long for an MP4 file".into())
}

fn index(track: &Track, engine: &str, offset: u32) -> Result<Vec<u8>, Failure> {
    let count = u32::try_from(track.samples.len()).map_err(too_long)?;
    let delta = TIMESCALE / track.rate;
    let duration = count * delta;
    // Creation and modification times are 0, so that the same request makes the same bytes.
    let film =
        [&[0, 0, TIMESCALE, duration, 0x1_0000, 0x0100_0000, 0, 0], &MATRIX[..], &[0, 0, 0, 0, 0, 0, 2]];
    let size = [track.width, track.height].map(|side| u32::from(side) << 16);
    let head = [&[0, 0, 1, 0, duration, 0, 0, 0, 0], &MATRIX[..], &size].concat();
    let media = boxed(
        b"mdia",
        &[
            // 0x55c4 is `und`, an undetermined language.
            table(b"mdhd", 0, &[0, 0, TIMESCALE, duration, 0x55c4_0000]),
            full(b"hdlr", 0, &[&[0; 4], b"vide", &[0; 12], b"Video\0"]),
            boxed(
                b"minf",
                &[
                    table(b"vmhd", 1, &[0, 0]),
                    // The samples are in this file.
                    boxed(b"dinf", &[full(b"dref", 0, &[&bytes(&[1]), &table(b"url ", 1, &[])])]),
                    samples(track, count, delta, offset)?,
                ],
            ),
        ],
    );
    let parts =
        [table(b"mvhd", 0, &film.concat()), boxed(b"trak", &[table(b"tkhd", 3, &head), media]), tool(engine)];
    Ok(boxed(b"moov", &parts))
}

/// The identity transformation.
const MATRIX: [u32; 9] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000];

/// Lists the samples: their description, durations, sizes and positions, and where playback can start.
fn samples(track: &Track, count: u32, delta: u32, offset: u32) -> Result<Vec<u8>, Failure> {
    let sizes = track.samples.iter().map(|sample| u32::try_from(sample.bytes.len()).map_err(too_long));
    let sizes = sizes.collect::<Result<Vec<u32>, Failure>>()?;
    let keys: Vec<u32> = track
        .samples
        .iter()
        .zip(1_u32..)
        .filter(|(sample, _)| sample.key)
        .map(|(_, number)| number)
        .collect();
    let number_of_keys = u32::try_from(keys.len()).map_err(too_long)?;
    let parts = [
        full(b"stsd", 0, &[&bytes(&[1]), &description(track)]),
        table(b"stts", 0, &[1, count, delta]),
        table(b"stss", 0, &[&[number_of_keys], &keys[..]].concat()),
        // All samples are in one chunk.
        table(b"stsc", 0, &[1, 1, count, 1]),
        table(b"stsz", 0, &[&[0, count], &sizes[..]].concat()),
        table(b"stco", 0, &[1, offset]),
    ];
    Ok(boxed(b"stbl", &parts))
}

/// Describes the samples: H.264, its parameter sets, and Rec. 709 colours.
fn description(track: &Track) -> Vec<u8> {
    let profile = track.sps.get(1..4).unwrap_or_default();
    let prefixed = |set: &[u8]| [&u16::try_from(set.len()).unwrap_or_default().to_be_bytes(), set].concat();
    let (sps, pps) = (prefixed(&track.sps), prefixed(&track.pps));
    // Lengths have four bytes, and there is one set of each kind.
    let parameters = boxed(b"avcC", &[&[1], profile, &[0xff, 0xe1], &sps, &[1], &pps]);
    let colours = boxed(b"colr", &[&b"nclx"[..], &[0, 1, 0, 1, 0, 1, 0]]);
    let size = [track.width.to_be_bytes(), track.height.to_be_bytes()].concat();
    let resolution = bytes(&[0x48_0000, 0x48_0000, 0]);
    let name_and_depth = [&[0, 1][..], &[0; 32], &[0, 0x18, 0xff, 0xff]].concat();
    boxed(b"avc1", &[bytes(&[0, 1, 0, 0, 0, 0]), size, resolution, name_and_depth, parameters, colours])
}

/// Names the tool that made the file.
///
/// Players and `ffprobe` show it as `encoder`.
fn tool(engine: &str) -> Vec<u8> {
    let value = boxed(b"data", &[&bytes(&[1, 0]), engine.as_bytes()]);
    let list = boxed(b"ilst", &[boxed(b"\xa9too", &[value])]);
    let kind = full(b"hdlr", 0, &[&[0; 4], b"mdirappl", &[0; 9]]);
    boxed(b"udta", &[full(b"meta", 0, &[&kind, &list])])
}

fn boxed(name: &[u8; 4], parts: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let length = 8 + parts.iter().map(|part| part.as_ref().len()).sum::<usize>();
    // An index for a few minutes of video is far smaller than 4 GiB.
    let mut out = u32::try_from(length).unwrap_or_default().to_be_bytes().to_vec();
    out.extend_from_slice(name);
    parts.iter().for_each(|part| out.extend_from_slice(part.as_ref()));
    out
}

/// Builds a box with a version of 0 and flags.
fn full(name: &[u8; 4], flags: u32, parts: &[&[u8]]) -> Vec<u8> {
    boxed(name, &[&flags.to_be_bytes(), &parts.concat()[..]])
}

/// Builds a box with a version of 0, flags, and numbers.
fn table(name: &[u8; 4], flags: u32, numbers: &[u32]) -> Vec<u8> {
    full(name, flags, &[&bytes(numbers)])
}

fn bytes(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}
