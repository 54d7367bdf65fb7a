//! The main colours of a picture, and their names.

use crate::picture::from_display;

/// A colour in Oklab: lightness, green to red, blue to yellow.
///
/// In Oklab, equal distances look equal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Colour {
    pub lightness: f32,
    pub red: f32,
    pub yellow: f32,
}

impl Colour {
    /// Converts display values of 0 to 1.
    pub fn of([r, g, b]: [f32; 3]) -> Self {
        let [r, g, b] = [r, g, b].map(from_display);
        let l = (0.412_221_5 * r + 0.536_332_5 * g + 0.051_446 * b).cbrt();
        let m = (0.211_903_5 * r + 0.680_699_5 * g + 0.107_397 * b).cbrt();
        let s = (0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b).cbrt();
        Self {
            lightness: 0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s,
            red: 1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s,
            yellow: 0.025_904_037 * l + 0.782_771_77 * m - 0.808_675_77 * s,
        }
    }

    pub fn chroma(self) -> f32 {
        self.red.hypot(self.yellow)
    }

    fn apart(self, other: Self) -> f32 {
        // Hue distinguishes colours more than lightness does.
        let lightness = 0.7 * (self.lightness - other.lightness);
        lightness.powi(2) + (self.red - other.red).powi(2) + (self.yellow - other.yellow).powi(2)
    }

    /// Returns the nearest colour name.
    pub fn name(self) -> &'static str {
        let distance = |&(_, value): &(&str, u32)| {
            let part = |shift: u32| (value >> shift & 0xff) as f32 / 255.0;
            self.apart(Self::of([part(16), part(8), part(0)]))
        };
        // A colour with almost no chroma is grey, however close a tinted name is.
        let names = if self.chroma() < 0.01 { NAMES.get(..NEUTRAL) } else { Some(NAMES) };
        let nearest = names.unwrap_or_default().iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        nearest.map_or("grey", |(name, _)| name)
    }
}

/// Returns up to five colours with their shares of the picture, the largest first.
pub(super) fn palette(colours: &[Colour]) -> Vec<(Colour, f32)> {
    const COLOURS: usize = 5;
    const ROUNDS: usize = 12;
    let Some(mean) = mean(colours.iter()) else { return Vec::new() };
    // Each new centre is the colour that is furthest from all previous ones. k-means then refines them.
    let mut centres = vec![mean];
    while centres.len() < COLOURS {
        let nearest = |colour: &Colour| {
            centres.iter().map(|centre| centre.apart(*colour)).fold(f32::INFINITY, f32::min)
        };
        let Some(furthest) = colours.iter().max_by(|a, b| nearest(a).total_cmp(&nearest(b))) else { break };
        centres.push(*furthest);
    }
    let mut groups = Vec::new();
    for _ in 0..ROUNDS {
        groups = vec![Vec::new(); centres.len()];
        for colour in colours {
            let nearest = centres.iter().zip(&mut groups);
            let nearest = nearest.min_by(|(a, _), (b, _)| a.apart(*colour).total_cmp(&b.apart(*colour)));
            if let Some((_, group)) = nearest {
                group.push(*colour);
            }
        }
        groups.retain(|group| !group.is_empty());
        centres = groups.iter().filter_map(|group| self::mean(group.iter())).collect();
    }
    let shares = groups.iter().map(|group| group.len() as f32 / colours.len() as f32);
    let mut palette: Vec<(Colour, f32)> = centres.into_iter().zip(shares).collect();
    palette.sort_by(|a, b| b.1.total_cmp(&a.1));
    palette
}

fn mean<'a>(colours: impl Iterator<Item = &'a Colour>) -> Option<Colour> {
    let (mut lightness, mut red, mut yellow, mut count) = (0.0, 0.0, 0.0, 0.0_f32);
    for colour in colours {
        lightness += colour.lightness;
        red += colour.red;
        yellow += colour.yellow;
        count += 1.0;
    }
    (count > 0.0).then(|| Colour { lightness: lightness / count, red: red / count, yellow: yellow / count })
}

/// The number of grey names, which come first in [`NAMES`].
const NEUTRAL: usize = 6;

/// Common colour names with a typical value each.
const NAMES: &[(&str, u32)] = &[
    ("black", 0x10_1010),
    ("charcoal", 0x33_3438),
    ("dark grey", 0x55_5555),
    ("grey", 0x80_8080),
    ("light grey", 0xb4_b4b4),
    ("white", 0xfc_fcfc),
    ("off-white", 0xe8_e4dc),
    ("maroon", 0x6b_1420),
    ("deep red", 0x9c_1a1a),
    ("red", 0xd8_2420),
    ("coral", 0xf0_7058),
    ("salmon", 0xe8_a08c),
    ("dusty pink", 0xc8_9898),
    ("pink", 0xf4_a8c4),
    ("magenta", 0xc8_2890),
    ("plum", 0x60_2850),
    ("purple", 0x78_3ca8),
    ("lavender", 0xb8_a8dc),
    ("indigo", 0x34_2c78),
    ("navy", 0x14_2048),
    ("blue", 0x24_58c8),
    ("steel blue", 0x58_7c9c),
    ("slate grey", 0x58_6470),
    ("sky blue", 0x88_bce8),
    ("pale blue", 0xc0_d8e8),
    ("teal", 0x14_7c80),
    ("turquoise", 0x48_c8c0),
    ("deep green", 0x18_4c28),
    ("green", 0x38_9438),
    ("lime green", 0x98_d030),
    ("sage green", 0x98_a888),
    ("moss green", 0x68_7038),
    ("olive", 0x58_5828),
    ("mustard", 0xc8_9c28),
    ("golden yellow", 0xe8_b830),
    ("yellow", 0xf4_e040),
    ("cream", 0xf0_e4c4),
    ("beige", 0xd4_c0a0),
    ("sand", 0xc0_a478),
    ("tan", 0xb0_8858),
    ("taupe", 0x88_7868),
    ("orange", 0xf0_8424),
    ("burnt orange", 0xc0_5820),
    ("rust", 0x94_4420),
    ("brown", 0x78_4c2c),
    ("dark brown", 0x44_2c1c),
    ("umber", 0x58_4838),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_have_the_names_that_people_give_them() {
        for (value, name) in [
            ([0.0, 0.0, 0.0], "black"),
            ([1.0, 1.0, 1.0], "white"),
            ([0.9, 0.1, 0.1], "red"),
            ([0.1, 0.1, 0.3], "navy"),
            ([0.25, 0.6, 0.2], "green"),
            ([0.5, 0.5, 0.5], "grey"),
        ] {
            assert_eq!(Colour::of(value).name(), name);
        }
    }

    #[test]
    fn a_palette_finds_what_there_is_and_no_more() {
        let red = Colour::of([0.9, 0.1, 0.1]);
        let white = Colour::of([1.0, 1.0, 1.0]);
        let colours: Vec<Colour> = (0..100).map(|at| if at % 4 == 0 { red } else { white }).collect();
        let names: Vec<_> = palette(&colours).iter().map(|(colour, share)| (colour.name(), *share)).collect();
        assert_eq!(names, [("white", 0.75), ("red", 0.25)]);
        assert!(palette(&[]).is_empty());
    }
}
