//! Voices: the sound of a `voice_id`.

use crate::random::{Random, hash};

use super::SpeechParameters;

/// The properties of a voice.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Voice {
    /// The mean pitch in hertz.
    pub(super) pitch: f64,
    /// A factor for the formants. A shorter vocal tract has higher ones.
    pub(super) formants: f64,
    /// A factor for the speed.
    pub(super) rate: f64,
    /// The amount of breath in the voice, 0 to 1.
    pub(super) breath: f64,
    /// The cutoff of the source in hertz. A soft voice has less treble.
    pub(super) tilt: f64,
    /// Semitones from the base to the peak of an accent.
    pub(super) range: f64,
    /// The irregularity of the pitch.
    pub(super) jitter: f64,
    /// A factor for the formants' bandwidths. Clear voices have narrow ones.
    pub(super) bandwidths: f64,
}

/// Returns the requested voice, changed by the other parameters.
pub(super) fn voice(parameters: &SpeechParameters, seed: u64) -> Voice {
    let mut voice = of_id(&parameters.voice_id);
    // The lower the similarity, the more the seed can change the voice.
    let loose = 1.0 - parameters.similarity_boost.clamp(0.0, 1.0);
    let mut random = Random::for_part(seed, "voice");
    voice.pitch *= 2f64.powf(loose * random.signed() * 2.0 / 12.0);
    voice.formants *= 1.0 + loose * random.signed() * 0.035;
    voice.tilt *= 1.0 + loose * random.signed() * 0.2;
    let expressive = 1.0 - parameters.stability.clamp(0.0, 1.0);
    voice.range *= 0.25 + 1.5 * expressive;
    voice.jitter *= 0.4 + 1.2 * expressive;
    if parameters.use_speaker_boost {
        voice.tilt *= 1.4;
        voice.bandwidths *= 0.85;
        voice.breath *= 0.6;
    }
    voice
}

fn of_id(id: &str) -> Voice {
    let mut random = Random::new(hash(id.as_bytes()));
    let kind = random.unit();
    let (pitch, formants) = if kind < 0.46 {
        (random.range(92.0, 132.0), random.range(0.96, 1.04))
    } else if kind < 0.92 {
        (random.range(172.0, 222.0), random.range(1.12, 1.19))
    } else {
        (random.range(235.0, 275.0), random.range(1.21, 1.27))
    };
    Voice {
        pitch,
        formants,
        rate: random.range(1.1, 1.2),
        breath: random.range(0.02, 0.09),
        tilt: random.range(4500.0, 6500.0),
        range: random.range(3.6, 5.0),
        jitter: random.range(0.004, 0.01),
        bandwidths: 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_a_voice_of_its_own() {
        assert_eq!(of_id("anna"), of_id("anna"));
        assert_ne!(of_id("anna"), of_id("Anna"));
        let pitches: Vec<f64> = (0..200).map(|id| of_id(&id.to_string()).pitch).collect();
        let low = pitches.iter().filter(|pitch| **pitch < 150.0).count();
        assert!((60..130).contains(&low), "{low} of 200 are low");
    }

    #[test]
    fn the_seed_does_not_change_an_exact_match() {
        let with = |similarity_boost, seed| {
            voice(&SpeechParameters { similarity_boost, ..SpeechParameters::new("x", "anna") }, seed)
        };
        assert_eq!(with(1.0, 1), with(1.0, 2));
        assert_ne!(with(0.0, 1), with(0.0, 2));
    }
}
