//! Abstract layers: flowing sheets, soft fields of colour, and tilings.

use super::super::colour::{Colour, Light, add, blend, over, scaled};
use super::super::maths::{glow, mix, smooth, wave};
use super::super::noise::{Tile, profile, unit};
use super::super::view::{Layer, Painter, View};
use crate::picture::hash;

/// A sheet with a wavy edge.
///
/// It covers everything below and casts a shadow on everything above.
pub(super) struct Sheet {
    pub seed: u64,
    pub base: f32,
    pub swing: f32,
    pub waves: f32,
    pub tilt: f32,
    /// The colours at its edge and far below it.
    pub edge: Light,
    pub body: Light,
    pub speed: f32,
    pub near: f32,
}

impl Layer for Sheet {
    fn seen<'a>(&'a self, view: &View, tile: &'a Tile) -> Painter<'a> {
        let view = *view;
        let phase = unit(hash(self.seed, 1));
        let tops: Vec<f32> = view
            .xs()
            .map(|x| {
                let x = x + view.pan * self.near;
                let long = wave(self.waves * x + phase + self.speed * view.time);
                let short = wave(2.3 * self.waves * x + 3.0 * phase - 1.7 * self.speed * view.time);
                self.base + self.tilt * x + self.swing * (0.75 * long + 0.25 * short)
            })
            .collect();
        let lowest = tops.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        Painter::new(move |y, row| {
            for ((x, top), target) in view.xs().zip(&tops).zip(row) {
                let depth = y - top;
                if depth < -0.07 {
                    continue;
                }
                if depth < 0.0 {
                    let shadow = smooth(-0.07, 0.0, depth);
                    *target = scaled(*target, 1.0 - 0.4 * shadow * shadow);
                }
                let cover = (depth / view.pixel() + 0.5).clamp(0.0, 1.0);
                let silk = tile.at(0.5 * x + phase, 0.5 * depth + phase) - 0.5;
                let light = blend(self.edge, self.body, smooth(0.0, 0.42, depth + 0.25 * silk));
                let rim = 1.0 + 0.35 * glow(depth * depth / 0.000_06);
                over(target, scaled(light, rim), cover);
            }
        })
        .solid_from(lowest + view.pixel())
    }
}

/// Soft spots of colour that blend into each other.
pub(super) struct Mesh {
    /// Position, colour, weight, and the phase of its slow movement.
    pub spots: Vec<((f32, f32), Colour, f32, f32)>,
    /// How far noise bends the borders.
    pub bend: f32,
}

impl Layer for Mesh {
    fn seen<'a>(&'a self, view: &View, tile: &'a Tile) -> Painter<'a> {
        let view = *view;
        let spots: Vec<_> = self
            .spots
            .iter()
            .map(|((x, y), colour, weight, phase)| {
                let turn = 0.04 * view.time + phase;
                ((x + 0.12 * wave(turn), y + 0.09 * wave(1.3 * turn + 0.25)), *colour, *weight)
            })
            .collect();
        Painter::new(move |y, row| {
            for (x, target) in view.xs().zip(row) {
                let warp =
                    |offset: f32| self.bend * (tile.at(0.21 * x + offset, 0.21 * y + 0.01 * view.time) - 0.5);
                let (u, v) = (x + view.pan * 0.2 + warp(0.13), y + warp(0.57));
                let mut sum = Colour::default();
                let mut whole = 1e-6;
                for ((sx, sy), colour, weight) in &spots {
                    let square = (u - sx) * (u - sx) + (v - sy) * (v - sy);
                    let share = weight / (0.018 + square * (0.35 + square));
                    sum.lightness += share * colour.lightness;
                    sum.red += share * colour.red;
                    sum.yellow += share * colour.yellow;
                    whole += share;
                }
                let scale = 1.0 / whole;
                let mean = Colour {
                    lightness: sum.lightness * scale,
                    red: sum.red * scale,
                    yellow: sum.yellow * scale,
                };
                *target = mean.light().map(|value| value.clamp(0.0, 1.0));
            }
        })
        .solid_from(f32::NEG_INFINITY)
    }
}

/// The shape of a tiling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tiling {
    Triangles,
    Hexagons,
    Scales,
    Arcs,
}

pub(super) struct Pattern {
    pub seed: u64,
    pub tiling: Tiling,
    /// The side of a tile.
    pub size: f32,
    pub colours: Vec<Light>,
    /// 0 gives each tile a random colour; 1 lays colours over the picture in bands.
    pub order: f32,
}

impl Pattern {
    /// Returns the colour of a tile by its centre.
    fn colour(&self, cell: (i64, i64, i64), (x, y): (f32, f32), tile: &Tile, time: f32) -> Light {
        let bits = hash(hash(hash(self.seed, cell.0 as u64), cell.1 as u64), cell.2 as u64);
        let chance = unit(bits);
        let band = tile.at(0.3 * x + 0.015 * time, 0.3 * y + unit(self.seed)) * 1.8 - 0.4;
        let at = mix(chance, band + 0.16 * (chance - 0.5), self.order).clamp(0.0, 0.999)
            * self.colours.len() as f32;
        let light = self.colours.get(at as usize).copied().unwrap_or_default();
        scaled(light, 0.9 + 0.2 * unit(bits << 9))
    }

    fn at(&self, x: f32, y: f32, view: &View, tile: &Tile) -> Light {
        let soft = view.pixel() / self.size;
        match self.tiling {
            Tiling::Triangles => {
                // A skewed grid whose cells are split in two.
                let (v, u) = (y / (0.866 * self.size), x / self.size - 0.5 * y / (0.866 * self.size));
                let (column, row) = (u.floor(), v.floor());
                let upper = (u - column) + (v - row) > 1.0;
                let part = if upper { 2.0 / 3.0 } else { 1.0 / 3.0 };
                let (cu, cv) = (column + part, row + part);
                let centre = ((cu + 0.5 * cv) * self.size, cv * 0.866 * self.size);
                self.colour((column as i64, row as i64, i64::from(upper)), centre, tile, view.time)
            }
            Tiling::Hexagons => {
                let (u, v) = (x / self.size, y / (0.866 * self.size));
                let nearest = |shift: f32| {
                    let row = 2.0 * ((v - shift) * 0.5).round() + shift;
                    let column = (u - 0.5 * shift).round() + 0.5 * shift;
                    let (dx, dy) = (u - column, (v - row) * 0.866);
                    (dx * dx + dy * dy, column, row)
                };
                let (even, odd) = (nearest(0.0), nearest(1.0));
                let ((near, column, row), (other, ..)) =
                    if even.0 < odd.0 { (even, odd) } else { (odd, even) };
                let cell = ((2.0 * column) as i64, row as i64, 0);
                let light = self.colour(cell, (column * self.size, row * 0.866 * self.size), tile, view.time);
                let border = (other.sqrt() - near.sqrt()).min(1.0 - 2.0 * (u - column).abs());
                scaled(light, 0.62 + 0.38 * smooth(0.02, 0.05 + 2.0 * soft, border))
            }
            Tiling::Scales => {
                // Rows of discs, each row in front of the one above it.
                let half = 0.5 * self.size;
                let base = (y / (0.5 * half)).floor() as i64;
                for row in (base..=base + 2).rev() {
                    let odd = if row.rem_euclid(2) == 1 { half } else { 0.0 };
                    let column = ((x - odd) / self.size).round();
                    let (cx, cy) = (column * self.size + odd, row as f32 * 0.5 * half);
                    let distance = ((x - cx) * (x - cx) + (y - cy) * (y - cy)).sqrt() / half;
                    if distance < 1.0 {
                        let rings = 0.5 + 0.5 * wave(2.5 * distance + 0.25);
                        let light = self.colour((column as i64, row, 0), (cx, cy), tile, view.time);
                        let line = smooth(0.5 - 6.0 * soft, 0.5 + 6.0 * soft, rings);
                        return scaled(light, 0.55 + 0.45 * line);
                    }
                }
                self.colours.first().copied().unwrap_or_default()
            }
            Tiling::Arcs => {
                // Truchet tiles: randomly turned quarter circles join into endless lines.
                let (column, row) = ((x / self.size).floor(), (y / self.size).floor());
                let (u, v) = (x / self.size - column, y / self.size - row);
                let bits = hash(hash(self.seed, column as i64 as u64), row as i64 as u64);
                let u = if bits & 1 == 0 { u } else { 1.0 - u };
                let near = (u * u + v * v).sqrt();
                let far = ((1.0 - u) * (1.0 - u) + (1.0 - v) * (1.0 - v)).sqrt();
                let line = (near - 0.5).abs().min((far - 0.5).abs());
                let centre = ((column + 0.5) * self.size, (row + 0.5) * self.size);
                let below = self.colour((0, 0, 7), (0.4 * centre.0, 0.4 * centre.1), tile, view.time);
                let above = self.colour((1, 0, 3), (0.5 * centre.0 + 3.0, 0.5 * centre.1), tile, view.time);
                let rings =
                    smooth(0.17 + soft, 0.17 - soft, line) - 0.65 * smooth(0.07 + soft, 0.07 - soft, line);
                blend(below, above, rings)
            }
        }
    }
}

impl Layer for Pattern {
    fn seen<'a>(&'a self, view: &View, tile: &'a Tile) -> Painter<'a> {
        let view = *view;
        // Four samples per pixel smooth the edges.
        let step = 0.25 * view.pixel();
        Painter::new(move |y, row| {
            for (x, target) in view.xs().zip(row) {
                let x = x + 0.5 * view.pan + 4.0;
                let mut sum = [0.0; 3];
                for (dx, dy) in [(-1.0, -0.4), (0.4, -1.0), (1.0, 0.4), (-0.4, 1.0)] {
                    add(&mut sum, self.at(x + dx * step, y + 4.0 + dy * step, &view, tile), 0.25);
                }
                *target = sum;
            }
        })
        .solid_from(f32::NEG_INFINITY)
    }
}

/// Studio light on a backdrop.
///
/// It is bright behind the place of a person and dark at the corners.
pub(super) struct Studio {
    pub bright: Light,
    pub dark: Light,
    pub floor: Light,
    /// The centre of the light, and the y where the backdrop bends into the floor.
    pub middle: (f32, f32),
    pub bend: f32,
    pub seed: u64,
}

impl Layer for Studio {
    fn seen<'a>(&'a self, view: &View, tile: &'a Tile) -> Painter<'a> {
        let view = *view;
        Painter::new(move |y, row| {
            let floor = smooth(self.bend - 0.04, self.bend + 0.12, y);
            let edge = glow((y - self.bend) * (y - self.bend) / 0.0009);
            for (x, target) in view.xs().zip(row) {
                let breath = 1.0 + 0.05 * wave(0.11 * view.time);
                let (dx, dy) = (x - self.middle.0 + 0.3 * view.pan, 0.85 * (y - self.middle.1));
                let cloth = tile.at(0.33 * x + 0.1, 0.21 * y) - 0.5;
                let fall = glow((dx * dx + dy * dy) * (7.0 + 4.0 * cloth) / breath);
                let wall = blend(self.dark, self.bright, fall * fall * 1.15);
                let ground = blend(
                    self.dark,
                    self.floor,
                    glow((dx * dx * 5.0) + 14.0 * (y - self.bend) * (y - self.bend)),
                );
                let paper = 1.0 + 0.05 * (profile(self.seed, 5.0 * x, 2, 0.5) - 0.5);
                *target = scaled(blend(wall, ground, floor), paper * (1.0 - 0.12 * edge));
            }
        })
        .solid_from(f32::NEG_INFINITY)
    }
}
