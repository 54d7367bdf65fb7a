//! Improves prompts: keeps the user's words and adds missing details.
//!
//! The details of a picture are light, lens, composition, mood and finish. Those of a video are light, composition,
//! camera, movement and mood.

use serde::{Deserialize, Serialize};

use crate::random::{Random, hash};
use crate::words::words;
use crate::{Engine, Failure, Job, Output, Refusal};

/// The templates: each line has a language, the name of a part, the words of this part, and three phrases.
///
/// `dark*` stands for all words that begin with `dark`.
const TEMPLATES: &str = include_str!("../data/prompts.txt");

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

/// The purpose of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PromptPurpose {
    /// A picture.
    Image,
    /// A video. Its prompt also describes the movement of the camera and of the subject.
    Video,
}

/// Adds template phrases to a prompt: one for each missing detail, chosen by the seed.
#[derive(Debug, Clone, Copy, Default)]
pub struct TemplateExpansion;

/// The maximum length of a prompt, in characters.
pub const MAX_CHARACTERS: usize = 2500;

/// The maximum length of the added text, in characters.
pub const MAX_ADDED: usize = 700;

impl Engine<PromptParameters> for TemplateExpansion {
    const NAME: &'static str = "template-expansion/1";

    type Media = ();

    fn refuse(&self, parameters: &PromptParameters) -> Vec<Refusal> {
        Refusal::of_text("prompt", &parameters.prompt, MAX_CHARACTERS).into_iter().collect()
    }

    fn ignored(&self, parameters: &PromptParameters) -> Vec<&'static str> {
        (!has_templates(&parameters.language)).then_some("language").into_iter().collect()
    }

    fn run(&self, parameters: &PromptParameters, _: (), job: &Job) -> Result<Vec<Output>, Failure> {
        let known = has_templates(&parameters.language);
        let language = if known { parameters.language.as_str() } else { "en" };
        job.check()?;
        Ok(vec![Output::Text(expanded(&parameters.prompt, parameters.purpose, language, job.seed))])
    }
}

fn has_templates(language: &str) -> bool {
    !language.is_empty() && TEMPLATES.lines().any(|line| line.split(' ').next() == Some(language))
}

/// A part of a prompt that may be missing.
struct Part {
    /// The words that show that a prompt has this part.
    words: &'static str,
    phrases: Vec<&'static str>,
}

impl Part {
    /// Returns the part with this name in a language.
    fn named(language: &str, name: &str) -> Self {
        let named = |line: &&str| line.split([' ', '|']).take(2).eq([language, name]);
        let mut cells = TEMPLATES.lines().find(named).unwrap_or_default().split('|').map(str::trim).skip(1);
        Self { words: cells.next().unwrap_or_default(), phrases: cells.collect() }
    }

    fn pick(&self, random: &mut Random) -> &'static str {
        random.pick(&self.phrases).copied().unwrap_or_default()
    }

    /// Returns whether the prompt contains a word of this part.
    fn is_in(&self, words: &[String]) -> bool {
        self.words.split_whitespace().any(|known| match known.strip_suffix('*') {
            Some(start) => words.iter().any(|word| word.starts_with(start)),
            None => words.iter().any(|word| word == known),
        })
    }
}

/// Adds missing details to a prompt of any length, in a language that has templates.
pub(crate) fn expanded(prompt: &str, purpose: PromptPurpose, language: &str, seed: u64) -> String {
    let mut random = Random::for_part(seed ^ hash(prompt.as_bytes()), language);
    let trimmed = prompt.trim().trim_end_matches(['.', ',', ';', ' ']);
    let mut text = trimmed.to_owned();
    if trimmed.is_empty() {
        let [subject, place] = ["subject", "place"].map(|part| Part::named(language, part).pick(&mut random));
        text = format!("{subject} {place}");
    }
    let words = words(trimmed);
    let parts = match purpose {
        PromptPurpose::Image => ["light", "lens", "composition", "mood", "finish"],
        PromptPurpose::Video => ["light", "composition", "camera", "movement", "mood"],
    };
    let missing =
        parts.map(|part| Part::named(language, part)).into_iter().filter(|part| !part.is_in(&words));
    for part in missing {
        // The phrases follow a complete sentence or a colon without a comma.
        text.push_str(if text.ends_with(['!', '?', '…', ':']) { " " } else { ", " });
        text.push_str(part.pick(&mut random));
    }
    // A prompt without missing details may end with its own mark.
    if !text.ends_with(['!', '?', '…', ':']) {
        text.push('.');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    const LANGUAGES: [&str; 6] = ["en", "es", "fr", "de", "pt", "it"];

    fn text(parameters: &PromptParameters, seed: u64) -> String {
        match TemplateExpansion.run(parameters, (), &Job::with_seed(seed)).unwrap().as_slice() {
            [Output::Text(text)] => text.clone(),
            other => panic!("one text, not {other:?}"),
        }
    }

    /// Returns whether a text has an English phrase of this part.
    fn adds(part: &str, text: &str) -> bool {
        Part::named("en", part).phrases.iter().any(|phrase| text.contains(phrase))
    }

    #[test]
    fn every_language_has_every_part() {
        let parts =
            ["subject", "place", "light", "lens", "composition", "mood", "finish", "camera", "movement"];
        for (language, part) in LANGUAGES.iter().flat_map(|language| parts.map(|part| (language, part))) {
            let phrases = Part::named(language, part).phrases;
            assert!(
                phrases.len() == 3 && phrases.iter().all(|phrase| phrase.len() < 120),
                "{language} {part}"
            );
        }
    }

    #[test]
    fn the_words_of_the_user_come_first_and_unchanged() {
        let prompt = "Ein Hund, der SCHLÄFT";
        for language in LANGUAGES {
            let parameters = PromptParameters {
                language: language.to_owned(),
                ..PromptParameters::new(prompt, PromptPurpose::Image)
            };
            let text = text(&parameters, 1);
            assert!(text.starts_with(&format!("{prompt}, ")), "{text}");
            assert!(text.len() > prompt.len() + 60, "{text}");
        }
    }

    #[test]
    fn an_improved_prompt_repeats_nothing() {
        let parameters = PromptParameters::new(
            "a dog at sunset, wide-angle close-up, calm, film grain",
            PromptPurpose::Image,
        );
        assert_eq!(text(&parameters, 1), "a dog at sunset, wide-angle close-up, calm, film grain.");
        let parameters = PromptParameters::new("a dog at sunset", PromptPurpose::Image);
        let added = text(&parameters, 1);
        assert!(!adds("light", &added), "{added}");
        assert!(adds("lens", &added), "{added}");
    }

    #[test]
    fn a_prompt_without_missing_details_keeps_its_last_mark() {
        for mark in ['.', '!', '?', '…', ':'] {
            let prompt = format!("a dog at sunset, wide-angle close-up, calm, film grain{mark}");
            assert_eq!(text(&PromptParameters::new(&prompt, PromptPurpose::Image), 1), prompt);
        }
    }

    #[test]
    fn videos_move() {
        let added = text(&PromptParameters::new("a dog", PromptPurpose::Video), 4);
        assert!(adds("camera", &added), "{added}");
        assert!(adds("movement", &added), "{added}");
        let added = text(&PromptParameters::new("a dog", PromptPurpose::Image), 4);
        assert!(!adds("camera", &added), "{added}");
    }

    #[test]
    fn each_seed_invents_another_prompt() {
        let outputs: HashSet<String> =
            (0..50).map(|seed| text(&PromptParameters::new("  ", PromptPurpose::Image), seed)).collect();
        assert!(outputs.len() > 45, "{}", outputs.len());
        assert!(outputs.iter().all(|text| text.len() > 80 && !text.starts_with(',')));
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
                        language: language.to_owned(),
                        ..PromptParameters::new(&long, purpose)
                    };
                    assert!(text(&parameters, seed).chars().count() <= 2500 + MAX_ADDED);
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
        let outputs = |parameters| TemplateExpansion.run(parameters, (), &Job::with_seed(1)).unwrap();
        assert_eq!(outputs(&unknown), outputs(&parameters));
    }

    #[test]
    fn parameters_have_the_defaults_and_names_of_the_wire() {
        let parameters: PromptParameters =
            serde_json::from_str(r#"{"prompt":"a dog","type":"video"}"#).unwrap();
        assert_eq!(parameters, PromptParameters::new("a dog", PromptPurpose::Video));
    }
}
