//! The main colours of a picture, and their names.

use crate::picture::Colour;

/// Returns the nearest colour name.
pub(super) fn name(colour: Colour) -> &'static str {
    let names = NAMES.lines().filter_map(|line| line.split_once(' '));
    // A colour with almost no chroma gets a neutral name, even if a tinted name is closer.
    let names = names.take(if colour.chroma() < 0.01 { NEUTRAL } else { usize::MAX });
    let distance = |value: &str| {
        colour.squared_distance(Colour::hex(u32::from_str_radix(value, 16).unwrap_or_default()))
    };
    let nearest = names.min_by(|(a, _), (b, _)| distance(a).total_cmp(&distance(b)));
    nearest.map_or("grey", |(_, name)| name)
}

/// Returns up to five colours with their shares of the picture, the largest first.
pub(super) fn palette(colours: &[Colour]) -> Vec<(Colour, f32)> {
    const COLOURS: usize = 5;
    const ROUNDS: usize = 12;
    let Some(mean) = mean(colours) else { return Vec::new() };
    // Each new centre is the colour that is furthest from all previous ones. k-means then refines them.
    let mut centres = vec![mean];
    while centres.len() < COLOURS {
        let nearest = |colour: &Colour| {
            centres.iter().map(|centre| centre.squared_distance(*colour)).fold(f32::INFINITY, f32::min)
        };
        let Some(furthest) = colours.iter().max_by(|a, b| nearest(a).total_cmp(&nearest(b))) else { break };
        centres.push(*furthest);
    }
    let mut groups = Vec::new();
    for _ in 0..ROUNDS {
        groups = vec![Vec::new(); centres.len()];
        for colour in colours {
            let nearest = centres.iter().zip(&mut groups);
            let nearest = nearest
                .min_by(|(a, _), (b, _)| a.squared_distance(*colour).total_cmp(&b.squared_distance(*colour)));
            if let Some((_, group)) = nearest {
                group.push(*colour);
            }
        }
        groups.retain(|group| !group.is_empty());
        centres = groups.iter().filter_map(|group| self::mean(group)).collect();
    }
    let shares = groups.iter().map(|group| group.len() as f32 / colours.len() as f32);
    let mut palette: Vec<(Colour, f32)> = centres.into_iter().zip(shares).collect();
    palette.sort_by(|a, b| b.1.total_cmp(&a.1));
    palette
}

fn mean(colours: &[Colour]) -> Option<Colour> {
    let mean = |value: fn(&Colour) -> f32| colours.iter().map(value).sum::<f32>() / colours.len() as f32;
    let (lightness, red, yellow) = (mean(|one| one.lightness), mean(|one| one.red), mean(|one| one.yellow));
    (!colours.is_empty()).then_some(Colour { lightness, red, yellow })
}

/// Common colour names with a typical value each, as `rrggbb`.
///
/// The neutral ones (black, greys, white) come first.
const NAMES: &str = include_str!("../../data/colours.txt");

/// The number of neutral names.
const NEUTRAL: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_have_the_names_that_people_give_them() {
        for (value, expected) in [
            ([0.0, 0.0, 0.0], "black"),
            ([1.0, 1.0, 1.0], "white"),
            ([0.9, 0.1, 0.1], "red"),
            ([0.1, 0.1, 0.3], "navy"),
            ([0.25, 0.6, 0.2], "green"),
            ([0.5, 0.5, 0.5], "grey"),
        ] {
            assert_eq!(name(Colour::of(value)), expected);
        }
    }

    #[test]
    fn a_palette_has_only_colours_of_the_picture() {
        let red = Colour::of([0.9, 0.1, 0.1]);
        let white = Colour::of([1.0, 1.0, 1.0]);
        let colours: Vec<Colour> = (0..100).map(|at| if at % 4 == 0 { red } else { white }).collect();
        let names: Vec<_> = palette(&colours).iter().map(|(colour, share)| (name(*colour), *share)).collect();
        assert_eq!(names, [("white", 0.75), ("red", 0.25)]);
        assert!(palette(&[]).is_empty());
    }
}
