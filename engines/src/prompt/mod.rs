//! Improves prompts: keeps the user's words and adds missing details.
//!
//! The details are light, lens, composition and mood, and movement for videos.

mod languages;

use serde::{Deserialize, Serialize};

use crate::random::{Random, hash};
use crate::{Engine, Failure, Job, Output, Parameters, Refusal};

use languages::{LANGUAGES, Language, Slot};

/// The parameters of a prompt improvement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptParameters {
    /// The prompt, at most 2500 characters. An empty prompt is replaced by an invented one.
    pub prompt: String,
    /// The purpose.
    #[serde(rename = "type")]
    pub purpose: PromptPurpose,
    /// The language of the added details, as an ISO 639-1 code. Default: `en`, also for languages without templates.
    ///
    /// The user's words are not translated.
    #[serde(default = "default_language")]
    pub language: String,
}

fn default_language() -> String {
    "en".to_owned()
}

impl PromptParameters {
    /// Creates parameters with defaults.
    pub fn new(prompt: impl Into<String>, purpose: PromptPurpose) -> Self {
        Self { prompt: prompt.into(), purpose, language: default_language() }
    }
}

impl Parameters for PromptParameters {
    type Media = ();
}

/// The purpose of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PromptPurpose {
    /// A picture.
    Image,
    /// A video. Its prompt also has the movement of camera and subject.
    Video,
}

/// Adds template phrases to a prompt: one for each missing detail, chosen by the seed.
#[derive(Debug, Clone, Copy, Default)]
pub struct TemplateExpansion;

/// The maximum length of a prompt, in characters.
pub const MOST_CHARACTERS: usize = 2500;

/// The maximum length of the added text, in characters.
pub const MOST_ADDED: usize = 700;

impl Engine<PromptParameters> for TemplateExpansion {
    fn name(&self) -> &'static str {
        "template-expansion/1"
    }

    fn refuse(&self, parameters: &PromptParameters) -> Vec<Refusal> {
        Refusal::of_text("prompt", &parameters.prompt, MOST_CHARACTERS).into_iter().collect()
    }

    fn ignored(&self, parameters: &PromptParameters) -> Vec<&'static str> {
        language(&parameters.language).is_none().then_some("language").into_iter().collect()
    }

    fn run(&self, parameters: &PromptParameters, _: (), job: &Job) -> Result<Vec<Output>, Failure> {
        let language = language(&parameters.language).unwrap_or(&languages::EN);
        job.check()?;
        let mut random = Random::for_part(job.seed ^ hash(parameters.prompt.as_bytes()), language.code);
        Ok(vec![Output::Text(improved(&parameters.prompt, parameters.purpose, language, &mut random))])
    }
}

fn language(code: &str) -> Option<&'static Language> {
    LANGUAGES.iter().copied().find(|language| language.code == code)
}

fn improved(prompt: &str, purpose: PromptPurpose, language: &Language, random: &mut Random) -> String {
    let said = prompt.trim().trim_end_matches(['.', ',', ';', ' ']);
    let mut text = if said.is_empty() { creative(language, random) } else { said.to_owned() };
    let words = words(said);
    let slots: &[&Slot] = match purpose {
        PromptPurpose::Image => {
            &[&language.light, &language.lens, &language.composition, &language.mood, &language.finish]
        }
        PromptPurpose::Video => {
            &[&language.light, &language.composition, &language.camera, &language.movement, &language.mood]
        }
    };
    for slot in slots {
        // A phrase is drawn for every slot, so that a detail in the prompt does not change the other slots.
        let phrase = random.pick(slot.phrases).copied().unwrap_or_default();
        if !slot.is_told_by(&words) {
            // After a complete sentence, the phrases form a new sentence.
            text.push_str(if text.ends_with(['!', '?', '…', ':']) { " " } else { ", " });
            text.push_str(phrase);
        }
    }
    text.push('.');
    text
}

fn creative(language: &Language, random: &mut Random) -> String {
    let subject = random.pick(language.subjects).copied().unwrap_or_default();
    let place = random.pick(language.places).copied().unwrap_or_default();
    format!("{subject} {place}")
}

fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

impl Slot {
    /// Returns whether the prompt contains a word of this slot.
    ///
    /// A word in the list that ends with `*` matches all words that begin with it.
    fn is_told_by(&self, words: &[String]) -> bool {
        self.words.split_whitespace().any(|known| match known.strip_suffix('*') {
            Some(start) => words.iter().any(|word| word.starts_with(start)),
            None => words.iter().any(|word| word == known),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn text(parameters: &PromptParameters, seed: u64) -> String {
        match TemplateExpansion.run(parameters, (), &Job::with_seed(seed)).unwrap().as_slice() {
            [Output::Text(text)] => text.clone(),
            other => panic!("one text, not {other:?}"),
        }
    }

    #[test]
    fn the_words_of_the_user_come_first_and_unchanged() {
        let prompt = "Ein Hund, der SCHLÄFT";
        for language in LANGUAGES {
            let parameters = PromptParameters {
                language: language.code.to_owned(),
                ..PromptParameters::new(prompt, PromptPurpose::Image)
            };
            let text = text(&parameters, 1);
            assert!(text.starts_with(&format!("{prompt}, ")), "{text}");
            assert!(text.len() > prompt.len() + 60, "{text}");
        }
    }

    #[test]
    fn what_is_said_is_not_said_again() {
        let parameters = PromptParameters::new(
            "a dog at sunset, wide-angle close-up, calm, film grain",
            PromptPurpose::Image,
        );
        assert_eq!(text(&parameters, 1), "a dog at sunset, wide-angle close-up, calm, film grain.");
        let parameters = PromptParameters::new("a dog at sunset", PromptPurpose::Image);
        let added = text(&parameters, 1);
        assert!(!languages::EN.light.phrases.iter().any(|phrase| added.contains(phrase)), "{added}");
        assert!(languages::EN.lens.phrases.iter().any(|phrase| added.contains(phrase)), "{added}");
    }

    #[test]
    fn videos_move() {
        let added = text(&PromptParameters::new("a dog", PromptPurpose::Video), 4);
        assert!(languages::EN.camera.phrases.iter().any(|phrase| added.contains(phrase)), "{added}");
        assert!(languages::EN.movement.phrases.iter().any(|phrase| added.contains(phrase)), "{added}");
        let added = text(&PromptParameters::new("a dog", PromptPurpose::Image), 4);
        assert!(!languages::EN.camera.phrases.iter().any(|phrase| added.contains(phrase)), "{added}");
    }

    #[test]
    fn an_empty_prompt_is_made_up_anew_for_each_seed() {
        let made: HashSet<String> =
            (0..50).map(|seed| text(&PromptParameters::new("  ", PromptPurpose::Image), seed)).collect();
        assert!(made.len() > 45, "{}", made.len());
        assert!(made.iter().all(|text| text.len() > 80 && !text.starts_with(',')));
    }

    #[test]
    fn the_same_seed_gives_the_same_text() {
        let parameters = PromptParameters::new("a castle", PromptPurpose::Video);
        assert_eq!(text(&parameters, 8), text(&parameters, 8));
        assert_ne!(text(&parameters, 8), text(&parameters, 9));
    }

    #[test]
    fn the_length_is_bounded() {
        let long = "å".repeat(2500);
        for language in LANGUAGES {
            for purpose in [PromptPurpose::Image, PromptPurpose::Video] {
                for seed in 0..40 {
                    let parameters = PromptParameters {
                        language: language.code.to_owned(),
                        ..PromptParameters::new(&long, purpose)
                    };
                    assert!(text(&parameters, seed).chars().count() <= 2500 + MOST_ADDED);
                }
            }
        }
    }

    #[test]
    fn languages_without_templates_are_ignored() {
        let parameters = PromptParameters::new("a dog", PromptPurpose::Image);
        let unknown = PromptParameters { language: "xx".to_owned(), ..parameters.clone() };
        assert_eq!(TemplateExpansion.ignored(&unknown), ["language"]);
        assert!(
            TemplateExpansion.refuse(&unknown).is_empty()
                && TemplateExpansion.ignored(&parameters).is_empty()
        );
        let made = |parameters| TemplateExpansion.run(parameters, (), &Job::with_seed(1)).unwrap();
        assert_eq!(made(&unknown), made(&parameters));
    }

    #[test]
    fn parameters_have_the_defaults_and_names_of_the_wire() {
        let parameters: PromptParameters =
            serde_json::from_str(r#"{"prompt":"a dog","type":"video"}"#).unwrap();
        assert_eq!(parameters, PromptParameters::new("a dog", PromptPurpose::Video));
    }
}
