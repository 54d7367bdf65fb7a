//! Noise in one and two dimensions.
//!
//! Two-dimensional noise is computed once, as a tile that repeats without a seam, and then looked up. Videos
//! need it for each pixel of each frame.

use super::maths::{mix, smooth};
use crate::picture::hash;

const SIDE: usize = 512;
/// The number of cells of the coarsest octave along a side.
const COARSEST: usize = 4;
const OCTAVES: usize = 6;
const DEVIATION: f32 = 0.16;

/// Fractal gradient noise with a mean of 0.5, nearly all of it between 0 and 1.
pub(super) struct Tile {
    values: Vec<f32>,
}

impl Tile {
    /// Creates a tile.
    ///
    /// `detail`, from 0 to 1, is the strength of fine structure relative to coarse structure.
    pub fn new(seed: u64, detail: f32) -> Self {
        let mut values = vec![0.5; SIDE * SIDE];
        let mut weight = 0.55;
        for octave in 0..OCTAVES {
            let cells = COARSEST << octave;
            let lattice = Lattice::new(hash(seed, octave as u64), cells);
            for (y, row) in values.chunks_exact_mut(SIDE).enumerate() {
                lattice.add(weight, y as f32 * cells as f32 / SIDE as f32, row);
            }
            weight *= 0.44 + 0.16 * detail;
        }
        // The same share is above a threshold for every seed.
        let count = values.len() as f32;
        let mean = values.iter().sum::<f32>() / count;
        let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f32>() / count;
        let scale = DEVIATION / variance.sqrt().max(1e-6);
        values.iter_mut().for_each(|value| *value = 0.5 + (*value - mean) * scale);
        Self { values }
    }

    /// Returns the noise at a position.
    ///
    /// The tile has a width and height of 1. Its coarsest structures measure about a quarter of that.
    pub fn at(&self, x: f32, y: f32) -> f32 {
        let (column, across) = place(x);
        let (row, down) = place(y);
        let (next_column, next_row) = ((column + 1) % SIDE, (row + 1) % SIDE);
        let value = |column: usize, row: usize| self.values.get(row * SIDE + column).copied().unwrap_or(0.5);
        let above = mix(value(column, row), value(next_column, row), across);
        let below = mix(value(column, next_row), value(next_column, next_row), across);
        mix(above, below, down)
    }

    /// Returns noise with finer structure than one tile has.
    pub fn fine(&self, x: f32, y: f32) -> f32 {
        let (coarse, fine) = (self.at(x, y), self.at(5.3 * x + 0.37, 5.3 * y + 0.71));
        coarse + 0.3 * (fine - 0.5)
    }
}

fn place(at: f32) -> (usize, f32) {
    let at = (at - at.floor()) * SIDE as f32;
    let step = (at as usize).min(SIDE - 1);
    (step, at - step as f32)
}

/// One octave: gradients at the corners of cells.
struct Lattice {
    cells: usize,
    gradients: Vec<[f32; 2]>,
}

impl Lattice {
    fn new(seed: u64, cells: usize) -> Self {
        let gradient = |at: usize| {
            let bits = hash(seed, at as u64);
            let part = |shift: u32| (bits >> shift & 0xffff) as f32 / 32_767.5 - 1.0;
            [part(0), part(16)]
        };
        Self { cells, gradients: (0..cells * cells).map(gradient).collect() }
    }

    fn add(&self, weight: f32, y: f32, row: &mut [f32]) {
        let step = self.cells as f32 / SIDE as f32;
        let (top, dy) = (y as usize, y - y.floor());
        let fade_y = smooth(0.0, 1.0, dy);
        for (x, target) in row.iter_mut().enumerate() {
            let x = x as f32 * step;
            let (left, dx) = (x as usize, x - x.floor());
            let slope = |column: usize, row: usize, dx: f32, dy: f32| {
                let at = row % self.cells * self.cells + column % self.cells;
                self.gradients.get(at).map_or(0.0, |[gx, gy]| gx * dx + gy * dy)
            };
            let fade_x = smooth(0.0, 1.0, dx);
            let above = mix(slope(left, top, dx, dy), slope(left + 1, top, dx - 1.0, dy), fade_x);
            let below =
                mix(slope(left, top + 1, dx, dy - 1.0), slope(left + 1, top + 1, dx - 1.0, dy - 1.0), fade_x);
            *target += weight * mix(above, below, fade_y);
        }
    }
}

/// Returns noise along a line, 0 to 1.
pub(super) fn line(seed: u64, x: f32) -> f32 {
    let cell = x.floor();
    let value = |cell: f32| unit(hash(seed, cell as i64 as u64));
    mix(value(cell), value(cell + 1.0), smooth(0.0, 1.0, x - cell))
}

/// Returns fractal noise along a line, 0 to 1.
///
/// Each octave has `roughness` times the weight of the previous one.
pub(super) fn profile(seed: u64, x: f32, octaves: u32, roughness: f32) -> f32 {
    let (mut sum, mut whole, mut weight, mut scale) = (0.0, 0.0, 1.0, 1.0);
    for octave in 0..octaves {
        sum += weight * line(hash(seed, u64::from(octave)), x * scale);
        whole += weight;
        weight *= roughness;
        scale *= 2.03;
    }
    sum / whole
}

/// Returns fractal noise with sharp crests along a line, 0 to 1.
pub(super) fn crests(seed: u64, x: f32, octaves: u32, roughness: f32) -> f32 {
    let (mut sum, mut whole, mut weight, mut scale) = (0.0, 0.0, 1.0, 1.0);
    for octave in 0..octaves {
        let fold = 1.0 - (2.0 * line(hash(seed, u64::from(octave)), x * scale) - 1.0).abs();
        sum += weight * fold * if octave == 0 { 1.0 } else { 0.35 + 0.65 * sum / whole };
        whole += weight;
        weight *= roughness;
        scale *= 2.07;
    }
    sum / whole
}

/// Converts random bits to a number from 0 up to, but not including, 1.
pub(super) fn unit(bits: u64) -> f32 {
    (bits >> 40) as f32 / (1_u64 << 24) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_repeats_without_a_seam_and_keeps_its_range() {
        let tile = Tile::new(3, 0.5);
        let mean = tile.values.iter().sum::<f32>() / tile.values.len() as f32;
        assert!((mean - 0.5).abs() < 0.001, "{mean}");
        let outside = tile.values.iter().filter(|value| !(0.0..=1.0).contains(*value)).count();
        assert!(outside < tile.values.len() / 100, "{outside}");
        for step in 0..50_u8 {
            let at = f32::from(step) / 50.0;
            assert!((tile.at(0.0, at) - tile.at(0.999_99, at)).abs() < 0.02);
            assert_eq!(tile.at(at, 0.25), tile.at(at, 1.25));
        }
    }

    #[test]
    fn lines_are_continuous_and_differ_by_seed() {
        for step in 0..400_u16 {
            let x = f32::from(step) / 20.0 - 10.0;
            for height in [profile(1, x, 6, 0.5), crests(1, x, 6, 0.5)] {
                assert!((0.0..=1.0).contains(&height));
            }
            assert!((line(1, x) - line(1, x + 1e-3)).abs() < 0.01);
        }
        assert_ne!(profile(1, 0.3, 6, 0.5), profile(2, 0.3, 6, 0.5));
    }
}
