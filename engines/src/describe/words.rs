//! Describes a picture in words, by its measures.

use super::colour::name;
use super::measure::{Cell, Lines, Measures};

/// The minimum share of a main colour.
///
/// A colour with a smaller share can be an accent.
const SHARE: f32 = 0.08;
/// The chroma above which a colour is visible as a colour instead of a tint of grey.
const COLOURFUL: f32 = 0.04;

/// Writes a prompt for a picture that looks similar.
pub(super) fn describe(measures: &Measures) -> String {
    let sentences = [format(measures), light(measures), structure(measures), composition(measures)];
    sentences.into_iter().filter(|sentence| !sentence.is_empty()).collect::<Vec<_>>().join(" ")
}

fn format(measures: &Measures) -> String {
    let format = match measures.aspect {
        2.0.. => "A panoramic picture",
        1.05.. => "A landscape-format picture",
        0.95.. => "A square picture",
        0.5.. => "A portrait-format picture",
        _ => "A tall, narrow picture",
    };
    let grey = measures.chroma < 0.012;
    let (main, accent) = colours(measures);
    let tones = if grey {
        String::from(" in black and white")
    } else {
        let temperature = match measures.warmth {
            0.02.. => "warm",
            ..=-0.015 => "cool",
            _ => "neutral",
        };
        let strength = match measures.chroma {
            0.12.. => "vivid",
            0.06.. => "rich",
            0.03.. => "muted",
            _ => "pale",
        };
        format!(" in {strength}, {temperature} colours")
    };
    let accent = accent.map(|accent| format!(", with an accent of {accent}")).unwrap_or_default();
    format!("{format}{tones}: {}{accent}.", list(&main))
}

/// Returns the names of the main colours, and of an accent: a colour with a small share that stands out.
fn colours(measures: &Measures) -> (Vec<&'static str>, Option<&'static str>) {
    let mut main: Vec<&'static str> = Vec::new();
    for (colour, share) in &measures.palette {
        if *share >= SHARE && !main.contains(&name(*colour)) {
            main.push(name(*colour));
        }
    }
    let accent = measures
        .palette
        .iter()
        .filter(|(colour, share)| {
            *share < SHARE && *share > 0.004 && colour.chroma() > COLOURFUL.max(measures.chroma)
        })
        .max_by(|a, b| a.0.chroma().total_cmp(&b.0.chroma()))
        .map(|(colour, _)| name(*colour))
        .filter(|name| !main.contains(name));
    (main, accent)
}

fn light(measures: &Measures) -> String {
    let key = match measures.middle {
        0.72.. => "Bright, high-key light",
        0.55.. => "Bright light",
        0.32.. => "Balanced light",
        0.16.. => "Subdued light",
        _ => "Dark, low-key light",
    };
    let contrast = match measures.light - measures.dark {
        0.8.. => "strong contrast from deep shadows to bright highlights",
        0.55.. => "clear contrast",
        0.3.. => "gentle contrast",
        _ => "very little contrast",
    };
    let position = measures.brightest.map(|cell| format!(", brightest {}", at(cell))).unwrap_or_default();
    format!("{key} with {contrast}{position}.")
}

fn structure(measures: &Measures) -> String {
    let texture = match measures.structure {
        0.06.. => "Dense, fine texture throughout",
        0.03.. => "Much texture",
        0.012.. => "Some texture between calm areas",
        _ => "Smooth, calm surfaces",
    };
    let position = measures.busiest.map(|cell| format!(", most detail {}", at(cell))).unwrap_or_default();
    let lines = match measures.lines {
        Lines::Horizontal => "; lines run mostly horizontally",
        Lines::Vertical => "; lines run mostly vertically",
        Lines::Diagonal => "; lines run mostly diagonally",
        Lines::Every => "",
    };
    format!("{texture}{position}{lines}.")
}

fn composition(measures: &Measures) -> String {
    const ALIKE: f32 = 0.8;
    match (measures.left_right > ALIKE, measures.top_bottom > ALIKE) {
        (true, true) => "A composition that is symmetrical in both directions.".into(),
        (true, false) => "A composition whose left and right mirror each other.".into(),
        (false, true) => "A composition whose upper and lower halves mirror each other.".into(),
        (false, false) => String::new(),
    }
}

fn at(Cell { column, row }: Cell) -> &'static str {
    match (row, column) {
        (0, 0) => "in the upper left",
        (0, 1) => "at the top",
        (0, _) => "in the upper right",
        (1, 0) => "on the left",
        (1, 1) => "in the middle",
        (1, _) => "on the right",
        (_, 0) => "in the lower left",
        (_, 1) => "at the bottom",
        _ => "in the lower right",
    }
}

/// Joins words as `a`, `a and b`, or `a, b and c`.
fn list(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [word] => (*word).into(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
