//! Rhythm and melody of sentences, after Klatt's rules of 1979.

use super::phonemes::{Manner, Phone, Phoneme};
use super::pronounce::{Spoken, pronounce};
use super::text::{Ending, Sentence, Token, tokens};

/// Frames per second.
pub(super) const FRAMES: f64 = 200.0;

/// A phoneme or a pause with its duration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Segment {
    /// The phoneme. `None` is silence.
    pub(super) phone: Option<Phone>,
    pub(super) frames: usize,
    /// The number of frames at the end that are the release of a stop.
    pub(super) release: usize,
    /// Whether the release is aspirated, as in "top" but not in "stop".
    pub(super) aspirated: bool,
}

/// The timing and the pitch of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plan {
    pub(super) segments: Vec<Segment>,
    /// Points of the pitch curve in order: frame, and semitones from the voice's pitch.
    pub(super) melody: Vec<(f64, f64)>,
}

impl Plan {
    pub(super) fn frames(&self) -> usize {
        self.segments.iter().map(|segment| segment.frames).sum()
    }
}

/// The manner of speaking.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manners {
    /// A factor for the speed.
    pub(super) speed: f64,
    /// The height of an accent in semitones.
    pub(super) range: f64,
}

/// The pause at a comma, in seconds.
const COMMA: f64 = 0.2;
/// The pause after a sentence, in seconds.
const STOP: f64 = 0.38;
/// The pause after a paragraph, in seconds.
const PARAGRAPH: f64 = 0.7;

/// A phoneme with its context, which determines duration and pitch.
struct Context {
    phone: Phone,
    /// Whether it starts its word.
    first: bool,
    /// Whether it is in the last syllable of its phrase.
    phrase_final: bool,
    /// The number of vowels in its word.
    syllables: usize,
    weak: bool,
}

/// Plans a sentence.
pub(super) fn plan(sentence: &Sentence, manners: Manners) -> Plan {
    let phrases = phrases(sentence.text);
    let mut plan = Plan { segments: Vec::new(), melody: Vec::new() };
    let total = phrases.len();
    let asks = phrases.first().and_then(|phrase| phrase.first()).is_some_and(|word| word.asks);
    for (index, phrase) in phrases.iter().enumerate() {
        let last = index + 1 == total;
        let contour = match (last, sentence.ending) {
            (false, _) | (_, Ending::Open) => Contour::Continuation,
            (_, Ending::Question) if !asks => Contour::Rise,
            (_, Ending::Exclamation) => Contour::StrongFall,
            _ => Contour::Fall,
        };
        let from = 1.2 - 2.2 * index as f64 / total as f64;
        speak(phrase, manners, contour, from, &mut plan);
        let pause = match (last, sentence.ending) {
            (false, _) => COMMA,
            (true, Ending::Open) => 0.05,
            (true, _) if sentence.last => PARAGRAPH,
            (true, _) => STOP,
        };
        plan.segments.push(silence(pause / manners.speed));
    }
    plan
}

fn silence(seconds: f64) -> Segment {
    Segment { phone: None, frames: (seconds * FRAMES).round() as usize, release: 0, aspirated: false }
}

/// Returns the pronounced words between pauses.
fn phrases(sentence: &str) -> Vec<Vec<Spoken>> {
    let mut phrases = vec![Vec::new()];
    for token in tokens(sentence) {
        match (token, phrases.last_mut()) {
            (Token::Word(word), Some(phrase)) => {
                let spoken = pronounce(&word);
                if !spoken.phones.is_empty() {
                    phrase.push(spoken);
                }
            }
            _ => phrases.push(Vec::new()),
        }
    }
    phrases.retain(|phrase| !phrase.is_empty());
    phrases
}

/// The contour of the pitch at the end of a phrase.
#[derive(Clone, Copy, PartialEq)]
enum Contour {
    Fall,
    StrongFall,
    Rise,
    /// A slight rise, because the sentence continues.
    Continuation,
}

/// Plans a phrase. `from` is the pitch at its beginning, in semitones from the voice's pitch.
fn speak(words: &[Spoken], manners: Manners, contour: Contour, from: f64, plan: &mut Plan) {
    let contexts = contexts(words);
    let start = plan.frames() as f64;
    let mut accents = Vec::new();
    for (index, position) in contexts.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| contexts.get(before));
        let after = contexts.get(index + 1);
        let segment = segment(position, before, after, manners.speed);
        if position.phone.stress == 1 && !position.weak && position.phone.phoneme.is_vowel() {
            accents.push((plan.frames() as f64, segment.frames as f64));
        }
        plan.segments.push(segment);
    }
    let end = plan.frames() as f64;
    let length = (end - start).max(1.0);
    // The base line falls through the phrase. Accents rise above it; the first and the last are the highest.
    let base = |frame: f64| from - 2.0 * (frame - start) / length;
    let range = manners.range * if contour == Contour::StrongFall { 1.35 } else { 1.0 };
    let mut melody = vec![(start, base(start) + 0.1 * range)];
    for (index, (at, frames)) in accents.iter().enumerate() {
        let last = index + 1 == accents.len();
        let height = if index == 0 || last { 1.0 } else { 0.7 };
        melody.push((at - 5.0, base(at - 5.0) + 0.15 * range));
        melody.push((at + frames * 0.5, base(*at) + height * range));
        if last {
            melody.push((
                at + frames + 8.0,
                base(at + frames) + if contour == Contour::Rise { 0.9 } else { 0.0 } * range,
            ));
        }
    }
    let bottom = base(end);
    melody.push(match contour {
        Contour::Fall | Contour::StrongFall => (end, bottom - 0.75 * range),
        Contour::Rise => (end, bottom + 1.7 * range),
        Contour::Continuation => (end, bottom + 0.45 * range),
    });
    // Close accents may overlap, but the frames must increase.
    for (frame, semitones) in melody {
        let frame = plan.melody.last().map_or(frame, |(last, _)| frame.max(last + 1.0));
        plan.melody.push((frame, semitones));
    }
}

fn contexts(words: &[Spoken]) -> Vec<Context> {
    let mut contexts = Vec::new();
    for (number, word) in words.iter().enumerate() {
        let syllables = word.phones.iter().filter(|phone| phone.phoneme.is_vowel()).count();
        let last_vowel = word.phones.iter().rposition(|phone| phone.phoneme.is_vowel()).unwrap_or(0);
        for (index, phone) in word.phones.iter().enumerate() {
            contexts.push(Context {
                phone: *phone,
                first: index == 0,
                phrase_final: index >= last_vowel && number + 1 == words.len(),
                syllables,
                weak: word.is_weak,
            });
        }
    }
    contexts
}

fn segment(position: &Context, before: Option<&Context>, after: Option<&Context>, speed: f64) -> Segment {
    let phoneme = position.phone.phoneme;
    let sound = phoneme.sound();
    let vowel_before = before.is_some_and(|before| before.phone.phoneme.is_vowel());
    let vowel_after = after.is_some_and(|after| after.phone.phoneme.is_vowel());
    let mut part = 1.0;
    if phoneme.is_vowel() {
        part *= match position.phone.stress {
            1 => 1.0,
            2 => 0.85,
            _ => 0.55,
        };
        if position.syllables > 1 {
            part *= 0.88;
        }
        let following = after.filter(|after| !after.first).map(|after| after.phone.phoneme.sound());
        part *= match following {
            Some(next) if next.manner == Manner::Vowel => 1.0,
            Some(next) if !next.voiced => 0.78,
            Some(next) if next.manner == Manner::Fricative => 1.2,
            Some(next) if next.manner == Manner::Nasal => 0.9,
            _ => 1.05,
        };
    } else {
        if !vowel_before && !position.first || !vowel_after && after.is_some() {
            part *= 0.75;
        }
        if position.first && before.is_some() {
            part *= 1.05;
        }
    }
    if position.phrase_final {
        part *= if phoneme.is_vowel() { 1.5 } else { 1.25 };
    }
    let length = sound.least + (sound.length - sound.least).max(0.0) * part;
    let stop = matches!(sound.manner, Manner::Stop);
    let weak_next = after.is_some_and(|after| after.phone.stress == 0);
    // Between vowels, the t of "water" is a tap.
    let is_tap = matches!(phoneme, Phoneme::T | Phoneme::D)
        && vowel_before
        && vowel_after
        && weak_next
        && !position.first;
    if is_tap {
        return Segment {
            phone: Some(Phone { phoneme: Phoneme::D, stress: 0 }),
            frames: frames(0.03, speed),
            release: 1,
            aspirated: false,
        };
    }
    let after_s = before.is_some_and(|before| before.phone.phoneme == Phoneme::S && !position.first);
    let sonorant_after = after
        .is_some_and(|after| matches!(after.phone.phoneme.sound().manner, Manner::Vowel | Manner::Glide));
    let aspirated = stop && !sound.voiced && sonorant_after && !after_s;
    let release = match sound.manner {
        Manner::Stop if aspirated => frames(if weak_next && !position.first { 0.03 } else { 0.05 }, speed),
        Manner::Stop if position.phrase_final => frames(0.03, speed),
        Manner::Stop => frames(0.015, speed),
        Manner::Affricate => frames(length * 0.55, speed),
        _ => 0,
    };
    let closure = match sound.manner {
        Manner::Stop => frames(length * 0.75, speed),
        Manner::Affricate => frames(length * 0.45, speed),
        _ => frames(length, speed),
    };
    Segment { phone: Some(position.phone), frames: closure + release, release, aspirated }
}

fn frames(seconds: f64, speed: f64) -> usize {
    ((seconds * FRAMES / speed).round() as usize).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speech::text::sentences;

    fn planned(text: &str, speed: f64) -> Plan {
        plan(&sentences(text).next().unwrap(), Manners { speed, range: 4.0 })
    }

    fn end_of_melody(text: &str) -> f64 {
        let plan = planned(text, 1.0);
        let (_, last) = plan.melody[plan.melody.len() - 1];
        let (_, first) = plan.melody[0];
        last - first
    }

    #[test]
    fn faster_is_shorter() {
        let frames: Vec<usize> = [0.7, 0.85, 1.0, 1.1, 1.2]
            .iter()
            .map(|speed| planned("Hello, good morning.", *speed).frames())
            .collect();
        assert!(frames.windows(2).all(|pair| pair[0] > pair[1]), "{frames:?}");
        let ratio = frames[0] as f64 / frames[4] as f64;
        assert!((ratio - 1.2 / 0.7).abs() < 0.12, "{ratio}");
    }

    #[test]
    fn statements_fall_and_questions_rise() {
        assert!(end_of_melody("You are here.") < -2.0);
        assert!(end_of_melody("Are you here?") > 1.0);
        assert!(end_of_melody("Where are you?") < -2.0);
    }

    #[test]
    fn commas_are_heard() {
        let silences =
            |text| planned(text, 1.0).segments.iter().filter(|segment| segment.phone.is_none()).count();
        assert_eq!(silences("red green blue"), 1);
        assert_eq!(silences("red, green, blue"), 3);
    }

    #[test]
    fn the_points_of_the_melody_are_in_order_of_time() {
        let plan = planned("One two three four five six, really very many numbers indeed!", 1.0);
        assert!(plan.melody.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
