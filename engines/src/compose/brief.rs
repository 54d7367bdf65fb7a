//! Reads from a prompt everything that a composition understands.

use super::colour::Colour;
use super::lexicon::{COLOURS, IDEAS, Idea, LAYOUTS, Part, contains_one_of, is_one_of, part};

/// The understood content of a prompt.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Brief {
    /// Unique ideas in the order of the prompt.
    ideas: Vec<Idea>,
    /// Ideas that the picture must not show.
    banned: Vec<Idea>,
    /// Colours that belong to no part of the picture.
    pub colours: Vec<Colour>,
    pub sky: Option<Colour>,
    pub water: Option<Colour>,
    pub land: Option<Colour>,
    pub light: Option<Colour>,
}

impl Brief {
    /// Reads a prompt and a negative prompt.
    pub fn of(prompt: &str, negative: &str) -> Self {
        let mut brief = Self::default();
        for word in split(negative) {
            brief.banned.extend(ideas_of(&word));
        }
        let mut denied = false;
        let mut colour = None;
        for word in split(prompt) {
            match word.as_str() {
                "no" | "without" | "not" | "sin" | "sans" | "ohne" | "sem" | "senza" => denied = true,
                "a" | "an" | "the" | "any" | "of" | "and" | "y" | "et" | "und" | "e" => {}
                word => {
                    brief.hear(word, denied, &mut colour);
                    denied = false;
                }
            }
        }
        brief.colours.extend(colour);
        // If only greys are named, as in "black and white", the picture is monochrome.
        if !brief.colours.is_empty() && brief.colours.iter().all(|colour| colour.is_grey()) {
            brief.colours.clear();
            brief.note(vec![Idea::Mono]);
        }
        brief.ideas.retain(|idea| !brief.banned.contains(idea));
        brief
    }

    /// Reads one word.
    ///
    /// `colour` is the colour that was named just before the word.
    fn hear(&mut self, word: &str, denied: bool, colour: &mut Option<Colour>) {
        let ideas: Vec<Idea> = ideas_of(word).collect();
        if denied {
            self.banned.extend(ideas);
            return;
        }
        if let Some(value) = colour_of(word) {
            self.colours.extend(colour.replace(Colour::hex(value)));
        } else if let Some(named) = colour.take() {
            let of = match ideas.iter().find_map(|idea| part(*idea)) {
                Some(Part::Sky) => &mut self.sky,
                Some(Part::Water) => &mut self.water,
                Some(Part::Land) => &mut self.land,
                Some(Part::Light) => &mut self.light,
                None => {
                    self.colours.push(named);
                    return self.note(ideas);
                }
            };
            *of = Some(named);
        }
        self.note(ideas);
    }

    fn note(&mut self, ideas: Vec<Idea>) {
        for idea in ideas {
            if !self.ideas.contains(&idea) {
                self.ideas.push(idea);
            }
        }
    }

    pub fn has(&self, idea: Idea) -> bool {
        self.ideas.contains(&idea)
    }

    pub fn bans(&self, idea: Idea) -> bool {
        self.banned.contains(&idea)
    }

    /// Returns the requested layouts in order.
    pub fn layouts(&self) -> impl Iterator<Item = Idea> {
        self.ideas.iter().copied().filter(|idea| LAYOUTS.contains(idea))
    }

    /// Returns the first requested idea of a list.
    pub fn first(&self, of: &[Idea]) -> Option<Idea> {
        self.ideas.iter().copied().find(|idea| of.contains(idea))
    }

    /// Adds a layout that the prompt does not name.
    pub fn with(mut self, idea: Idea) -> Self {
        self.note(vec![idea]);
        self
    }
}

/// Returns the words of a prompt that the picture can't show, once each and in order.
pub(super) fn unknown(prompt: &str) -> Vec<String> {
    let mut unknown = Vec::new();
    for word in split(prompt) {
        let is_known = is_one_of(FUNCTION_WORDS, &word)
            || colour_of(&word).is_some()
            || ideas_of(&word).next().is_some();
        if !is_known && !unknown.contains(&word) {
            unknown.push(word);
        }
    }
    unknown
}

/// Words that name nothing that a picture could show, in the languages of the lexicon.
const FUNCTION_WORDS: &str = "a an the any some this that of and or with without no not in on at to by for from over under \
     above below between behind before beside near through into is are it its his her their very el la los las un una unos \
     unas de del y o con sin en sobre bajo entre por para le les une des du et ou avec sans dans sur sous au aux der die \
     das den dem ein eine einen einem einer und oder mit ohne im am auf unter über bei von zu zum zur os as um uma do da \
     dos das e com sem no na nos nas em il lo gli uno i della dello dei delle nel nella sul sulla di che al";

fn split(text: &str) -> impl Iterator<Item = String> {
    let lower = text.to_lowercase();
    let words: Vec<String> = lower
        .split(|c: char| !c.is_alphanumeric() && !is_mark(c))
        .filter(|word| !word.is_empty())
        .map(ToOwned::to_owned)
        .collect();
    words.into_iter()
}

/// Vowel signs of Devanagari are not letters, but occur within words.
fn is_mark(c: char) -> bool {
    ('\u{900}'..='\u{97f}').contains(&c)
}

fn colour_of(word: &str) -> Option<u32> {
    let named =
        COLOURS.iter().find(|(_, words, within)| is_one_of(words, word) || contains_one_of(within, word));
    named.map(|(value, ..)| *value)
}

fn ideas_of(word: &str) -> impl Iterator<Item = Idea> {
    let word = word.to_owned();
    IDEAS.iter().filter(move |entry| entry.has(&word)).map(|entry| entry.idea)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_several_languages_are_understood() {
        for (prompt, ideas) in [
            (
                "Misty mountains above a lake at sunrise",
                &[Idea::Fog, Idea::Mountains, Idea::Sea, Idea::Dawn][..],
            ),
            ("una ciudad de noche con lluvia", &[Idea::City, Idea::Night, Idea::Rain]),
            ("forêt enneigée, brume", &[Idea::Forest, Idea::Fog]),
            ("Wüste bei Sonnenuntergang", &[Idea::Desert, Idea::Sunset]),
            ("夜の海と月", &[Idea::Sea, Idea::Night, Idea::Moon]),
            ("रात में शहर", &[Idea::Night, Idea::City]),
            ("waves", &[Idea::Sea]),
            ("xyzzy", &[]),
        ] {
            let brief = Brief::of(prompt, "");
            assert!(ideas.iter().all(|idea| brief.has(*idea)), "{prompt}: {brief:?}");
            assert_eq!(brief.ideas.len(), ideas.len(), "{prompt}: {brief:?}");
        }
    }

    #[test]
    fn words_that_no_picture_shows_are_told() {
        assert_eq!(unknown("A red fox sitting on a bench, by the sea. A fox!"), ["fox", "sitting", "bench"]);
        assert!(unknown("misty mountains above a blue lake at sunrise, 夜の海").is_empty());
        assert_eq!(unknown("un zorro en la playa"), ["zorro"]);
    }

    #[test]
    fn what_is_denied_is_not_there() {
        let brief = Brief::of("a beach without clouds", "stars, people");
        assert!(brief.bans(Idea::Clouds) && brief.bans(Idea::Stars) && !brief.has(Idea::Clouds));
        assert!(!Brief::of("starry night", "stars").has(Idea::Night) || brief.bans(Idea::Stars));
    }

    #[test]
    fn a_colour_belongs_to_what_it_stands_before() {
        let brief = Brief::of("red sky over a blue sea, in green and gold", "");
        let (red, blue) = (Colour::hex(0xd4_2a26), Colour::hex(0x2a_62d6));
        assert_eq!((brief.sky, brief.water), (Some(red), Some(blue)));
        assert_eq!(brief.colours, [Colour::hex(0x4c_a03c), Colour::hex(0xd9_a93a)]);
        assert_eq!(Brief::of("a red fox", "").colours, [red]);
        let brief = Brief::of("a fox in black and white", "");
        assert!(brief.has(Idea::Mono) && brief.colours.is_empty());
    }
}
