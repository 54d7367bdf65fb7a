//! The character of a sound: numbers that adjectives set and recipes read.

use crate::random::Random;

/// The character of a sound.
///
/// Without adjectives, factors are 1 and shares are 0.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Character {
    /// The level of the peak.
    pub(super) gain: f64,
    /// A factor for all frequencies of tones and bodies. Small things sound high.
    pub(super) pitch: f64,
    /// A factor for the speed of events.
    pub(super) rate: f64,
    /// A factor for the amount of events, such as drops, wind or crowd.
    pub(super) intensity: f64,
    /// A factor for the cutoff of noise.
    pub(super) brightness: f64,
    /// A factor for the decay time.
    pub(super) decay: f64,
    /// From 0, here, to 1, at the horizon.
    pub(super) distance: f64,
    /// From 0, outdoors, to 1, in a cathedral.
    pub(super) space: f64,
    /// Distortion, from 0 to 1.
    pub(super) drive: f64,
    /// From 0, wood and earth, to 1, ringing metal.
    pub(super) metal: f64,
    /// A number in the text, such as 3 in "three knocks".
    pub(super) count: Option<usize>,
}

impl Default for Character {
    fn default() -> Self {
        Self {
            gain: 1.0,
            pitch: 1.0,
            rate: 1.0,
            intensity: 1.0,
            brightness: 1.0,
            decay: 1.0,
            distance: 0.0,
            space: 0.0,
            drive: 0.0,
            metal: 0.0,
            count: None,
        }
    }
}

/// The factors and then the shares of a word.
type Change = (f64, f64, f64, f64, f64, f64, [f64; 4]);

const NONE: [f64; 4] = [0.0; 4];
const fn room(space: f64) -> [f64; 4] {
    [0.0, space, 0.0, 0.0]
}

/// Words with their gain, pitch, rate, intensity, brightness, decay, and shares.
///
/// The shares are distance, space, drive and metal.
const WORDS: &[(&str, Change)] = &[
    ("loud blaring booming deafening thunderous", (1.3, 1.0, 1.0, 1.5, 1.15, 1.1, [0.0, 0.0, 0.1, 0.0])),
    ("quiet soft gentle faint subtle calm delicate", (0.3, 1.0, 0.85, 0.55, 0.75, 1.0, NONE)),
    ("distant far faraway background remote", (0.6, 1.0, 1.0, 0.9, 1.0, 1.0, [0.75, 0.15, 0.0, 0.0])),
    ("close near nearby closeup intimate", (1.1, 1.0, 1.0, 1.0, 1.25, 0.9, NONE)),
    ("slow lazy relaxed unhurried", (1.0, 0.95, 0.55, 0.9, 1.0, 1.3, NONE)),
    ("fast quick rapid hurried frantic running", (1.0, 1.04, 1.8, 1.2, 1.05, 0.8, NONE)),
    ("heavy massive powerful strong violent intense torrential", (1.15, 0.75, 0.9, 2.0, 0.9, 1.3, NONE)),
    ("light thin weak", (0.7, 1.2, 1.0, 0.5, 1.15, 0.8, NONE)),
    ("deep low bass sub", (1.0, 0.6, 0.9, 1.0, 0.7, 1.25, NONE)),
    ("high treble piercing shrill", (1.0, 1.6, 1.0, 1.0, 1.4, 0.9, NONE)),
    ("big huge giant large enormous colossal epic", (1.2, 0.65, 0.85, 1.3, 0.9, 1.5, room(0.3))),
    ("small tiny little mini", (0.6, 1.6, 1.15, 0.7, 1.15, 0.65, NONE)),
    ("metallic metal steel iron tin brass copper", (1.0, 1.1, 1.0, 1.0, 1.3, 1.3, [0.0, 0.0, 0.0, 1.0])),
    ("wooden wood timber plank", (1.0, 0.9, 1.0, 1.0, 0.75, 0.7, NONE)),
    ("bright sharp crisp clear shiny", (1.0, 1.1, 1.0, 1.0, 1.6, 1.0, NONE)),
    ("dark muffled dull dampened warm", (0.9, 0.9, 1.0, 1.0, 0.5, 0.9, NONE)),
    ("long sustained lingering endless", (1.0, 1.0, 0.8, 1.0, 1.0, 1.9, NONE)),
    ("short brief dry tight staccato", (1.0, 1.0, 1.1, 1.0, 1.0, 0.5, NONE)),
    ("echo echoing reverb reverberant cave cavern tunnel hall", (1.0, 1.0, 1.0, 1.0, 0.95, 1.4, room(0.75))),
    ("cathedral church canyon", (1.0, 0.95, 1.0, 1.0, 0.9, 1.6, room(0.95))),
    ("indoor inside room bathroom corridor", (1.0, 1.0, 1.0, 1.0, 0.95, 1.0, room(0.35))),
    (
        "harsh distorted rough gritty dirty aggressive brutal",
        (1.1, 0.95, 1.0, 1.3, 1.3, 1.0, [0.0, 0.0, 0.7, 0.0]),
    ),
    ("old rusty vintage broken", (1.0, 0.9, 0.85, 1.0, 0.8, 1.0, [0.0, 0.0, 0.3, 0.3])),
    ("underwater submerged drowned", (1.0, 0.8, 0.85, 1.0, 0.25, 1.3, [0.55, 0.3, 0.0, 0.0])),
    ("scary creepy ominous eerie sinister haunted", (1.0, 0.75, 0.75, 1.0, 0.75, 1.4, room(0.5))),
    ("cute happy cheerful playful cartoon", (1.0, 1.35, 1.2, 1.0, 1.1, 0.8, NONE)),
    ("dense busy crowded many lot swarm", (1.0, 1.0, 1.1, 2.2, 1.0, 1.0, NONE)),
    ("sparse few occasional single lone", (1.0, 1.0, 0.7, 0.4, 1.0, 1.0, NONE)),
];

const NUMBERS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

impl Character {
    /// Derives the character from words.
    ///
    /// A word such as "very" or "slightly" changes the weight of the next one.
    pub(super) fn of(words: &[String]) -> Self {
        let mut character = Self::default();
        let mut weight = 1.0;
        for word in words {
            match word.as_str() {
                "very" | "extremely" | "super" | "really" => weight = 1.5,
                "slightly" | "somewhat" | "rather" | "bit" => weight = 0.5,
                word => {
                    character.apply(word, weight);
                    weight = 1.0;
                }
            }
        }
        character
    }

    fn apply(&mut self, word: &str, weight: f64) {
        match word {
            "twice" | "double" => self.count = Some(2),
            "once" => self.count = Some(1),
            "triple" => self.count = Some(3),
            _ => {}
        }
        if let Some(count) = number(word) {
            self.count = Some(count);
        }
        for (words, change) in WORDS {
            if words.split(' ').any(|known| known == word) {
                let (gain, pitch, rate, intensity, brightness, decay, shares) = change;
                self.gain *= gain.powf(weight);
                self.pitch *= pitch.powf(weight);
                self.rate *= rate.powf(weight);
                self.intensity *= intensity.powf(weight);
                self.brightness *= brightness.powf(weight);
                self.decay *= decay.powf(weight);
                let [distance, space, drive, metal] = shares;
                self.distance = (self.distance + distance * weight).min(1.0);
                self.space = (self.space + space * weight).min(1.0);
                self.drive = (self.drive + drive * weight).min(1.0);
                self.metal = (self.metal + metal * weight).min(1.0);
            }
        }
    }

    /// Interpolates between the neutral character (0) and this one (1).
    ///
    /// The result is clamped to the range that recipes support.
    pub(super) fn at(&self, influence: f64) -> Self {
        let factor = |value: f64| value.powf(influence).clamp(0.25, 4.0);
        let share = |value: f64| (value * influence).clamp(0.0, 1.0);
        Self {
            gain: self.gain.powf(influence).clamp(0.08, 1.0),
            pitch: factor(self.pitch),
            rate: factor(self.rate),
            intensity: factor(self.intensity),
            brightness: factor(self.brightness),
            decay: factor(self.decay),
            distance: share(self.distance),
            space: share(self.space),
            drive: share(self.drive),
            metal: share(self.metal),
            count: self.count,
        }
    }

    /// Varies the character randomly.
    pub(super) fn varied(mut self, random: &mut Random, amount: f64) -> Self {
        for value in [&mut self.pitch, &mut self.rate, &mut self.brightness, &mut self.decay] {
            *value *= (random.normal().clamp(-2.0, 2.0) * 0.5 * amount).exp();
        }
        self
    }
}

fn number(word: &str) -> Option<usize> {
    let count = NUMBERS.iter().position(|name| *name == word).or_else(|| word.parse().ok())?;
    (1..=64).contains(&count).then_some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Character {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        Character::of(&words)
    }

    #[test]
    fn adjectives_change_what_they_speak_of() {
        assert!(of("a deep bell").pitch < 1.0);
        assert!(of("a very deep bell").pitch < of("a deep bell").pitch);
        assert!(of("distant thunder").distance > 0.5);
        assert!(of("fast footsteps").rate > 1.0);
        assert_eq!(of("three knocks").count, Some(3));
        assert_eq!(of("beep"), Character::default());
    }

    #[test]
    fn influence_goes_from_neutral_to_what_is_said() {
        let said = of("heavy slow metallic door");
        assert_eq!(said.at(0.0), Character::default());
        let (half, full) = (said.at(0.5), said.at(1.0));
        assert!(full.pitch < half.pitch && half.pitch < 1.0);
        assert!(full.metal > half.metal && half.metal > 0.0);
    }
}
