//! The phrases, one file per language.

mod de;
mod en;
mod es;
mod fr;
mod it;
mod pt;

pub(super) use en::EN;

/// A part of a prompt that may be missing.
pub(super) struct Slot {
    /// The words that show its presence.
    ///
    /// `dark*` matches all words that start with `dark`.
    pub(super) words: &'static str,
    pub(super) phrases: &'static [&'static str],
}

pub(super) struct Language {
    /// The ISO 639-1 code.
    pub(super) code: &'static str,
    /// Subjects and places for invented prompts.
    pub(super) subjects: &'static [&'static str],
    pub(super) places: &'static [&'static str],
    pub(super) light: Slot,
    pub(super) lens: Slot,
    pub(super) composition: Slot,
    pub(super) mood: Slot,
    pub(super) finish: Slot,
    pub(super) camera: Slot,
    pub(super) movement: Slot,
}

pub(super) const LANGUAGES: &[&Language] = &[&EN, &es::ES, &fr::FR, &de::DE, &pt::PT, &it::IT];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_much_to_say() {
        for language in LANGUAGES {
            assert!(language.subjects.len() >= 8 && language.places.len() >= 8, "{}", language.code);
            let Language { light, lens, composition, mood, finish, camera, movement, .. } = language;
            for slot in [light, lens, composition, mood, finish, camera, movement] {
                assert!(slot.phrases.len() >= 6, "{}", language.code);
                assert!(slot.phrases.iter().all(|phrase| phrase.chars().count() < 110), "{}", language.code);
            }
        }
    }
}
