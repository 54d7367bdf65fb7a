//! Encodes frames to an H.264 track.
//!
//! The profile is Constrained Baseline, which every browser and phone plays.

use rusty_h264_common::YuvPlanes;
use rusty_h264_encoder::{Encoder, EncoderConfig};

use super::frame::Frame;
use crate::Failure;

/// The time between key frames, in seconds. Players can seek to key frames.
const KEY_SECONDS: u32 = 2;

/// The quantisation parameter (QP) of all frames, from 0 to 51. A lower one means higher quality.
///
/// At 23, artefacts are hardly visible, and a minute takes some tens of megabytes.
const QP: u8 = 23;

/// An encoded video.
pub(super) struct Track {
    pub width: u16,
    pub height: u16,
    /// Frames per second.
    pub rate: u32,
    /// The sequence parameter set (SPS).
    pub sps: Vec<u8>,
    /// The picture parameter set (PPS).
    pub pps: Vec<u8>,
    pub samples: Vec<Sample>,
}

/// One encoded frame as MP4 stores it: each NAL unit follows its length.
pub(super) struct Sample {
    pub bytes: Vec<u8>,
    /// Whether playback can start here.
    pub key: bool,
}

/// Encodes frames one after another to a track.
pub(super) struct Recorder {
    encoder: Encoder,
    track: Track,
}

impl Recorder {
    /// Starts a track of frames of this size. Both sides must be even.
    pub fn new(width: usize, height: usize, rate: u32) -> Result<Self, Failure> {
        let mut config = EncoderConfig::baseline(width, height);
        config.qp = QP;
        config.gop_size = rate * KEY_SECONDS;
        config.min_keyint = config.gop_size;
        config.framerate = rate as f32;
        config.level_idc = level(width, height);
        let encoder = Encoder::new(config).map_err(broken)?;
        let side = |side: usize| u16::try_from(side).map_err(broken);
        let track = Track {
            width: side(width)?,
            height: side(height)?,
            rate,
            sps: Vec::new(),
            pps: Vec::new(),
            samples: Vec::new(),
        };
        Ok(Self { encoder, track })
    }

    /// Encodes the next frame.
    pub fn push(&mut self, frame: &Frame) -> Result<(), Failure> {
        let [y, u, v] = &frame.planes;
        let planes = YuvPlanes {
            width: frame.width,
            height: frame.height,
            y,
            u,
            v,
            stride_y: frame.width,
            stride_c: frame.width / 2,
        };
        let stream = self.encoder.encode_planes(&planes).map_err(broken)?;
        let mut sample = Sample { bytes: Vec::with_capacity(stream.len()), key: false };
        for unit in units(&stream) {
            match unit.first().map_or(0, |head| head & 0x1f) {
                7 => self.track.sps = unit.to_vec(),
                8 => self.track.pps = unit.to_vec(),
                // MP4 needs no access unit delimiters.
                0 | 9 => {}
                kind => {
                    sample.key |= kind == 5;
                    sample.bytes.extend(u32::try_from(unit.len()).map_err(broken)?.to_be_bytes());
                    sample.bytes.extend_from_slice(unit);
                }
            }
        }
        self.track.samples.push(sample);
        Ok(())
    }

    /// Returns the track.
    pub fn finish(self) -> Track {
        self.track
    }
}

/// Returns an H.264 level that allows frames of this size at up to 25 per second.
fn level(width: usize, height: usize) -> u8 {
    let (across, down) = (width.div_ceil(16), height.div_ceil(16));
    // A level limits the macroblocks of a frame, and each side to the square root of eight times that limit.
    match (across * down).max(across.max(down).pow(2).div_ceil(8)) {
        0..=1620 => 30,
        1621..=3600 => 31,
        3601..=8192 => 40,
        8193..=22_080 => 50,
        _ => 51,
    }
}

/// Splits a byte stream at its start codes into NAL units.
fn units(stream: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut starts: Vec<usize> =
        stream.windows(3).enumerate().filter(|(_, window)| *window == [0, 0, 1]).map(|(at, _)| at).collect();
    starts.push(stream.len());
    let pairs: Vec<(usize, usize)> =
        starts.windows(2).filter_map(|pair| Some((pair.first()? + 3, *pair.last()?))).collect();
    pairs.into_iter().filter_map(move |(from, to)| {
        let mut unit = stream.get(from..to)?;
        // Drop padding and the first zero of a four-byte start code.
        while let Some((0, rest)) = unit.split_last() {
            unit = rest;
        }
        Some(unit)
    })
}

fn broken(error: impl std::fmt::Debug) -> Failure {
    Failure::Internal(format!("can't encode the video: {error:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_split_at_start_codes() {
        let stream = [0, 0, 0, 1, 0x67, 1, 2, 0, 0, 0, 1, 0x68, 3, 0, 0, 1, 0x65, 0, 0, 3, 4];
        let found: Vec<&[u8]> = units(&stream).collect();
        assert_eq!(found, [&[0x67, 1, 2][..], &[0x68, 3], &[0x65, 0, 0, 3, 4]]);
        assert_eq!(units(&[]).count(), 0);
    }

    #[test]
    fn levels_allow_the_size_of_the_frames() {
        for (width, height, expected) in [
            (16, 16, 30),
            (854, 480, 30),
            (720, 576, 30),
            (1280, 720, 31),
            (1920, 1080, 40),
            (1080, 1920, 40),
            (2520, 1080, 50),
            // 160 by 138 macroblocks are the most for level 5.0.
            (2560, 2208, 50),
            (2560, 2210, 51),
            (2560, 2560, 51),
            // Level 3.0 allows sides of at most 113 macroblocks.
            (1808, 144, 30),
            (1824, 144, 31),
            (144, 2560, 31),
        ] {
            assert_eq!(level(width, height), expected, "{width}x{height}");
        }
    }
}
