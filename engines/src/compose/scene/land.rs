//! Ridges of mountains, hills and dunes, and the ground in front.

use super::super::colour::{Light, blend, over};
use super::super::maths::{smooth, wave};
use super::super::noise::{Tile, crests, profile, unit};
use super::super::view::{Layer, Painter, View};
use crate::picture::hash;

/// The outline of a ridge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outline {
    Crags,
    Rolling,
    Dunes,
}

pub(super) struct Ridge {
    pub seed: u64,
    pub outline: Outline,
    /// The mean y, the rise above it, and the number of crests in a scene's width.
    pub base: f32,
    pub rise: f32,
    pub crests: f32,
    /// The lit side, the shaded side, and the colour that its foot fades to.
    pub lit: Light,
    pub shade: Light,
    pub foot: Light,
    /// The amount of mist at the foot.
    pub mist: f32,
    /// Lit snow, shaded snow, and the part of the rise that they cover.
    pub snow: Option<(Light, Light, f32)>,
    /// The roughness of its surface.
    pub relief: f32,
    /// How far it moves with the camera.
    pub near: f32,
    /// The direction of the light, -1 to 1.
    pub light_from: f32,
}

impl Ridge {
    /// Returns the y of the upper edge at a position.
    pub fn top(&self, x: f32) -> f32 {
        let along = x * self.crests + unit(hash(self.seed, 9)) * 64.0;
        let height = match self.outline {
            Outline::Crags => 1.25 * crests(self.seed, along, 7, 0.47) - 0.2,
            Outline::Rolling => profile(self.seed, along, 3, 0.34),
            Outline::Dunes => {
                0.7 * crests(self.seed, along, 2, 0.25) + 0.3 * profile(self.seed + 1, along, 1, 0.5)
            }
        };
        self.base - self.rise * height
    }
}

impl Layer for Ridge {
    fn seen<'a>(&'a self, view: &View, tile: &'a Tile) -> Painter<'a> {
        let view = *view;
        let shift = view.pan * self.near;
        // The upper edge at each column, and its slope toward the light.
        let edges: Vec<(f32, f32)> = view
            .xs()
            .map(|x| x + shift)
            .map(|x| (self.top(x), (self.top(x + 0.012) - self.top(x - 0.012)) * self.light_from))
            .collect();
        let highest = edges.iter().map(|(top, _)| *top).fold(f32::INFINITY, f32::min);
        let lowest = edges.iter().map(|(top, _)| *top).fold(f32::NEG_INFINITY, f32::max);
        let place = unit(hash(self.seed, 5));
        // Far surfaces appear smaller.
        let scale = 0.5 + 0.9 / (0.25 + self.rise);
        Painter::new(move |y, row| {
            if y < highest - view.pixel() {
                return;
            }
            let down = smooth(self.base - 0.75 * self.rise, self.base + 0.25 * self.rise, y) * self.mist;
            for ((x, (top, slope)), target) in view.xs().zip(&edges).zip(row) {
                let cover = ((y - top) / view.pixel() + 0.5).clamp(0.0, 1.0);
                if cover <= 0.0 {
                    continue;
                }
                let x = x + shift;
                let (u, v) = (x * scale * 0.36 + place, y * scale * 0.5 + place);
                let rough = match self.outline {
                    Outline::Crags => {
                        // Gullies run down from the crest.
                        let skewed = u + 0.18 * (y - top) * scale * self.light_from;
                        tile.fine(skewed, v) - tile.fine(skewed - 0.012 * self.light_from, v - 0.012)
                    }
                    Outline::Rolling => 0.3 * (tile.fine(1.2 * u, 3.4 * v) - 0.5),
                    Outline::Dunes => 0.035 * wave(34.0 * v + 4.0 * tile.at(u, v) + 3.0 * u),
                };
                let crest = smooth(0.22 * self.rise, 0.0, y - top);
                let fall =
                    if self.outline == Outline::Dunes { 22.0 + 16.0 * crest } else { 10.0 + 14.0 * crest };
                let side = (0.5 + self.relief * 5.0 * rough + slope * fall).clamp(0.0, 1.0);
                let mut light = blend(self.shade, self.lit, side);
                if let Some((lit, shade, line)) = self.snow {
                    let level = (self.base - y) / self.rise + 1.4 * (tile.fine(1.7 * u, 1.7 * v) - 0.5)
                        - 1.2 * rough.abs();
                    let lies = smooth(line - 0.04, line + 0.04, level);
                    light = blend(light, blend(shade, lit, (side * 1.25 - 0.1).clamp(0.0, 1.0)), lies);
                }
                over(&mut light, self.foot, down);
                over(target, light, cover);
            }
        })
        .solid_from(lowest + view.pixel())
    }
}

/// Open ground that reaches to the front: grass or sand, optionally with flowers.
pub(super) struct Ground {
    /// Its upper edge.
    pub edge: Ridge,
    /// The colour and the share of flowers.
    pub flowers: Option<(Light, f32)>,
    /// The visibility of blades or ripples.
    pub texture: f32,
}

impl Layer for Ground {
    fn seen<'a>(&'a self, view: &View, tile: &'a Tile) -> Painter<'a> {
        let view = *view;
        let edge = &self.edge;
        let tops: Vec<f32> = view.xs().map(|x| edge.top(x + view.pan * edge.near)).collect();
        let lowest = tops.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let under = edge.seen(&view, tile);
        let height = view.bottom() - edge.base + edge.rise;
        Painter::new(move |y, row| {
            under.paint(y, row);
            for ((x, top), target) in view.xs().zip(&tops).zip(row) {
                let depth = y - top;
                if depth <= 0.0 {
                    continue;
                }
                let near = (depth / height).clamp(0.0, 1.0);
                let far = 1.0 / (0.08 + near);
                // Near things move more with the camera.
                let x = x + view.pan * edge.near * (1.0 + 0.8 * near);
                let sway = 0.006 * near * wave(0.4 * view.time + 2.0 * x);
                let (u, v) = ((x + sway) * far, far * 0.7);
                let blades = tile.fine(1.9 * u, 0.55 * v + 0.4 * y) - 0.5;
                let tone = 1.0 + self.texture * 1.25 * blades * smooth(0.0, 0.08, near) - 0.18 * near;
                target.iter_mut().for_each(|value| *value *= tone.clamp(0.25, 1.9));
                if let Some((light, share)) = self.flowers {
                    flower(tile, edge.seed, (u, v), share * smooth(0.02, 0.2, near), light, tone, target);
                }
            }
        })
        .solid_from(lowest + view.pixel())
    }
}

/// Paints a flower if one grows at a position.
///
/// Some cells of a grid on the ground contain one flower each, at a random position.
fn flower(
    tile: &Tile,
    seed: u64,
    (u, v): (f32, f32),
    share: f32,
    light: Light,
    tone: f32,
    target: &mut Light,
) {
    let (across, along) = (u * 15.0, v * 13.0);
    let cell = (across.floor(), along.floor());
    let bits = hash(hash(seed, cell.0 as i64 as u64), cell.1 as i64 as u64);
    let patches = tile.at(0.09 * u + 0.3, 0.2 * v) * 2.0 - 0.45;
    if unit(bits) > share * patches {
        return;
    }
    let place = |shift: u32| 0.24 + 0.52 * (bits >> shift & 0xff) as f32 / 255.0;
    let (dx, dy) = (across - cell.0 - place(0), along - cell.1 - place(8));
    let size = 0.16 + 0.22 * place(16);
    let inside = smooth(size * size, 0.3 * size * size, dx * dx + 1.6 * dy * dy);
    over(target, light.map(|value| value * (0.75 + 0.25 * tone)), inside);
}
