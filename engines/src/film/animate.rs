//! Animates a composition: its bands rise and fall.

use serde::{Deserialize, Serialize};

use super::encode::Recorder;
use super::frame::Plate;
use super::{MAX_SECONDS, MAX_SIDE, RATE, frames, mp4, side};
use crate::compose::Scene;
use crate::prompt::{PromptPurpose, expanded};
use crate::random::Random;
use crate::{Engine, Failure, Job, Output, Refusal};

/// The parameters of an animation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Animation {
    /// The subject, as in a [composition](crate::compose::Composition).
    pub prompt: String,
    /// The words of the prompt that must have no effect.
    #[serde(default)]
    pub negative_prompt: String,
    /// Whether to expand a short prompt before the scene is composed.
    #[serde(default)]
    pub expand: bool,
    /// The width in pixels, 16 to [`MAX_SIDE`](super::MAX_SIDE). An odd width is rounded down.
    pub width: u32,
    /// The height in pixels, 16 to [`MAX_SIDE`](super::MAX_SIDE). An odd height is rounded down.
    pub height: u32,
    /// The length in seconds, 1 to [`MAX_SECONDS`](super::MAX_SECONDS).
    pub seconds: u32,
    /// The number of shots.
    #[serde(default)]
    pub shots: Shots,
    /// Whether the request has an audio input. The engine refuses it.
    #[serde(default)]
    pub audio: bool,
}

/// The shots of a video.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shots {
    /// One composition.
    #[default]
    Single,
    /// At least two compositions of the same prompt, each at least three seconds long if the video is long enough.
    Multi,
}

/// Composes a video from the words of a prompt.
///
/// The result is an MP4 file (H.264, without sound).
#[derive(Debug, Clone, Copy, Default)]
pub struct Animator;

pub(super) const SILENT: &str = "the built-in engine makes silent videos and can't use audio; leave it out";

/// Prompts with at least this many words are not expanded.
const FULL_PROMPT_WORDS: usize = 24;

/// The largest number of pixels that are painted for a frame.
///
/// Larger frames are painted smaller and scaled up.
const MAX_PAINTED_AREA: f32 = 854.0 * 480.0;

impl Engine<Animation> for Animator {
    const NAME: &'static str = "procedural-animation/1";

    type Media = ();

    fn refuse(&self, parameters: &Animation) -> Vec<Refusal> {
        let bounds = [
            Refusal::of_number("width", parameters.width, 16..=MAX_SIDE),
            Refusal::of_number("height", parameters.height, 16..=MAX_SIDE),
            Refusal::of_number("seconds", parameters.seconds, 1..=MAX_SECONDS),
            Refusal::when(parameters.audio, "audio_url", SILENT),
        ];
        bounds.into_iter().flatten().collect()
    }

    fn run(&self, parameters: &Animation, (): (), job: &Job) -> Result<Vec<Output>, Failure> {
        let (width, height) = (side(parameters.width), side(parameters.height));
        let is_short = parameters.prompt.split_whitespace().count() < FULL_PROMPT_WORDS;
        let prompt = if parameters.expand && is_short {
            expanded(&parameters.prompt, PromptPurpose::Video, "en", job.seed)
        } else {
            parameters.prompt.clone()
        };
        let scale = (MAX_PAINTED_AREA / (width * height) as f32).sqrt().min(1.0);
        let painted = [width, height].map(|side| ((side as f32 * scale).round() as usize).max(1));

        let count = frames(parameters.seconds);
        let shots = match parameters.shots {
            Shots::Single => 1,
            Shots::Multi => (parameters.seconds / 3).max(2),
        };
        let mut recorder = Recorder::new(width, height, RATE)?;
        for shot in 0..shots {
            let (from, to) = (count * shot / shots, count * (shot + 1) / shots);
            let seed =
                if shot == 0 { job.seed } else { Random::for_part(job.seed, &format!("shot {shot}")).next() };
            let scene = Scene::of_prompt(&prompt, &parameters.negative_prompt, seed);
            for number in 0..to - from {
                let time = number as f32 / RATE as f32;
                let [across, down] = painted;
                let mut plate = Plate::new(across);
                scene.paint((across, down), time, job, |row| {
                    plate.push(row.iter().map(|&[r, g, b, _]| [r, g, b]));
                    Ok(())
                })?;
                recorder.push(&plate.frame(plate.whole(), width, height)?)?;
            }
        }
        Ok(vec![Output::File(mp4::file(&recorder.finish(), Self::NAME)?)])
    }
}
