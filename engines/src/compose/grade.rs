//! Colour grading: requested palettes, style references, moods and treatments.

use super::brief::Brief;
use super::colour::{Colour, Light};
use super::lexicon::Idea;
use super::maths::{mix, smooth};

/// The colour changes of a picture.
///
/// They are decided from a small preview, so that frames and rows can be graded separately.
pub(super) struct Grade {
    transfer: Option<(Transfer, f32)>,
    bands: Option<Bands>,
    mood: Mood,
}

/// The mean and the covariance of a picture's colours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Statistics {
    mean: [f32; 3],
    covariance: Matrix,
}

type Matrix = [[f64; 3]; 3];

/// A linear map between two colour distributions.
///
/// It gives colours with one set of statistics those of another.
struct Transfer {
    from: [f32; 3],
    to: [f32; 3],
    matrix: [[f32; 3]; 3],
}

/// Colours by the rank of a pixel's lightness.
///
/// Each colour covers a part of the picture in proportion to its weight.
struct Bands {
    /// The colours from dark to light.
    ///
    /// Each has the upper end of its ranks and the preview's mean lightness there.
    colours: Vec<(f32, Colour, f32)>,
    /// The fraction of the preview that is darker than each level.
    darker: Vec<f32>,
    /// How far hue and lightness move toward those of the bands, 0 to 1.
    hue: f32,
    lightness: f32,
}

#[derive(Debug, Clone, Copy)]
struct Mood {
    contrast: f32,
    saturation: f32,
    lift: f32,
    warmth: f32,
    steps: f32,
}

/// The requested settings besides the words.
pub(super) struct Wishes<'a> {
    /// Colours with weights.
    pub colours: &'a [(Colour, f32)],
    /// The statistics of all style references together, and their share.
    pub style: Option<(Statistics, f32)>,
    /// The contrast from 0, flat, to 1, the strongest. 0.5 leaves it unchanged.
    pub dynamics: f32,
    /// Whether the scene already uses the colours of the brief.
    pub painted: bool,
}

const LEVELS: usize = 64;

impl Grade {
    pub fn new(brief: &Brief, wishes: &Wishes<'_>, preview: &[Colour]) -> Self {
        let transfer =
            wishes.style.map(|(style, share)| (Transfer::new(&Statistics::of(preview), &style), share));
        let bands = if !wishes.colours.is_empty() {
            let whole: f32 = wishes.colours.iter().map(|(_, weight)| weight).sum();
            let share = 0.72 + 0.2 * whole.min(1.0);
            Some(Bands::new(wishes.colours, preview, share, 0.85 * share))
        } else if !wishes.painted && !brief.colours.is_empty() {
            let colours: Vec<_> = brief.colours.iter().map(|colour| (*colour, 1.0)).collect();
            Some(Bands::new(&colours, preview, 0.5, 0.12))
        } else {
            None
        };
        Self { transfer, bands, mood: Mood::of(brief, wishes.dynamics) }
    }

    /// Returns the graded colour of light.
    pub fn colour(&self, light: Light) -> Colour {
        let mut colour = shown(light);
        if let Some((transfer, share)) = &self.transfer {
            colour = colour.mix(transfer.of(colour), *share);
        }
        if let Some(bands) = &self.bands {
            colour = bands.of(colour);
        }
        self.mood.of_colour(colour)
    }
}

/// Converts light to a colour, with a soft limit for values that are too bright.
pub(super) fn shown(light: Light) -> Colour {
    const KNEE: f32 = 0.72;
    Colour::of(light.map(|value| {
        let value = value.max(0.0);
        if value <= KNEE {
            value
        } else {
            KNEE + (1.0 - KNEE) * (1.0 - (1.0 - KNEE) / (value - KNEE + 1.0 - KNEE))
        }
    }))
}

impl Statistics {
    pub fn of(colours: &[Colour]) -> Self {
        let count = colours.len().max(1) as f32;
        let mut mean = [0.0; 3];
        for colour in colours {
            mean.iter_mut().zip(vector(*colour)).for_each(|(mean, value)| *mean += value / count);
        }
        let mut covariance = [[0.0; 3]; 3];
        for colour in colours {
            let value = subtracted(vector(*colour), mean).map(f64::from);
            for (row, a) in covariance.iter_mut().zip(value) {
                row.iter_mut().zip(value).for_each(|(cell, b)| *cell += a * b / f64::from(count));
            }
        }
        Self { mean, covariance }
    }

    /// Averages several statistics.
    pub fn together(all: &[Self]) -> Option<Self> {
        let count = all.len() as f32;
        let first = all.first()?;
        let mut sum = Self { mean: [0.0; 3], covariance: [[0.0; 3]; 3] };
        for one in all {
            sum.mean.iter_mut().zip(one.mean).for_each(|(sum, value)| *sum += value / count);
            for (row, other) in sum.covariance.iter_mut().zip(one.covariance) {
                row.iter_mut().zip(other).for_each(|(sum, value)| *sum += value / f64::from(count));
            }
        }
        Some(if all.len() == 1 { *first } else { sum })
    }
}

impl Transfer {
    /// Creates the linear map that changes colours least (Monge-Kantorovich).
    fn new(from: &Statistics, to: &Statistics) -> Self {
        let root = power(from.covariance, true);
        let inverse = power(from.covariance, false);
        let middle = power(multiplied(multiplied(root, to.covariance), root), true);
        let matrix = multiplied(multiplied(inverse, middle), inverse).map(|row| row.map(|cell| cell as f32));
        Self { from: from.mean, to: to.mean, matrix }
    }

    fn of(&self, colour: Colour) -> Colour {
        let value = subtracted(vector(colour), self.from);
        let [lightness, red, yellow] =
            self.matrix.map(|row| row.iter().zip(value).map(|(a, b)| a * b).sum::<f32>());
        let [mean_lightness, mean_red, mean_yellow] = self.to;
        Colour { lightness: mean_lightness + lightness, red: mean_red + red, yellow: mean_yellow + yellow }
    }
}

fn vector(colour: Colour) -> [f32; 3] {
    [colour.lightness, colour.red, colour.yellow]
}

fn subtracted([a, b, c]: [f32; 3], [x, y, z]: [f32; 3]) -> [f32; 3] {
    [a - x, b - y, c - z]
}

fn multiplied(a: Matrix, b: Matrix) -> Matrix {
    let [x, y, z] = b;
    a.map(|[p, q, r]| {
        let mut row = [0.0; 3];
        for (((cell, x), y), z) in row.iter_mut().zip(x).zip(y).zip(z) {
            *cell = p * x + q * y + r * z;
        }
        row
    })
}

/// Returns the square root of a symmetric matrix, or the inverse of the root.
///
/// It uses the Denman-Beavers iteration.
fn power(matrix: Matrix, root: bool) -> Matrix {
    // A colour component without any variance can't be inverted.
    const FLOOR: f64 = 1e-6;
    let [[a, ..], [_, b, _], [.., c]] = matrix;
    let size = (a + b + c).max(1e-12);
    let mut y = matrix.map(|row| row.map(|cell| cell / size));
    for (at, row) in y.iter_mut().enumerate() {
        row.iter_mut().skip(at).take(1).for_each(|cell| *cell += FLOOR);
    }
    let mut z = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..32 {
        (y, z) = (halved(y, inverse(z)), halved(z, inverse(y)));
    }
    let (result, scale) = if root { (y, size.sqrt()) } else { (z, 1.0 / size.sqrt()) };
    result.map(|row| row.map(|cell| cell * scale))
}

fn halved(a: Matrix, b: Matrix) -> Matrix {
    let mut result = a;
    for (row, other) in result.iter_mut().zip(b) {
        row.iter_mut().zip(other).for_each(|(cell, other)| *cell = 0.5 * (*cell + other));
    }
    result
}

fn inverse([[a, b, c], [d, e, f], [g, h, i]]: Matrix) -> Matrix {
    let (p, q, r) = (e * i - f * h, f * g - d * i, d * h - e * g);
    let whole = a * p + b * q + c * r;
    let scale = if whole.abs() < 1e-30 { 0.0 } else { 1.0 / whole };
    [
        [p * scale, (c * h - b * i) * scale, (b * f - c * e) * scale],
        [q * scale, (a * i - c * g) * scale, (c * d - a * f) * scale],
        [r * scale, (b * g - a * h) * scale, (a * e - b * d) * scale],
    ]
}

impl Bands {
    fn new(colours: &[(Colour, f32)], preview: &[Colour], hue: f32, lightness: f32) -> Self {
        let mut levels: Vec<f32> = preview.iter().map(|colour| colour.lightness).collect();
        levels.sort_by(f32::total_cmp);
        let count = levels.len().max(1) as f32;
        let darker = (0..=LEVELS)
            .map(|level| levels.partition_point(|value| *value < level as f32 / LEVELS as f32) as f32 / count)
            .collect();
        let mut sorted = colours.to_vec();
        sorted.sort_by(|(a, _), (b, _)| a.lightness.total_cmp(&b.lightness));
        let whole: f32 = sorted.iter().map(|(_, weight)| weight).sum();
        let mut begin = 0.0;
        let bands = sorted
            .into_iter()
            .map(|(colour, weight)| {
                let end = begin + weight / whole.max(1e-6);
                let part = levels.get((begin * count) as usize..((end * count) as usize).min(levels.len()));
                let part = part.unwrap_or_default();
                let mean = part.iter().sum::<f32>() / part.len().max(1) as f32;
                begin = end;
                (end, colour, mean)
            })
            .collect();
        Self { colours: bands, darker, hue, lightness }
    }

    fn of(&self, colour: Colour) -> Colour {
        let place = colour.lightness.clamp(0.0, 1.0) * LEVELS as f32;
        let level = place as usize;
        let rank = match self.darker.get(level..level + 2) {
            Some(&[a, b]) => mix(a, b, place - level as f32),
            _ => 1.0,
        };
        let Some((first_end, first, first_mean)) = self.colours.first().copied() else { return colour };
        let (mut target, mut mean, mut begin) = (first, first_mean, first_end);
        for (end, next, next_mean) in self.colours.iter().skip(1) {
            // Neighbouring colours blend over a short range.
            let over = smooth(begin - 0.035, begin + 0.035, rank);
            target = target.mix(*next, over);
            mean = mix(mean, *next_mean, over);
            begin = *end;
        }
        let lightness = target.lightness + 0.7 * (colour.lightness - mean);
        Colour {
            lightness: mix(colour.lightness, lightness, self.lightness),
            red: mix(colour.red, target.red, self.hue),
            yellow: mix(colour.yellow, target.yellow, self.hue),
        }
    }
}

impl Mood {
    fn of(brief: &Brief, dynamics: f32) -> Self {
        let mut mood = Self {
            contrast: 0.82 + 0.4 * dynamics,
            saturation: 0.95 + 0.14 * dynamics,
            lift: 0.0,
            warmth: 0.0,
            steps: 0.0,
        };
        let changes: &[(Idea, f32, f32, f32, f32)] = &[
            (Idea::Dramatic, 1.2, 1.06, -0.015, 0.0),
            (Idea::Dark, 1.06, 0.92, -0.07, 0.0),
            (Idea::Bright, 0.97, 1.06, 0.05, 0.0),
            (Idea::Warm, 1.0, 1.05, 0.0, 0.028),
            (Idea::Cold, 1.0, 0.96, 0.0, -0.028),
            (Idea::Soft, 0.86, 0.95, 0.035, 0.006),
            (Idea::Calm, 0.94, 0.96, 0.01, 0.0),
            (Idea::Pastel, 0.72, 0.72, 0.13, 0.0),
            (Idea::Vivid, 1.1, 1.35, 0.0, 0.0),
            (Idea::Neon, 1.2, 1.4, -0.02, 0.0),
            (Idea::Mono, 1.12, 0.0, 0.0, 0.0),
            (Idea::Vintage, 0.85, 0.62, 0.04, 0.035),
            (Idea::Watercolour, 0.78, 1.02, 0.1, 0.004),
        ];
        for (idea, contrast, saturation, lift, warmth) in changes {
            if brief.has(*idea) {
                mood.contrast *= contrast;
                mood.saturation *= saturation;
                mood.lift += lift;
                mood.warmth += warmth;
            }
        }
        if brief.first(&[Idea::Flat, Idea::Pixels]).is_some() {
            mood.steps = if brief.has(Idea::Pixels) { 14.0 } else { 20.0 };
        }
        mood
    }

    fn of_colour(self, colour: Colour) -> Colour {
        // The contrast pivots around a middle grey and weakens toward black and white.
        let away = colour.lightness - 0.55;
        let room = 1.0 - (away * away * 3.2).min(1.0);
        let mut lightness =
            colour.lightness + away * (self.contrast - 1.0) * mix(0.35, 1.0, room) + self.lift;
        if self.steps > 0.0 {
            let place = lightness * self.steps;
            let step = place.floor();
            lightness = (step + smooth(0.42, 0.58, place - step)) / self.steps;
        }
        let vintage = self.warmth * smooth(0.0, 0.5, lightness);
        Colour {
            lightness: lightness.clamp(0.0, 1.0),
            red: colour.red * self.saturation + 0.25 * vintage,
            yellow: colour.yellow * self.saturation + vintage,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn cloud(seed: u64, mean: [f32; 3], spread: [f32; 3]) -> Vec<Colour> {
        let mut random = Random::new(seed);
        let mut value = |at: usize| mean[at] + spread[at] * random.normal() as f32;
        (0..4000).map(|_| Colour { lightness: value(0), red: value(1), yellow: value(2) }).collect()
    }

    #[test]
    fn a_transfer_gives_colours_the_statistics_of_others() {
        let ours = cloud(1, [0.6, 0.02, -0.05], [0.2, 0.03, 0.05]);
        let theirs = cloud(2, [0.4, -0.04, 0.08], [0.1, 0.06, 0.02]);
        let (from, to) = (Statistics::of(&ours), Statistics::of(&theirs));
        let transfer = Transfer::new(&from, &to);
        let moved: Vec<Colour> = ours.iter().map(|colour| transfer.of(*colour)).collect();
        let made = Statistics::of(&moved);
        for (a, b) in made.mean.iter().zip(to.mean) {
            assert!((a - b).abs() < 1e-3, "{made:?} {to:?}");
        }
        for (a, b) in made.covariance.iter().flatten().zip(to.covariance.iter().flatten()) {
            assert!((a - b).abs() < 2e-4, "{made:?} {to:?}");
        }
    }

    #[test]
    fn bands_have_the_shares_that_they_are_asked_to_have() {
        let preview = cloud(3, [0.5, 0.0, 0.0], [0.15, 0.0, 0.0]);
        let (dark, light) = (Colour::hex(0x10_2060), Colour::hex(0xf0_c040));
        let bands = Bands::new(&[(light, 0.25), (dark, 0.75)], &preview, 1.0, 1.0);
        let yellow = preview.iter().filter(|colour| bands.of(**colour).yellow > 0.0).count() as f32;
        assert!((yellow / preview.len() as f32 - 0.25).abs() < 0.06, "{yellow}");
    }
}
