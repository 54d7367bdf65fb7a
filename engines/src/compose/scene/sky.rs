//! The sky: its gradient, sun or moon, clouds, and the aurora.

use super::super::colour::{Light, Ramp, add, blend, over, scaled};
use super::super::maths::{glow, smooth};
use super::super::noise::{Tile, profile};
use super::super::palette::Palette;
use super::super::view::{Layer, Painter, View};

/// The sun or the moon.
#[derive(Debug, Clone, Copy)]
pub(super) struct Disc {
    pub x: f32,
    pub y: f32,
    pub radius: f32,
    pub light: Light,
    /// How far its glow spreads.
    pub halo: f32,
}

pub(super) struct Sky {
    pub colours: Ramp,
    /// The y at which it meets the ground.
    pub horizon: f32,
    pub disc: Option<Disc>,
}

/// A deck of clouds in front of the sky and its stars.
pub(super) struct Clouds {
    /// The y at which the sky meets the ground.
    pub horizon: f32,
    /// The disc that shines through them.
    pub disc: Option<Disc>,
    pub lit: Light,
    pub dark: Light,
    /// The fraction of the sky that they cover, 0 to 1.
    pub cover: f32,
    /// Their position in the noise.
    pub place: (f32, f32),
    /// Their drift per second.
    pub wind: f32,
    /// 0 for wisps, 1 for heaps.
    pub body: f32,
}

impl Layer for Sky {
    fn seen<'a>(&'a self, view: &View, _: &'a Tile) -> Painter<'a> {
        let view = *view;
        Painter::new(move |y, row| {
            let ground = self.colours.at(y / self.horizon.max(1e-3));
            row.fill(ground);
            if let Some(disc) = &self.disc {
                disc.shine(&view, y, row);
            }
        })
        .solid_from(f32::NEG_INFINITY)
    }
}

impl Disc {
    fn shine(&self, view: &View, y: f32, row: &mut [Light]) {
        let rise = y - self.y;
        for (x, target) in view.xs().zip(row) {
            let across = x + 0.03 * view.pan - self.x;
            let square = across * across + rise * rise;
            let wide = glow(square / (self.halo * self.halo));
            let near = glow(square / (self.radius * self.radius * 6.0));
            add(target, self.light, 0.34 * wide * wide + 0.3 * near * near);
            let edge = square.sqrt() - self.radius;
            let inside = (0.5 - edge / (1.5 * view.pixel())).clamp(0.0, 1.0);
            over(target, scaled(self.light, 1.15), inside);
        }
    }
}

impl Layer for Clouds {
    fn seen<'a>(&'a self, view: &View, tile: &'a Tile) -> Painter<'a> {
        let view = *view;
        Painter::new(move |y, row| self.paint(&view, tile, y, row))
    }
}

impl Clouds {
    fn paint(&self, view: &View, tile: &Tile, y: f32, row: &mut [Light]) {
        let above = self.horizon - y;
        if above < 0.0 {
            return;
        }
        // A flat deck seen from below: clouds come closer together toward the horizon.
        let near = 1.0 / (above + 0.22);
        let veil = smooth(0.0, 0.10, above);
        let threshold = 0.5 + (0.5 - self.cover) * 0.52;
        let deck = self.place.1 + 0.42 * near;
        let sun = self.disc.map_or(0.0, |disc| disc.x);
        for (x, target) in view.xs().zip(row) {
            let x_here = self.place.0 + 0.34 * (x + 0.06 * view.pan) * near + self.wind * view.time;
            let body = tile.fine(x_here, deck);
            let density = smooth(threshold - 0.03, threshold + 0.22 - 0.12 * self.body, body) * veil;
            if density <= 0.0 {
                continue;
            }
            let toward = 0.022 * ((sun - x) * 3.0).clamp(-1.0, 1.0);
            let slope = body - tile.at(x_here + toward, deck - 0.03);
            let thin = 1.0 - smooth(threshold, threshold + 0.3, body);
            let side = (0.35 + 2.6 * slope + 0.5 * thin).clamp(0.0, 1.0);
            let mut light = blend(self.dark, self.lit, side);
            if let Some(disc) = &self.disc {
                let (dx, dy) = (x - disc.x, y - disc.y);
                let square = (dx * dx + dy * dy) / (4.0 * disc.halo * disc.halo);
                add(&mut light, disc.light, 0.22 * glow(square) * thin);
            }
            over(target, light, density * (0.72 + 0.25 * self.body));
        }
    }
}

/// Curtains of light in the night sky.
pub(super) struct Aurora {
    pub seed: u64,
    pub lights: [Light; 2],
    pub height: f32,
}

impl Layer for Aurora {
    fn seen<'a>(&'a self, view: &View, tile: &'a Tile) -> Painter<'a> {
        let columns: Vec<[(f32, f32); 2]> = view
            .xs()
            .map(|x| {
                let curtain = |number: u64| {
                    let drift = 0.05 * view.time * (1.0 + number as f32);
                    let foot = self.height * (0.72 - 0.22 * number as f32)
                        + 0.28 * (profile(self.seed + number, 1.3 * x + drift, 3, 0.45) - 0.5);
                    let folds =
                        tile.at(1.9 * x + 0.4 * number as f32 + drift, 0.1 * view.time.min(60.0) * 0.2);
                    (foot, (1.4 * (folds - 0.28)).clamp(0.0, 1.0))
                };
                [curtain(0), curtain(1)]
            })
            .collect();
        Painter::new(move |y, row| {
            for (curtains, target) in columns.iter().zip(row) {
                for ((foot, strength), number) in curtains.iter().zip([0.0_f32, 1.0]) {
                    let above = foot - y;
                    let shape =
                        if above > 0.0 { glow(above * above / 0.035) } else { glow(above * above / 0.0006) };
                    let light = blend(self.lights[0], self.lights[1], (above * 3.2).clamp(0.0, 1.0));
                    add(target, light, shape * strength * (0.75 - 0.3 * number));
                }
            }
        })
    }
}

/// Fog in front of the layers behind it.
pub(super) struct Veil {
    pub light: Light,
    /// The y of the thickest fog, and how far it reaches up and down.
    pub middle: f32,
    pub reach: f32,
    pub amount: f32,
    pub drift: f32,
}

impl Veil {
    pub fn of(palette: &Palette, middle: f32, reach: f32, amount: f32) -> Self {
        Self { light: palette.haze, middle, reach, amount, drift: 0.012 }
    }
}

impl Layer for Veil {
    fn seen<'a>(&'a self, view: &View, tile: &'a Tile) -> Painter<'a> {
        let view = *view;
        Painter::new(move |y, row| {
            let away = (y - self.middle) / self.reach;
            let thick = smooth(1.0, 0.0, away.abs()) * self.amount;
            if thick <= 0.004 {
                return;
            }
            for (x, target) in view.xs().zip(row) {
                let patches = tile.at(0.45 * (x + 0.4 * view.pan) + self.drift * view.time, 1.1 * y);
                over(target, self.light, (thick * (0.45 + 1.1 * patches)).clamp(0.0, 1.0));
            }
        })
    }
}
