//! Transfers the result of the finest searched level to the full picture.

use super::Canvas;
use super::level::Level;
use super::search::Matches;
use crate::{Failure, Job};

/// Fills the unknown pixels of a picture `scale` times larger than the level.
///
/// With a scale of 1 it copies the level's pixels. Otherwise each pixel is copied from the match of the
/// patches around it, and so keeps the sharpness of the full picture. Borders between differently matched
/// areas are blended.
pub(super) fn transfer(
    canvas: &mut Canvas,
    level: &Level,
    matches: &Matches,
    seam: &[[f32; 4]],
    scale: usize,
    job: &Job,
) -> Result<(), Failure> {
    let width = canvas.width;
    let mut row = Vec::with_capacity(width);
    for y in 0..canvas.pixels.len() / width {
        if y % 64 == 0 {
            job.check()?;
        }
        row.clear();
        let unknown = canvas.unknown.get(y * width..(y + 1) * width).unwrap_or_default();
        for x in unknown.iter().enumerate().filter(|(_, unknown)| **unknown).map(|(x, _)| x) {
            let value = if scale == 1 {
                let at = y * width + x;
                let seam = seam.get(at).copied().unwrap_or_default();
                added(level.pixel(at).map(f32::from), seam)
            } else {
                moved(canvas, level, matches, seam, scale, (x, y))
            };
            row.push((y * width + x, value));
        }
        for (at, value) in row.drain(..) {
            if let Some(pixel) = canvas.pixels.get_mut(at) {
                *pixel = value;
            }
        }
    }
    Ok(())
}

fn added(value: [f32; 4], seam: [f32; 4]) -> [u8; 4] {
    let [[r, g, b, a], [seam_r, seam_g, seam_b, seam_a]] = [value, seam];
    [r + seam_r, g + seam_g, b + seam_b, a + seam_a].map(|value| (value + 0.5) as u8)
}

fn moved(
    canvas: &Canvas,
    level: &Level,
    matches: &Matches,
    seam: &[[f32; 4]],
    scale: usize,
    (x, y): (usize, usize),
) -> [u8; 4] {
    let height = canvas.pixels.len() / canvas.width;
    let across = Cells::around(x, scale, level.width);
    let down = Cells::around(y, scale, level.height());
    let (mut value, mut correction, mut weights) = ([0.0_f32; 4], [0.0_f32; 4], 0.0);
    for (cell_y, weight_y, smooth_y) in down.each() {
        for (cell_x, weight_x, smooth_x) in across.each() {
            let at = cell_y * level.width + cell_x;
            if let Some(seam) = seam.get(at) {
                correction.iter_mut().zip(seam).for_each(|(sum, seam)| *sum += seam * smooth_x * smooth_y);
            }
            let Some((from_x, from_y)) = matches.source_position(cell_x, cell_y) else { continue };
            let from = |here: usize, from: usize, cell: usize, length: usize| {
                (here + from * scale).saturating_sub(cell * scale).min(length - 1)
            };
            let (from_x, from_y) = (from(x, from_x, cell_x, canvas.width), from(y, from_y, cell_y, height));
            let at = from_y * canvas.width + from_x;
            if canvas.unknown.get(at) == Some(&false)
                && let Some(pixel) = canvas.pixels.get(at)
            {
                let weight = weight_x * weight_y + 1e-4;
                value.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += weight * f32::from(*value));
                weights += weight;
            }
        }
    }
    if weights == 0.0 {
        // No match leads to a known pixel. This only happens in the corners of tiny pictures.
        let at = (y / scale).min(level.height() - 1) * level.width + (x / scale).min(level.width - 1);
        return level.pixel(at);
    }
    added(value.map(|sum| sum / weights), correction)
}

/// The two cells of a level that surround a pixel along one axis.
struct Cells {
    first: usize,
    second: usize,
    part: f32,
}

impl Cells {
    fn around(at: usize, scale: usize, length: usize) -> Self {
        let position = ((at as f32 + 0.5) / scale as f32 - 0.5).max(0.0);
        let first = (position as usize).min(length - 1);
        Self { first, second: (first + 1).min(length - 1), part: position - first as f32 }
    }

    /// Returns each cell with two weights.
    ///
    /// The first is for copied pixels and changes over quickly, so that little is blended. The second is
    /// linear, for values that are smooth anyway.
    fn each(&self) -> [(usize, f32, f32); 2] {
        let part = self.part.clamp(0.0, 1.0);
        let quick = ((part - 0.25) * 2.0).clamp(0.0, 1.0);
        let quick = quick * quick * (3.0 - 2.0 * quick);
        [(self.first, 1.0 - quick, 1.0 - part), (self.second, quick, part)]
    }
}
