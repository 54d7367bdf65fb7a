//! Speech from a text.
//!
//! The steps are text normalisation, pronunciation, prosody (rhythm and melody), and formant synthesis.

mod phonemes;
mod pronounce;
mod prosody;
mod synthesis;
mod text;
mod voice;

use serde::{Deserialize, Serialize};

use crate::audio::flac::FlacWriter;
use crate::audio::wav::WavWriter;
use crate::{Engine, Failure, File, Job, LongFile, Output, Refusal};

use prosody::{Manners, plan};
use synthesis::{FRAME, RATE, Speaker};
use text::sentences;

/// The parameters of speech.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SpeechParameters {
    /// The text, 1 to 40,000 characters. It is spoken as English.
    pub text: String,
    /// The id of the voice. Each id has its own pitch, formants, breath and pace, which never change.
    pub voice_id: String,
    /// The speech model. The only model has two names: `vendor_turbo_v2_5`, the default, and `formant`.
    pub model: String,
    /// The stability of the pitch, from 0 (expressive) to 1 (stable). Default: 0.5.
    pub stability: f64,
    /// The similarity to the voice, from 0 (varied) to 1 (exact). Default: 0.2. The seed selects the
    /// variation.
    pub similarity_boost: f64,
    /// A factor for the speed, from 0.7 to 1.2. Default: 1.
    pub speed: f64,
    /// Whether the voice is clearer: more treble, narrower resonances, less breath. Default: true.
    pub use_speaker_boost: bool,
}

const MODELS: [&str; 2] = ["vendor_turbo_v2_5", "formant"];

impl Default for SpeechParameters {
    fn default() -> Self {
        Self {
            text: String::new(),
            voice_id: String::new(),
            model: "vendor_turbo_v2_5".to_owned(),
            stability: 0.5,
            similarity_boost: 0.2,
            speed: 1.0,
            use_speaker_boost: true,
        }
    }
}

impl SpeechParameters {
    /// Creates parameters with defaults.
    pub fn new(text: impl Into<String>, voice_id: impl Into<String>) -> Self {
        Self { text: text.into(), voice_id: voice_id.into(), ..Self::default() }
    }
}

/// Speaks English with an intelligible machine voice.
///
/// The result is mono, 22.05 kHz, 16 bits: a WAV file up to five minutes, a FLAC file above.
///
/// Text in other languages is read by English rules. Letters of other scripts become the nearest Latin ones. Emoji
/// and other signs without a name are silent.
///
/// The engine works sentence by sentence and writes FLAC to a scratch file, so it needs little more memory than
/// the longest WAV file: 13 megabytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct FormantSpeech;

impl Engine<SpeechParameters> for FormantSpeech {
    const NAME: &'static str = "formant-speech/1";

    type Media = ();

    fn refuse(&self, parameters: &SpeechParameters) -> Vec<Refusal> {
        let unknown = format!("must be one of {} with the built-in engine", MODELS.join(", "));
        // A text with too many characters is refused for that reason alone.
        let length = Refusal::of_text("text", &parameters.text, MAX_CHARACTERS)
            .or_else(|| Refusal::when(is_too_long(parameters), "text", TOO_LONG));
        let bounds = [
            Refusal::when(parameters.text.is_empty(), "text", "must not be empty"),
            length,
            Refusal::of_number("stability", parameters.stability, 0.0..=1.0),
            Refusal::of_number("similarity_boost", parameters.similarity_boost, 0.0..=1.0),
            Refusal::of_number("speed", parameters.speed, 0.7..=1.2),
            Refusal::when(!MODELS.contains(&parameters.model.as_str()), "model", unknown),
        ];
        bounds.into_iter().flatten().collect()
    }

    fn run(&self, parameters: &SpeechParameters, _: (), job: &Job) -> Result<Vec<Output>, Failure> {
        let voice = voice::voice(parameters, job.seed);
        let manners = manners(parameters, &voice);
        // A first pass computes the length, so that a WAV file is allocated once.
        let frames = frames(parameters, manners, job)?
            .ok_or_else(|| Failure::media("speech_too_long", format!("The text {TOO_LONG}.")))?;
        let samples = (frames * FRAME).max(MIN_SAMPLES);
        let mut speaker = Speaker::new(voice, job.seed);
        if samples > MAX_IN_WAV {
            let mut flac = FlacWriter::new(RATE, Self::NAME, job)?;
            for sentence in sentences(&parameters.text) {
                flac.check()?;
                speaker.say(&plan(&sentence, manners), |sample| flac.push(sample));
            }
            let content = flac.finish()?;
            return Ok(vec![Output::Long(LongFile { media_type: "audio/flac", extension: "flac", content })]);
        }
        let mut wav = WavWriter::new(RATE, samples, Self::NAME);
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

/// Returns the length of a speech in frames, or `None` if it exceeds two hours.
fn frames(parameters: &SpeechParameters, manners: Manners, job: &Job) -> Result<Option<usize>, Failure> {
    let mut frames = 0;
    for sentence in sentences(&parameters.text) {
        job.check()?;
        frames += plan(&sentence, manners).frames();
        if frames * FRAME > MAX_SAMPLES {
            return Ok(None);
        }
    }
    Ok(Some(frames))
}

/// Returns whether the speech of a text exceeds two hours.
///
/// The seed does not affect the length.
fn is_too_long(parameters: &SpeechParameters) -> bool {
    let manners = manners(parameters, &voice::voice(parameters, 0));
    let frames = || frames(parameters, manners, &Job::with_seed(0));
    parameters.text.len() > MAX_UNCHECKED_LENGTH && matches!(frames(), Ok(None))
}

/// The length in bytes up to which no text can exceed two hours: no character takes two seconds.
const MAX_UNCHECKED_LENGTH: usize = 3600;

const TOO_LONG: &str = "must take at most two hours to say with the built-in engine";

/// The maximum length of a text, in characters.
pub const MAX_CHARACTERS: usize = 40_000;

/// The maximum length of a speech in a WAV file, in samples. A longer speech is a FLAC file.
///
/// It is the maximum length of audio inputs of the API. These are MP3, WAV or M4A, so a WAV result can be an input.
const MAX_IN_WAV: usize = 5 * 60 * RATE as usize;

/// The maximum length of a speech, in samples: two hours, or 318 MB before compression.
///
/// Forty thousand characters of prose take 50 minutes. The same number of digits would take almost four
/// hours.
const MAX_SAMPLES: usize = 2 * 60 * 60 * RATE as usize;

/// The minimum length, in samples: a text without words gives a quarter of a second of silence.
const MIN_SAMPLES: usize = RATE as usize / 4;

#[cfg(test)]
mod tests;
