//! City silhouettes with lit windows.

use super::super::colour::{Light, blend, over, scaled};
use super::super::maths::{smooth, wave};
use super::super::noise::{Tile, unit};
use super::super::view::{Layer, Painter, View};
use crate::picture::hash;
use crate::random::Random;

#[derive(Debug, Clone, Copy)]
struct Building {
    left: f32,
    right: f32,
    top: f32,
    tone: f32,
    seed: u64,
    /// The height of a spire on top, or 0.
    spire: f32,
}

/// Buildings at one distance.
pub(super) struct City {
    buildings: Vec<Building>,
    base: f32,
    /// The colours of walls, at the top and at street level.
    pub wall: Light,
    pub street: Light,
    /// The two colours of lit windows, and the share of windows that are lit.
    pub windows: [Light; 2],
    pub lit: f32,
    pub near: f32,
    /// The size of a window.
    pitch: f32,
}

impl City {
    /// Builds them up to `height` along a street that reaches `side` to each side.
    pub fn build(base: f32, height: f32, side: f32, near: f32, random: &mut Random) -> Self {
        let mut buildings = Vec::new();
        let side = side + 0.3 + 0.4 * near;
        let width = 0.035 + 0.05 * near;
        // The tallest buildings stand together.
        let centre = random.range(-0.3, 0.3) as f32;
        let mut x = -side;
        while x < side && buildings.len() < 400 {
            let wide = width * random.range(0.7, 1.8) as f32;
            let away = ((x - centre) / (0.55 * side.max(0.3))).abs();
            let tall = height * (0.28 + 0.72 * smooth(1.1, 0.0, away)) * random.range(0.35, 1.0) as f32;
            let seed = random.next();
            let tone = random.range(0.8, 1.2) as f32;
            let building = Building { left: x, right: x + wide, top: base - tall, tone, seed, spire: 0.0 };
            buildings.push(building);
            // Setbacks: some tall buildings get a narrower top, some of these a spire.
            if tall > 0.5 * height && random.chance(0.6) {
                let (inset, more) =
                    (wide * random.range(0.15, 0.3) as f32, tall * random.range(0.08, 0.3) as f32);
                let spire = if random.chance(0.4) { more * random.range(0.6, 1.6) as f32 } else { 0.0 };
                let (left, right) = (x + inset, x + wide - inset);
                buildings.push(Building { left, right, top: base - tall - more, spire, ..building });
            }
            x += wide * random.range(0.82, 1.12) as f32;
        }
        let pitch = 0.0075 + 0.006 * near;
        let dark = [0.0; 3];
        Self { buildings, base, wall: dark, street: dark, windows: [dark; 2], lit: 0.0, near, pitch }
    }
}

impl Building {
    /// Returns the kind of light and the brightness of a lit window at a position.
    fn window(&self, (x, y): (f32, f32), pitch: f32, share: f32, view: &View) -> Option<(f32, f32)> {
        let (across, along) = ((x - self.left) / pitch, (y - self.top) / (1.25 * pitch));
        if along < 0.8 || across < 0.35 || (self.right - x) / pitch < 0.35 {
            return None;
        }
        let floor = hash(self.seed, along as u64);
        let bits = hash(floor, across as u64);
        // Windows on one floor tend to be lit or dark together.
        if unit(bits) > share * (0.35 + 1.3 * unit(floor)) {
            return None;
        }
        let (u, v) = (across - across.floor(), along - along.floor());
        let soft = (view.pixel() / pitch).min(0.4);
        let inside = smooth(0.14 - soft, 0.14 + soft, u)
            * smooth(0.86 + soft, 0.86 - soft, u)
            * smooth(0.2 - soft, 0.2 + soft, v)
            * smooth(0.8 + soft, 0.8 - soft, v);
        let phase = unit(bits << 13);
        let flicker = 1.0 - 0.3 * smooth(0.97, 1.0, wave(phase + 0.13 * view.time * phase));
        Some((unit(bits << 7), inside * (0.35 + 0.65 * unit(bits << 19)) * flicker))
    }
}

impl Layer for City {
    fn seen<'a>(&'a self, view: &View, tile: &'a Tile) -> Painter<'a> {
        let view = *view;
        let shift = view.pan * self.near;
        let tallest = self.buildings.iter().map(|b| b.base_to_top(self.base)).fold(1e-3, f32::max);
        Painter::new(move |y, row| {
            let height = ((self.base - y) / tallest).clamp(0.0, 1.0);
            let wall = blend(self.street, self.wall, smooth(0.0, 0.8, height));
            for building in &self.buildings {
                let spire = spire(building, y);
                if y < building.top - view.pixel() && spire <= 0.0 {
                    continue;
                }
                let middle = 0.5 * (building.left + building.right);
                let (left, right) = if y < building.top - view.pixel() {
                    (middle - spire, middle + spire)
                } else {
                    (building.left, building.right)
                };
                let rise = ((y - building.top) / view.pixel() + 0.5).clamp(0.0, 1.0).max(if spire > 0.0 {
                    1.0
                } else {
                    0.0
                });
                for (at, target) in super::between(&view, left - shift, right - shift, row) {
                    let x = at + shift;
                    let sides = ((x - left).min(right - x) / view.pixel() + 0.5).clamp(0.0, 1.0);
                    let panel = 0.94 + 0.12 * tile.at(9.0 * x, 1.2 * y);
                    let side = 1.08 - 0.16 * ((x - left) / (right - left)).clamp(0.0, 1.0);
                    over(target, scaled(wall, building.tone * panel * side), sides * rise);
                    if y > building.top
                        && y < self.base
                        && let Some((which, bright)) = building.window((x, y), self.pitch, self.lit, &view)
                    {
                        let [warm, cold] = self.windows;
                        over(target, blend(warm, cold, smooth(0.6, 0.9, which)), bright * sides);
                    }
                }
            }
            if y > self.base {
                row.fill(self.street);
            }
        })
        .solid_from(self.base)
    }
}

impl Building {
    fn base_to_top(&self, base: f32) -> f32 {
        base - self.top
    }
}

/// Returns half the width of a building's spire at a height.
fn spire(building: &Building, y: f32) -> f32 {
    if building.spire <= 0.0 || y >= building.top || y < building.top - building.spire {
        return 0.0;
    }
    0.0012 + 0.004 * (1.0 - (building.top - y) / building.spire)
}
