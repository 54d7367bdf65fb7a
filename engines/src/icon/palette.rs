//! Chooses the colours of an icon: the colours in the text, the usual colours of the object, or random ones.

use super::set::EmbeddedIcon;
use crate::random::Random;
use crate::words::words;

/// The colours of one picture, as `#rrggbb`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Palette {
    pub(super) main: String,
    /// A lighter shade of `main` for details on it.
    pub(super) light: String,
    /// An almost white shade of `main` for backgrounds.
    pub(super) pale: String,
    /// A dark shade of `main` for contours.
    pub(super) dark: String,
    /// A matching second hue.
    pub(super) accent: String,
    /// The single colour of a monochrome picture.
    pub(super) ink: String,
}

/// Hue and saturation.
type Tone = (f64, f64);

/// The tones of colour words.
const NAMED: &[(&str, Tone)] = &[
    ("red crimson scarlet ruby", (2.0, 0.78)),
    ("orange copper", (24.0, 0.9)),
    ("yellow gold golden amber", (43.0, 0.95)),
    ("lime", (88.0, 0.6)),
    ("green emerald olive", (145.0, 0.58)),
    ("teal turquoise cyan mint", (176.0, 0.62)),
    ("blue azure sky", (212.0, 0.82)),
    ("navy indigo", (230.0, 0.65)),
    ("purple violet lavender", (266.0, 0.7)),
    ("pink magenta rose", (334.0, 0.8)),
    ("brown chocolate", (26.0, 0.45)),
    ("black white gray grey silver monochrome", (220.0, 0.07)),
];

/// The usual colours of objects, by words of names and tags.
const USUAL: &[(&str, Tone)] = &[
    ("heart love cherry strawberry siren fire-extinguisher apple tomato stop", (352.0, 0.8)),
    ("flame fire fox carrot cat pizza egg squirrel basketball", (24.0, 0.92)),
    (
        "sun star lightbulb crown trophy bell coins coin banana zap key award medal cheese bee sandwich honey",
        (42.0, 0.95),
    ),
    ("leaf tree sprout plant cactus frog turtle clover nature vegan salad recycle banknote", (140.0, 0.55)),
    (
        "water droplet waves fish cloud rain umbrella sailboat ship anchor snowflake shark whale plane",
        (207.0, 0.82),
    ),
    ("moon night ghost gamepad wand grape planet orbit", (258.0, 0.66)),
    ("flower cake candy ice-cream gift lipstick rabbit piggy-bank baby donut", (336.0, 0.78)),
    (
        "coffee dog bear beer bone cookie croissant guitar drum nut wood house home book paw-print",
        (27.0, 0.6),
    ),
];

/// The tones to pick from at random.
const HUES: [Tone; 8] = [
    (4.0, 0.76),
    (26.0, 0.9),
    (44.0, 0.94),
    (150.0, 0.55),
    (178.0, 0.6),
    (210.0, 0.8),
    (246.0, 0.68),
    (328.0, 0.74),
];

/// Returns the palette for a text and an icon.
pub(super) fn palette(text: &str, icon: &EmbeddedIcon, random: &mut Random) -> Palette {
    let colour_word = words(text).iter().find_map(|word| tone(NAMED, word));
    // The whole name is first: a fire extinguisher does not have the colour of fire.
    let named =
        std::iter::once(icon.name.as_str()).chain(icon.name.split('-')).find_map(|word| tone(USUAL, word));
    let usual = named.or_else(|| icon.tags.iter().find_map(|tag| tone(USUAL, tag)));
    let chance = random.pick(&HUES).copied().unwrap_or((210.0, 0.8));
    let shift = random.pick(&[38.0, -36.0, 160.0, 200.0]).copied().unwrap_or(180.0);
    let (hue, saturation) = colour_word.or(usual).unwrap_or(chance);
    let grey = saturation < 0.2;
    Palette {
        main: hsl(hue, saturation, if grey { 0.5 } else { 0.57 }),
        light: hsl(hue + 6.0, saturation, 0.8),
        pale: hsl(hue + 6.0, saturation * 0.8, 0.93),
        dark: hsl(hue + 8.0, (saturation * 0.6).max(0.12), 0.2),
        accent: hsl(hue + shift, if grey { 0.1 } else { 0.7 }, 0.66),
        ink: colour_word.map_or_else(
            || "#111827".to_owned(),
            |(hue, saturation)| hsl(hue, saturation, if grey { 0.12 } else { 0.45 }),
        ),
    }
}

/// Returns the tone of a word in one of the tables.
fn tone(table: &[(&str, Tone)], word: &str) -> Option<Tone> {
    table.iter().find(|(words, _)| words.split(' ').any(|known| known == word)).map(|(_, tone)| *tone)
}

fn hsl(hue: f64, saturation: f64, lightness: f64) -> String {
    let amplitude = saturation * lightness.min(1.0 - lightness);
    let channel = |offset: f64| {
        let k = (offset + hue.rem_euclid(360.0) / 30.0) % 12.0;
        let value = lightness - amplitude * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0);
        (value * 255.0).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", channel(0.0), channel(8.0), channel(4.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::icon::set::embedded;

    #[test]
    fn named_colours_have_their_values() {
        assert_eq!(hsl(0.0, 1.0, 0.5), "#ff0000");
        assert_eq!(hsl(120.0, 1.0, 0.25), "#008000");
        assert_eq!(hsl(240.0, 0.0, 0.5), "#808080");
    }

    #[test]
    fn a_colour_in_the_text_is_used() {
        let icon = &embedded()[0];
        let blue = palette("a blue thing", icon, &mut Random::new(1));
        assert_eq!(blue.main, palette("blue", icon, &mut Random::new(99)).main);
        assert_ne!(blue.main, palette("red", icon, &mut Random::new(1)).main);
    }

    #[test]
    fn the_whole_name_of_an_icon_precedes_its_words() {
        let main = |name: &str| {
            let icon = embedded().iter().find(|icon| icon.name == name).unwrap();
            palette("", icon, &mut Random::new(1)).main
        };
        assert_eq!(main("fire-extinguisher"), main("siren"));
        assert_ne!(main("fire-extinguisher"), main("flame"));
    }
}
