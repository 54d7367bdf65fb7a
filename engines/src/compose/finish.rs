//! Turns colours into pixels with vignette, paper texture and grain.

use super::brief::Brief;
use super::colour::Colour;
use super::colour::Light;
use super::grade::Grade;
use super::lexicon::Idea;
use super::maths::{mix, smooth};
use super::noise::Tile;
use super::view::View;
use crate::picture::{GRAIN, grain, grain_weight, quantise, to_display};

/// The surface effects of a picture.
pub(super) struct Finish {
    vignette: f32,
    grain: f32,
    paper: bool,
}

/// The lightness of a structure reference, and its share in the result.
#[derive(Clone)]
pub(super) struct Structure {
    pub width: usize,
    pub lightness: Vec<f32>,
    pub share: f32,
}

impl Structure {
    /// Returns the lightness at a position. Both coordinates are 0 to 1.
    fn at(&self, u: f32, v: f32) -> f32 {
        let height = self.lightness.len() / self.width.max(1);
        let place = |at: f32, length: usize| {
            let at = (at * length as f32 - 0.5).clamp(0.0, length.saturating_sub(1) as f32);
            (at as usize, at - at.floor())
        };
        let ((x, across), (y, down)) = (place(u, self.width), place(v, height));
        let value = |x: usize, y: usize| {
            let (x, y) = (x.min(self.width.saturating_sub(1)), y.min(height.saturating_sub(1)));
            self.lightness.get(y * self.width + x).copied().unwrap_or_default()
        };
        let above = mix(value(x, y), value(x + 1, y), across);
        let below = mix(value(x, y + 1), value(x + 1, y + 1), across);
        mix(above, below, down)
    }
}

impl Finish {
    /// Chooses the effects for a brief.
    ///
    /// `grain` scales the amount of grain. 1 is normal.
    pub fn of(brief: &Brief, grain: f32) -> Self {
        let dramatic = brief.first(&[Idea::Dramatic, Idea::Vintage, Idea::Dark]).is_some();
        let clean = brief.first(&[Idea::Flat, Idea::Minimal, Idea::Pixels, Idea::Pattern]).is_some();
        let film = brief.first(&[Idea::Grain, Idea::Vintage, Idea::Mono]).is_some();
        Self {
            vignette: match (clean, dramatic) {
                (true, _) => 0.0,
                (_, true) => 0.42,
                _ => 0.16,
            },
            grain: match (film, clean) {
                (true, _) => 0.3 * GRAIN * grain,
                (_, true) => 0.0,
                _ => 0.09 * GRAIN * grain,
            },
            paper: brief.has(Idea::Watercolour),
        }
    }

    /// Converts a row of light to pixels.
    pub fn row(
        &self,
        (view, number, seed): (&View, usize, u64),
        (light, grade, structure): (&[Light], &Grade, Option<&Structure>),
        tile: &Tile,
        pixels: &mut Vec<[u8; 3]>,
    ) {
        pixels.clear();
        let y = view.y(number);
        let v = y / view.bottom() - 0.5;
        // A trace of noise is always added, because it prevents banding in gradients.
        let noise = grain(seed, view.width, number, 1);
        for ((x, light), noise) in view.xs().zip(light).zip(noise.values()) {
            let u = 0.5 * x / view.side();
            let corner = smooth(0.12, 0.75, u * u + v * v);
            let mut light = *light;
            light.iter_mut().for_each(|value| *value *= 1.0 - self.vignette * corner);
            let mut colour = grade.colour(light);
            if let Some(structure) = structure {
                colour.lightness = mix(colour.lightness, structure.at(u + 0.5, v + 0.5), structure.share);
            }
            if self.paper {
                colour = on_paper(colour, tile, (x, y), (u, v));
            }
            let added = noise * (0.0016 + self.grain * grain_weight(colour.lightness));
            pixels.push(colour.light().map(|value| quantise(to_display(value) + added)));
        }
    }
}

/// Simulates watercolour on rough paper with unpainted edges.
fn on_paper(colour: Colour, tile: &Tile, (x, y): (f32, f32), (u, v): (f32, f32)) -> Colour {
    let pool = tile.fine(0.55 * x + 0.2, 0.55 * y + 0.6) - 0.5;
    let tooth = tile.at(9.0 * x, 9.0 * y) - 0.5;
    let edge = 0.5 - u.abs().max(v.abs()) + 0.05 * (tile.fine(1.3 * x, 1.3 * y) - 0.5);
    let wash = smooth(0.008, 0.022, edge);
    // Pigment collects at the edge of a wash.
    let rim = wash * smooth(0.05, 0.02, edge);
    let painted = Colour {
        lightness: (colour.lightness + 0.16 * pool + 0.05 * tooth - 0.05 * rim).min(0.985),
        ..colour
    }
    .saturated(1.0 - 0.9 * pool + 0.3 * rim);
    let paper = Colour { lightness: 0.975 + 0.03 * tooth, red: 0.001, yellow: 0.008 };
    paper.mix(painted, wash)
}
