//! Camera moves over a still, with a cross-fade if there are two stills.

use image::GenericImageView;
use image::imageops::{FilterType, crop_imm, resize};
use serde::{Deserialize, Serialize};

use super::encode::Recorder;
use super::frame::Plate;
use super::moves::Move;
use super::{MAX_SECONDS, MAX_SIDE, RATE, frames, mp4, side};
use crate::picture::{Picture, decode, on_white, smooth};
use crate::random::Random;
use crate::{Engine, Failure, Job, Output, Refusal};

/// The parameters of a camera move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CameraMove {
    /// The prompt. Only camera words have an effect: in, out, left, right, up, down, slow, fast, static.
    pub prompt: String,
    /// The camera words to avoid.
    #[serde(default)]
    pub negative_prompt: String,
    /// The shorter side of the frames, which have the still's aspect ratio.
    pub shorter_side: u32,
    /// The length in seconds, at most [`MAX_SECONDS`](super::MAX_SECONDS).
    pub seconds: u32,
    /// Whether there is a still for the first frame.
    pub first: bool,
    /// Whether there is a still for the last frame. It comes last in the media.
    pub last: bool,
    /// Whether the request has a video to extend.
    #[serde(default)]
    pub video: bool,
    /// Whether the request has an audio input.
    #[serde(default)]
    pub audio: bool,
}

/// Pans and zooms over a still, and cross-fades between two stills.
///
/// The result is an MP4 file (H.264, without sound).
#[derive(Debug, Clone, Copy, Default)]
pub struct StillCamera;

/// The largest aspect ratio of a frame. Wider or taller stills are cropped.
const WIDEST: f32 = 21.0 / 9.0;

/// The scale of a plate relative to the frames. It is above 1, so that a zoom shows more detail.
const SPARE: f32 = 1.18;

impl Engine<CameraMove> for StillCamera {
    const NAME: &'static str = "still-camera/1";

    /// The first frame, the last one, or both.
    type Media = Vec<Vec<u8>>;

    fn refuse(&self, parameters: &CameraMove) -> Vec<Refusal> {
        let video = "the built-in engine moves a camera over stills and can't extend a video: leave it out";
        let refusals = [
            // The longer side may be a little more than twice the shorter one.
            Refusal::of_number("shorter_side", parameters.shorter_side, 16..=MAX_SIDE * 3 / 7),
            Refusal::of_number("seconds", parameters.seconds, 1..=MAX_SECONDS),
            Refusal::when(parameters.video, "video_url", video),
            Refusal::when(parameters.audio, "audio_url", super::animate::SILENT),
        ];
        refusals.into_iter().flatten().collect()
    }

    fn run(&self, parameters: &CameraMove, media: Vec<Vec<u8>>, job: &Job) -> Result<Vec<Output>, Failure> {
        let mut stills = media.into_iter();
        let mut next = |there: bool| {
            if there { stills.next().map(decode).transpose() } else { Ok(None) }
        };
        let (first, last) = (next(parameters.first)?, next(parameters.last)?);
        let shape = first.as_ref().or(last.as_ref());
        let shape = shape.ok_or_else(|| Failure::Internal("there is no still".into()))?;
        let (width, height) = size(shape, parameters.shorter_side);
        let plate = |still: Option<Picture>| still.map(|still| plate(&still, (width, height)));
        let (first, last) = (plate(first), plate(last));
        job.check()?;

        let mut random = Random::for_part(job.seed, "camera");
        let movement = Move::of(&parameters.prompt, &parameters.negative_prompt, &mut random);
        let (first_move, last_move) = match first {
            // The move to the last frame ends with the whole still.
            Some(_) => (movement, movement.ending_wide()),
            None => (movement.ending_wide(), movement.ending_wide()),
        };
        let count = frames(parameters.seconds);
        let mut recorder = Recorder::new(width, height, RATE)?;
        for number in 0..count {
            job.check()?;
            let along = number as f32 / (count - 1).max(1) as f32;
            let seen =
                |plate: &Plate, movement: Move| plate.frame(movement.window(plate, along), width, height);
            let frame = match (&first, &last) {
                (Some(first), Some(last)) => {
                    let cover = smooth(0.3, 0.7, along);
                    match cover {
                        0.0 => seen(first, first_move)?,
                        1.0 => seen(last, last_move)?,
                        _ => seen(first, first_move)?.faded(&seen(last, last_move)?, cover),
                    }
                }
                (Some(only), None) => seen(only, first_move)?,
                (None, Some(only)) => seen(only, last_move)?,
                (None, None) => return Err(Failure::Internal("there is no still".into())),
            };
            recorder.push(&frame)?;
        }
        Ok(vec![Output::File(mp4::file(&recorder.finish(), Self::NAME)?)])
    }
}

/// Returns the size of frames with the aspect ratio of a still.
fn size(still: &Picture, shorter: u32) -> (usize, usize) {
    let (across, down) = (still.width() as f32, still.height() as f32);
    let longer = |shape: f32| side((shorter as f32 * shape.min(WIDEST)).round() as u32);
    if across >= down {
        (longer(across / down), side(shorter))
    } else {
        (side(shorter), longer(down / across))
    }
}

/// Returns the middle of a still, cropped to the aspect ratio of the frames.
///
/// It is a little larger than the frames if the still has enough pixels.
fn plate(still: &Picture, (width, height): (usize, usize)) -> Plate {
    let (across, down) = (still.width() as f32, still.height() as f32);
    let shape = width as f32 / height as f32;
    let (used_across, used_down) =
        if across > shape * down { (shape * down, down) } else { (across, across / shape) };
    let whole = |length: f32| (length.round() as u32).max(1);
    let (left, top) = (((across - used_across) * 0.5) as u32, ((down - used_down) * 0.5) as u32);
    let cut = crop_imm(&still.pixels, left, top, whole(used_across), whole(used_down));
    let wanted = (whole(SPARE * width as f32), whole(SPARE * height as f32));
    let pixels = if cut.width() > wanted.0 {
        resize(&*cut, wanted.0, wanted.1, FilterType::CatmullRom)
    } else {
        cut.to_image()
    };
    let mut plate = Plate::new(pixels.width() as usize);
    for row in pixels.rows() {
        plate.push(row.map(|pixel| on_white(pixel.0)));
    }
    plate
}
