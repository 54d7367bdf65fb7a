//! The character of a sound: numbers that adjectives set and recipes read.

/// The character of a sound. Without adjectives, factors are 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Character {
    /// The level of the peak, at most 1.
    pub(super) gain: f64,
    /// A factor for all frequencies of tones and bodies. Small things sound high.
    pub(super) pitch: f64,
    /// A factor for the speed of events.
    pub(super) rate: f64,
    /// A factor for the amount of events, such as drops or wind.
    pub(super) intensity: f64,
    /// A factor for the cutoff of noise.
    pub(super) brightness: f64,
    /// A factor for the decay time.
    pub(super) decay: f64,
    /// The distance, from 0 (close) to 1 (at the horizon).
    pub(super) distance: f64,
}

/// Words with their gain, pitch, rate, intensity, brightness, decay, and distance.
const WORDS: &[(&str, [f64; 7])] = &[
    ("loud", [1.3, 1.0, 1.0, 1.5, 1.15, 1.1, 0.0]),
    ("quiet soft gentle faint calm", [0.3, 1.0, 0.85, 0.55, 0.75, 1.0, 0.0]),
    ("distant far faraway", [0.6, 1.0, 1.0, 0.9, 1.0, 1.0, 0.75]),
    ("close near", [1.1, 1.0, 1.0, 1.0, 1.25, 0.9, 0.0]),
    ("slow", [1.0, 0.95, 0.55, 0.9, 1.0, 1.3, 0.0]),
    ("fast quick rapid", [1.0, 1.04, 1.8, 1.2, 1.05, 0.8, 0.0]),
    ("heavy strong violent intense", [1.15, 0.75, 0.9, 2.0, 0.9, 1.3, 0.0]),
    ("light thin weak", [0.7, 1.2, 1.0, 0.5, 1.15, 0.8, 0.0]),
    ("deep low", [1.0, 0.6, 0.9, 1.0, 0.7, 1.25, 0.0]),
    ("high shrill", [1.0, 1.6, 1.0, 1.0, 1.4, 0.9, 0.0]),
    ("big huge giant large", [1.2, 0.65, 0.85, 1.3, 0.9, 1.5, 0.0]),
    ("small tiny little", [0.6, 1.6, 1.15, 0.7, 1.15, 0.65, 0.0]),
    ("bright sharp crisp", [1.0, 1.1, 1.0, 1.0, 1.6, 1.0, 0.0]),
    ("dark muffled dull warm", [0.9, 0.9, 1.0, 1.0, 0.5, 0.9, 0.0]),
    ("long", [1.0, 1.0, 0.8, 1.0, 1.0, 1.9, 0.0]),
    ("short brief", [1.0, 1.0, 1.1, 1.0, 1.0, 0.5, 0.0]),
];

impl Character {
    /// Derives the character from words. At an influence of 0 they have no effect, at 1 their full one.
    pub(super) fn of(words: &[String], influence: f64) -> Self {
        let [mut gain, mut pitch, mut rate, mut intensity, mut brightness, mut decay] = [1.0; 6];
        let mut distance = 0.0;
        let is_in_text = |known: &&str| words.iter().any(|word| word == known);
        for (_, changes) in WORDS.iter().filter(|(known, _)| known.split(' ').any(|known| is_in_text(&known)))
        {
            let [factors @ .., far] = changes;
            let values = [&mut gain, &mut pitch, &mut rate, &mut intensity, &mut brightness, &mut decay];
            for (value, factor) in values.into_iter().zip(factors) {
                *value = (*value * factor.powf(influence)).clamp(0.25, 4.0);
            }
            distance += far * influence;
        }
        Self { gain: gain.min(1.0), pitch, rate, intensity, brightness, decay, distance }
    }
}
