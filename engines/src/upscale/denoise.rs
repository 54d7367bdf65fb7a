//! Noise measurement, and noise removal by non-local means.

use crate::picture::{Picture, Plane, box_mean, pad};

/// The radius of the search for similar patches.
const SEARCH: usize = 4;
/// The radius of a patch.
const PATCH: usize = 2;

/// The radius around a pixel that affects its result.
pub(super) const REACH: usize = SEARCH + PATCH;

/// Removes noise of this standard deviation from the channels.
///
/// Similarity is measured on brightness, where noise is lowest.
pub(super) fn denoise(channels: &[Plane; 3], brightness: &Plane, noise: f32) -> [Plane; 3] {
    let (width, height) = (brightness.width(), brightness.height());
    let expected = 2.0 * noise * noise;
    let scale = 1.0 / (0.6 * noise).powi(2).max(1e-9);
    let padded = Padded::new(brightness);
    let padded_channels = channels.each_ref().map(Padded::new);
    let mut weights = Plane::new(width, height);
    let mut sums = [(); 3].map(|()| Plane::new(width, height));
    for (down, right) in (0..=2 * SEARCH).flat_map(|down| (0..=2 * SEARCH).map(move |right| (down, right))) {
        let mut difference = Plane::new(width, height);
        for (y, target) in difference.rows_mut().enumerate() {
            let pair = padded.row(y, right, down).iter().zip(brightness.row(y as isize));
            target.iter_mut().zip(pair).for_each(|(target, (there, here))| *target = (there - here).powi(2));
        }
        let weight = box_mean(&difference, PATCH)
            .map(|distance| negative_exponential((distance - expected).max(0.0) * scale));
        weights.values_mut().iter_mut().zip(weight.values()).for_each(|(sum, weight)| *sum += weight);
        for (sum, channel) in sums.iter_mut().zip(&padded_channels) {
            for (y, target) in sum.rows_mut().enumerate() {
                let pair = channel.row(y, right, down).iter().zip(weight.row(y as isize));
                target.iter_mut().zip(pair).for_each(|(target, (value, weight))| *target += value * weight);
            }
        }
    }
    sums.map(|sum| sum.zip(&weights, |sum, weight| sum / weight))
}

/// Approximates `exp(-distance)`, which costs more.
fn negative_exponential(distance: f32) -> f32 {
    let eighth = 1.0 / (1.0 + distance / 8.0);
    let quarter = eighth * eighth;
    let half = quarter * quarter;
    half * half
}

/// A plane whose edges are repeated by the search radius.
struct Padded(Plane);

impl Padded {
    fn new(plane: &Plane) -> Self {
        let mut padded = Plane::new(plane.width() + 2 * SEARCH, plane.height() + 2 * SEARCH);
        let mut row = Vec::new();
        for (y, target) in padded.rows_mut().enumerate() {
            pad(plane.row(y as isize - SEARCH as isize), SEARCH, &mut row);
            target.copy_from_slice(&row);
        }
        Self(padded)
    }

    /// Returns row `y` of the plane at an offset.
    ///
    /// An offset of [`SEARCH`] in both directions is the original position.
    fn row(&self, y: usize, right: usize, down: usize) -> &[f32] {
        self.0.row((y + down) as isize).get(right..self.0.width() - 2 * SEARCH + right).unwrap_or_default()
    }
}

/// Estimates the standard deviation of a picture's noise, in display values of 0 to 1.
///
/// It takes the median of a filter that responds only to pixel-to-pixel changes (Immerkaer's mask), because
/// most parts of a picture are smooth.
pub(super) fn noise_level(picture: &Picture) -> f32 {
    let green = |x: usize, y: usize| picture.row(y).get(x).map_or(0, |pixel| i32::from(pixel[1]));
    let mut counts = vec![0_u64; 4096];
    // A sample is enough: some rows of large pictures are skipped.
    let step = (picture.width() * picture.height() / 300_000 + 1).min(16);
    for y in (1..picture.height() - 1).step_by(step) {
        for x in 1..picture.width() - 1 {
            let row = |y: usize| green(x - 1, y) - 2 * green(x, y) + green(x + 1, y);
            let response = (row(y - 1) - 2 * row(y) + row(y + 1)).unsigned_abs() as usize;
            if let Some(count) = counts.get_mut(response) {
                *count += 1;
            }
        }
    }
    let half = counts.iter().sum::<u64>() / 2;
    let mut seen = 0;
    let median = counts.iter().take_while(|count| {
        seen += **count;
        seen <= half
    });
    // The mask multiplies the standard deviation by 6. The median of a normal distribution's absolute value is
    // 0.6745 standard deviations.
    median.count() as f32 / 6.0 / 0.6745 / 255.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_noise_of_a_picture_is_measured() {
        let mut random = crate::random::Random::new(1);
        let pixels = image::RgbaImage::from_fn(200, 200, |x, _| {
            // Uniform over 25 levels, which is a deviation of 7.2, on a slope.
            let value = (60 + x / 2) as u8 + random.below(25) as u8;
            image::Rgba([value, value, value, 255])
        });
        let level = noise_level(&Picture { pixels, opaque: true, profile: None }) * 255.0;
        assert!((6.5..8.0).contains(&level), "{level}");
    }
}
