//! Lanczos resampling by whole factors, and correction against the source.

use crate::picture::{Plane, from_display, pad, to_display, weigh};

/// The kernel's radius in source pixels.
const LOBES: usize = 3;
/// The number of taps of a result pixel along one axis.
const TAPS: usize = 2 * LOBES + 1;
/// Rounds of back-projection.
///
/// On photographs, a second round gains a twentieth of a decibel and raises noise.
const ROUNDS: usize = 1;
/// The share of the error that a round corrects.
///
/// It is below 1, because few pictures were averaged by a sensor alone.
const STEP: f32 = 0.75;

/// The radius of source pixels that affect a result pixel, with back-projection.
pub(super) const REACH: usize = LOBES * (ROUNDS + 1);

/// The weights of the source pixels for each sub-pixel position along one axis.
pub(super) struct Kernel {
    phases: Vec<[f32; TAPS]>,
}

impl Kernel {
    /// Creates the Lanczos kernel that enlarges a picture by `factor`.
    pub fn new(factor: usize) -> Self {
        Self::of(factor, lanczos)
    }

    /// Creates the kernel for linear interpolation.
    ///
    /// Its results never leave the range of their neighbours.
    pub fn linear(factor: usize) -> Self {
        Self::of(factor, |at| (1.0 - at.abs()).max(0.0))
    }

    fn of(factor: usize, weight: impl Fn(f32) -> f32) -> Self {
        let phase = |phase: usize| {
            let centre = (phase as f32 + 0.5) / factor as f32 - 0.5;
            let taps: [f32; TAPS] = std::array::from_fn(|tap| weight(tap as f32 - LOBES as f32 - centre));
            let sum: f32 = taps.iter().sum();
            taps.map(|weight| weight / sum)
        };
        Self { phases: (0..factor).map(phase).collect() }
    }

    fn factor(&self) -> usize {
        self.phases.len()
    }

    /// Corrects the source by iterative back-projection.
    ///
    /// It brings the light of the enlargement, averaged over each source pixel's area as by a sensor, closer
    /// to the source.
    ///
    /// The kernel works on display values, and only the averaging works on light. Negative kernel weights on
    /// light would draw dark seams beside bright areas, which costs a decibel on photographs.
    pub fn project_back(&self, source: &Plane) -> Plane {
        let mut corrected = source.clone();
        for _ in 0..ROUNDS {
            let seen = self.seen(&corrected);
            let missing = source.zip(&seen, |source, seen| source - seen);
            corrected = corrected.zip(&missing, |corrected, missing| corrected + STEP * missing);
        }
        corrected
    }

    /// Returns the enlargement as seen by a sensor with the source's pixels.
    fn seen(&self, source: &Plane) -> Plane {
        // Enlarged rows need much memory but share their neighbours, so a few are made at a time.
        const AT_ONCE: usize = 16;
        let factor = self.factor();
        let area = (factor * factor) as f32;
        let mut seen = Plane::new(source.width(), source.height());
        for (chunk, targets) in seen.values_mut().chunks_mut(source.width() * AT_ONCE).enumerate() {
            let targets = targets.chunks_exact_mut(source.width());
            let large = self.enlarge(source, chunk * AT_ONCE, targets.len());
            for (y, target) in targets.enumerate() {
                for row in y * factor..(y + 1) * factor {
                    let pixels = large.row(row as isize).chunks_exact(factor);
                    for (target, pixels) in target.iter_mut().zip(pixels) {
                        *target += pixels.iter().map(|&value| from_display(value)).sum::<f32>();
                    }
                }
                target.iter_mut().for_each(|light| *light = to_display(*light / area));
            }
        }
        seen
    }

    /// Enlarges `count` rows of the source from row `first`.
    pub fn enlarge(&self, source: &Plane, first: usize, count: usize) -> Plane {
        let factor = self.factor();
        let across: Vec<Vec<f32>> = (0..count + 2 * LOBES)
            .map(|row| self.enlarge_row(source.row(first as isize + row as isize - LOBES as isize)))
            .collect();
        let mut result = Plane::new(source.width() * factor, count * factor);
        let targets = result.rows_mut();
        let windows =
            across.windows(TAPS).flat_map(|rows| self.phases.iter().map(move |phase| (rows, phase)));
        for (target, (rows, phase)) in targets.zip(windows) {
            for (row, weight) in rows.iter().zip(phase) {
                target.iter_mut().zip(row).for_each(|(target, value)| *target += weight * value);
            }
        }
        result
    }

    fn enlarge_row(&self, row: &[f32]) -> Vec<f32> {
        let mut padded = Vec::new();
        pad(row, LOBES, &mut padded);
        let mut result = vec![0.0; row.len() * self.factor()];
        let mut weighed = vec![0.0; row.len()];
        for (at, phase) in self.phases.iter().enumerate() {
            weigh(&padded, phase, &mut weighed);
            for (target, sum) in result.iter_mut().skip(at).step_by(self.factor()).zip(&weighed) {
                *target = *sum;
            }
        }
        result
    }
}

fn lanczos(at: f32) -> f32 {
    let lobes = LOBES as f32;
    if at == 0.0 {
        1.0
    } else if at.abs() < lobes {
        let angle = std::f32::consts::PI * at;
        lobes * angle.sin() * (angle / lobes).sin() / (angle * angle)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_plane_stays_flat() {
        for factor in [1, 2, 3, 16] {
            let kernel = Kernel::new(factor);
            let plane = Plane::from_fn(9, 5, |_, _| 0.4);
            let large = kernel.enlarge(&kernel.project_back(&plane), 0, 5);
            assert_eq!((large.width(), large.height()), (9 * factor, 5 * factor));
            assert!(large.values().iter().all(|value| (value - 0.4).abs() < 1e-5));
        }
    }

    #[test]
    fn back_projection_reduces_the_error_of_the_downscaled_result() {
        let source = Plane::from_fn(24, 24, |x, y| 0.3 + ((x * 7 + y * 13) % 5) as f32 / 20.0);
        let kernel = Kernel::new(4);
        let error = |plane: &Plane| {
            let seen = kernel.seen(plane);
            seen.zip(&source, |a, b| (a - b).powi(2)).values().iter().sum::<f32>()
        };
        let (plain, corrected) = (error(&source), error(&kernel.project_back(&source)));
        assert!(corrected < plain / 2.0, "{corrected} {plain}");
    }
}
