//! Nebulae and planets.

use super::super::colour::{Light, Ramp, add, blend, over, scaled};
use super::super::maths::{glow, smooth, wave};
use super::super::noise::Tile;
use super::super::view::{Layer, Painter, View};

/// Clouds of glowing gas.
pub(super) struct Nebula {
    /// From dark to the brightest gas.
    pub colours: Ramp,
    pub place: (f32, f32),
    /// The direction of the band that contains it.
    pub tilt: f32,
    pub middle: f32,
}

impl Layer for Nebula {
    fn seen<'a>(&'a self, view: &View, tile: &'a Tile) -> Painter<'a> {
        let view = *view;
        Painter::new(move |y, row| {
            for (x, target) in view.xs().zip(row) {
                let x = x + 0.15 * view.pan;
                let drift = 0.004 * view.time;
                let (u, v) = (0.42 * x + self.place.0 + drift, 0.42 * y + self.place.1);
                let (bend_x, bend_y) = (tile.at(u, v), tile.at(u + 0.31, v - drift + 0.47));
                let gas = tile.fine(u + 0.55 * bend_x, v + 0.55 * bend_y);
                let dust = tile.fine(1.7 * u - 0.4 * bend_y, 1.7 * v + 0.4 * bend_x + 0.2);
                let away = y - self.middle - self.tilt * x;
                let band = glow(away * away / 0.09);
                let bright =
                    smooth(0.28, 0.95, gas * (0.35 + 0.85 * band)) * (1.0 - 0.75 * smooth(0.5, 0.75, dust));
                *target = self.colours.at(bright + 0.1 * band);
            }
        })
        .solid_from(f32::NEG_INFINITY)
    }
}

pub(super) struct Planet {
    pub middle: (f32, f32),
    pub radius: f32,
    /// The bands of its surface.
    pub surface: Ramp,
    pub air: Light,
    /// The direction of its sun: right, down, and toward the viewer.
    pub sun: [f32; 3],
    /// The amount of swirl in its bands.
    pub swirl: f32,
    pub ring: Option<Light>,
}

impl Planet {
    fn body(&self, (u, v): (f32, f32), square: f32, tile: &Tile, time: f32) -> Light {
        let depth = (1.0 - square).max(0.0).sqrt();
        let [sx, sy, sz] = self.sun;
        let day = smooth(-0.12, 0.75, u * sx + v * sy + depth * sz);
        let round = 1.0 + 0.35 * (1.0 - depth);
        let turn = 0.006 * time;
        let swirl = self.swirl * (tile.fine(0.6 * u * round + turn, 0.5 * v * round) - 0.5);
        let bands = tile.at(0.13 * (u * round + turn) + 0.2, 1.1 * v * round + swirl);
        let surface = self.surface.at(1.7 * bands - 0.35);
        let rim = smooth(0.55, 1.0, square);
        let mut light = scaled(surface, 0.015 + day);
        over(&mut light, scaled(self.air, 0.05 + 1.1 * day), 0.55 * rim * rim);
        light
    }
}

impl Layer for Planet {
    fn seen<'a>(&'a self, view: &View, tile: &'a Tile) -> Painter<'a> {
        let view = *view;
        let (cx, cy) = (self.middle.0 - 0.3 * view.pan, self.middle.1);
        Painter::new(move |y, row| {
            let v = (y - cy) / self.radius;
            for (x, target) in view.xs().zip(row) {
                let u = (x - cx) / self.radius;
                let square = u * u + v * v;
                if square > 9.0 {
                    continue;
                }
                let inside = ((1.0 - square.sqrt()) * self.radius / view.pixel() + 0.5).clamp(0.0, 1.0);
                if square > 1.0 {
                    let [sx, sy, _] = self.sun;
                    let side = ((u * sx + v * sy) / square.sqrt() + 0.35).clamp(0.0, 1.0);
                    add(target, self.air, 0.4 * side * glow((square - 1.0) * (square - 1.0) / 0.008));
                }
                if inside > 0.0 {
                    over(target, self.body((u, v), square, tile, view.time), inside);
                }
                if let Some(ring) = self.ring {
                    // A flat ring, seen from slightly above: it is in front below the centre, behind above
                    // it.
                    let tilted = v + 0.22 * u;
                    let reach = (u * u + 18.0 * tilted * tilted).sqrt();
                    let gaps = 0.62 + 0.38 * wave(5.0 * reach) * wave(1.9 * reach);
                    let band = smooth(1.35, 1.42, reach) * smooth(2.25, 2.1, reach) * gaps;
                    let hidden = tilted < 0.0 && square < 1.0;
                    if !hidden {
                        over(target, blend(ring, self.air, 0.2), 0.75 * band);
                    }
                }
            }
        })
    }
}
