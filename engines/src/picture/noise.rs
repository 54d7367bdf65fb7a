//! Noise by seed and position, so that a picture can be processed in any order.

use super::Plane;
use crate::random::hash_at as hash;

/// Returns film grain for some rows of a picture.
///
/// It is normally distributed with variance 1, and a little coarser than a pixel. Each value depends only on
/// the seed and the position, so that bands of a picture fit together.
pub(crate) fn grain(seed: u64, width: usize, first_row: usize, rows: usize) -> Plane {
    // The squares of the three taps sum to one in each direction, which keeps the variance.
    const SIDE: f32 = 0.267_261_24;
    const MIDDLE: f32 = 0.925_820_1;
    let seed = hash(seed, u64::MAX);
    let white: Vec<Vec<f32>> =
        (0..rows + 2).map(|y| white_row(hash(seed, (first_row + y) as u64), width + 2)).collect();
    let soft: Vec<Vec<f32>> = white
        .iter()
        .map(|row| {
            let (left, middle, right) = (row.iter(), row.iter().skip(1), row.iter().skip(2));
            left.zip(middle).zip(right).map(|((l, m), r)| SIDE * (l + r) + MIDDLE * m).collect()
        })
        .collect();
    let mut plane = Plane::new(width, rows);
    for (target, around) in plane.rows_mut().zip(soft.windows(3)) {
        let [above, here, below] = around else { continue };
        for (((target, a), h), b) in target.iter_mut().zip(above).zip(here).zip(below) {
            *target = SIDE * (a + b) + MIDDLE * h;
        }
    }
    plane
}

/// Returns independent, roughly normal values.
///
/// Each is the sum of four uniform values, which is close enough and needs no logarithm.
fn white_row(seed: u64, width: usize) -> Vec<f32> {
    const SCALE: f32 = 1.732_050_8 / 65_536.0;
    (0..width as u64)
        .map(|x| {
            let bits = hash(seed, x);
            let sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
            (sum as f32 - 131_070.0) * SCALE
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grain_has_mean_zero_and_variance_one() {
        let plane = grain(7, 300, 0, 300);
        let count = plane.values().len() as f32;
        let mean = plane.values().iter().sum::<f32>() / count;
        let variance = plane.values().iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
    }

    #[test]
    fn bands_of_grain_fit_together() {
        let whole = grain(7, 50, 0, 20);
        let lower = grain(7, 50, 12, 8);
        assert_eq!(whole.row(12), lower.row(0));
        assert_ne!(grain(8, 50, 0, 20), whole);
    }
}
