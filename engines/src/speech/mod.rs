//! Speech from a text: normalisation, pronunciation, rhythm and melody, and a formant synthesizer.

mod phonemes;
mod pronounce;
mod prosody;
mod synthesis;
mod text;
mod voice;

use std::convert::Infallible;

use serde::{Deserialize, Serialize};

use crate::audio::wav::WavWriter;
use crate::{Engine, Failure, File, Job, Output, Parameters, Refusal};

use prosody::{Manners, plan};
use synthesis::{FRAME, RATE, Speaker};
use text::sentences;

/// What to say, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpeechParameters {
    /// The text, 1 to 40,000 characters. It is spoken as English.
    pub text: String,
    /// Any name of a voice: each has a pitch, a throat, a breath and a pace of its own, always the same.
    pub voice_id: String,
    /// The speech model. There is one; `vendor_turbo_v2_5`, which is the default, and `formant` both mean it.
    #[serde(default = "default_model")]
    pub model: String,
    /// From 0, expressive, to 1, stable; default 0.5: how far the pitch moves, and how regularly.
    #[serde(default = "default_stability")]
    pub stability: f64,
    /// From 0, varied, to 1, exactly the voice; default 0.2. What is varied is chosen by the seed.
    #[serde(default = "default_similarity")]
    pub similarity_boost: f64,
    /// From 0.7 to 1.2, default 1: a factor of how fast it is spoken.
    #[serde(default = "default_speed")]
    pub speed: f64,
    /// Whether the voice is clearer, with more treble and narrower resonances and less breath; default true.
    #[serde(default = "default_boost")]
    pub use_speaker_boost: bool,
}

const MODELS: [&str; 2] = ["vendor_turbo_v2_5", "formant"];

fn default_model() -> String {
    "vendor_turbo_v2_5".to_owned()
}

fn default_stability() -> f64 {
    0.5
}

fn default_similarity() -> f64 {
    0.2
}

fn default_speed() -> f64 {
    1.0
}

fn default_boost() -> bool {
    true
}

impl SpeechParameters {
    /// With the defaults.
    pub fn new(text: impl Into<String>, voice_id: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            voice_id: voice_id.into(),
            model: default_model(),
            stability: default_stability(),
            similarity_boost: default_similarity(),
            speed: default_speed(),
            use_speaker_boost: default_boost(),
        }
    }
}

impl Parameters for SpeechParameters {
    type Media = ();
}

/// Speaks English with the voice of a machine: intelligible, not natural. Mono WAV, 22.05 kHz, 16 bits.
///
/// Text in other languages is read by English rules: letters with marks without them, Greek and Cyrillic letters by the
/// nearest sound, each sign of any other script as "uh". Pictures and other signs without a name are silent.
///
/// It is worked on sentence by sentence, so that it needs no more memory than the file that it makes, which is three
/// megabytes for a minute.
#[derive(Debug, Clone, Copy, Default)]
pub struct FormantSpeech;

impl Engine<SpeechParameters> for FormantSpeech {
    fn name(&self) -> &'static str {
        "formant-speech/1"
    }

    fn refuse(&self, parameters: &SpeechParameters) -> Vec<Refusal> {
        let unknown = (!MODELS.contains(&parameters.model.as_str())).then(|| {
            let models = MODELS.join(", ");
            Refusal::new("model", format!("must be one of {models} with the built-in engine"))
        });
        // A text that is too long by its characters is refused by their number.
        let length = Refusal::of_text("text", &parameters.text, MOST_CHARACTERS)
            .or_else(|| is_too_long(parameters).then(|| Refusal::new("text", TOO_LONG)));
        let bounds = [
            length,
            Refusal::of_number("stability", parameters.stability, 0.0..=1.0),
            Refusal::of_number("similarity_boost", parameters.similarity_boost, 0.0..=1.0),
            Refusal::of_number("speed", parameters.speed, 0.7..=1.2),
        ];
        bounds.into_iter().chain([unknown]).flatten().collect()
    }

    fn run(&self, parameters: &SpeechParameters, _: (), job: &Job) -> Result<Vec<Output>, Failure> {
        let voice = voice::voice(parameters, job.seed);
        let manners = manners(parameters, &voice);
        // A first pass tells the length, so that the file is made in one piece.
        let frames = frames(parameters, manners, || job.check())?
            .ok_or_else(|| Failure::media("speech_too_long", format!("The text {TOO_LONG}.")))?;
        let mut wav = WavWriter::new(RATE, (frames * FRAME).max(LEAST), self.name());
        let mut speaker = Speaker::new(voice, job.seed);
        for sentence in sentences(&parameters.text) {
            job.check()?;
            speaker.say(&plan(&sentence, manners), |sample| wav.push(sample));
        }
        Ok(vec![Output::File(File { media_type: "audio/wav", extension: "wav", bytes: wav.finish() })])
    }
}

fn manners(parameters: &SpeechParameters, voice: &voice::Voice) -> Manners {
    Manners { speed: parameters.speed.clamp(0.7, 1.2) * voice.rate, range: voice.range }
}

/// Returns the length of a speech in frames, or `None` if it takes more than two hours. `check` is called for each sentence.
fn frames<E>(
    parameters: &SpeechParameters,
    manners: Manners,
    check: impl Fn() -> Result<(), E>,
) -> Result<Option<usize>, E> {
    let mut frames = 0;
    for sentence in sentences(&parameters.text) {
        check()?;
        frames += plan(&sentence, manners).frames();
        if frames * FRAME > MOST_SAMPLES {
            return Ok(None);
        }
    }
    Ok(Some(frames))
}

/// Returns whether a text takes more than two hours to say. That does not depend on the seed.
fn is_too_long(parameters: &SpeechParameters) -> bool {
    let manners = manners(parameters, &voice::voice(parameters, 0));
    let frames = || frames(parameters, manners, || Ok::<_, Infallible>(()));
    parameters.text.len() > SURELY_SHORT && matches!(frames(), Ok(None))
}

/// A text of so many bytes takes less than two hours whatever it says: no character takes two seconds.
const SURELY_SHORT: usize = 3600;

const TOO_LONG: &str = "must take at most two hours to say with the built-in engine";

/// The longest text, in characters.
pub const MOST_CHARACTERS: usize = 40_000;

/// The longest speech: two hours, which is a file of 300 MB. Forty thousand characters of prose take 50 minutes; as many
/// digits would take almost four hours.
const MOST_SAMPLES: usize = 2 * 60 * 60 * RATE as usize;

/// A text without anything to say is a quarter of a second of silence.
const LEAST: usize = RATE as usize / 4;

#[cfg(test)]
mod tests;
