//! Filters over planes. Beyond the edges, the edge values are repeated.

use super::Plane;

/// Returns a Gaussian kernel that reaches three standard deviations to each side.
pub(crate) fn gaussian(deviation: f32) -> Vec<f32> {
    let radius = (deviation * 3.0).ceil().max(1.0) as i32;
    let spread = 2.0 * deviation.max(0.05).powi(2);
    let kernel: Vec<f32> = (-radius..=radius).map(|at| (-((at * at) as f32) / spread).exp()).collect();
    let sum: f32 = kernel.iter().sum();
    kernel.iter().map(|weight| weight / sum).collect()
}

/// Convolves rows and then columns with a kernel of odd length.
pub(crate) fn convolve(plane: &Plane, kernel: &[f32]) -> Plane {
    let radius = kernel.len() / 2;
    let mut across = Plane::new(plane.width(), plane.height());
    let mut padded = Vec::with_capacity(plane.width() + 2 * radius);
    for (y, target) in across.rows_mut().enumerate() {
        pad(plane.row(y as isize), radius, &mut padded);
        weigh(&padded, kernel, target);
    }
    let mut result = Plane::new(plane.width(), plane.height());
    for (y, target) in result.rows_mut().enumerate() {
        for (tap, weight) in kernel.iter().enumerate() {
            let source = across.row(y as isize + tap as isize - radius as isize);
            target.iter_mut().zip(source).for_each(|(target, value)| *target += value * weight);
        }
    }
    result
}

/// Averages the square of side `2 * radius + 1` around each pixel.
///
/// The cost does not depend on the radius.
pub(crate) fn box_mean(plane: &Plane, radius: usize) -> Plane {
    let side = 2 * radius + 1;
    let mut across = Plane::new(plane.width(), plane.height());
    let mut padded = Vec::with_capacity(plane.width() + side);
    for (y, target) in across.rows_mut().enumerate() {
        pad(plane.row(y as isize), radius, &mut padded);
        let (before, after) = padded.split_at(side.min(padded.len()));
        let mut sum: f64 = before.iter().copied().map(f64::from).sum();
        let steps = after.iter().chain([&0.0]).zip(&padded);
        for (target, (enters, leaves)) in target.iter_mut().zip(steps) {
            *target = (sum / side as f64) as f32;
            sum += f64::from(*enters) - f64::from(*leaves);
        }
    }
    let mut result = Plane::new(plane.width(), plane.height());
    let reach = radius as isize;
    let mut sums = vec![0.0_f64; plane.width()];
    for y in -reach..=reach {
        sums.iter_mut().zip(across.row(y)).for_each(|(sum, &value)| *sum += f64::from(value));
    }
    for (y, target) in result.rows_mut().enumerate() {
        let y = y as isize;
        let steps = across.row(y + reach + 1).iter().zip(across.row(y - reach));
        for ((target, sum), (enters, leaves)) in target.iter_mut().zip(&mut sums).zip(steps) {
            *target = (*sum / side as f64) as f32;
            *sum += f64::from(*enters) - f64::from(*leaves);
        }
    }
    result
}

/// Smooths the plane where `guide` has no edges (He, Sun and Tang's guided filter).
///
/// Variation in the guide below the square root of `epsilon` counts as smooth.
pub(crate) fn guided(guide: &Plane, plane: &Plane, radius: usize, epsilon: f32) -> Plane {
    let mean_guide = box_mean(guide, radius);
    let mean_plane = box_mean(plane, radius);
    let product = box_mean(&guide.zip(plane, |g, p| g * p), radius);
    let covariance =
        product.zip(&mean_guide.zip(&mean_plane, |g, p| g * p), |product, means| product - means);
    let square = box_mean(&guide.map(|g| g * g), radius);
    let variance = square.zip(&mean_guide, |square, mean| (square - mean * mean).max(0.0));
    let slope = covariance.zip(&variance, |covariance, variance| covariance / (variance + epsilon));
    let offset = mean_plane.zip(&slope.zip(&mean_guide, |a, mean| a * mean), |mean, part| mean - part);
    let (slope, offset) = (box_mean(&slope, radius), box_mean(&offset, radius));
    slope.zip(guide, |a, g| a * g).zip(&offset, |a, b| a + b)
}

/// Applies a kernel to a row that is padded by the radius of the kernel.
///
/// The outer loop is over the taps, so that the compiler vectorises the loop over the pixels.
pub(crate) fn weigh(padded: &[f32], kernel: &[f32], target: &mut [f32]) {
    target.fill(0.0);
    for (tap, weight) in kernel.iter().enumerate() {
        let moved = padded.get(tap..).unwrap_or_default();
        target.iter_mut().zip(moved).for_each(|(target, value)| *target += weight * value);
    }
}

/// Copies a row into `padded` and repeats its ends `radius` times.
pub(crate) fn pad(row: &[f32], radius: usize, padded: &mut Vec<f32>) {
    let (first, last) = (row.first().copied().unwrap_or_default(), row.last().copied().unwrap_or_default());
    padded.clear();
    padded.extend(std::iter::repeat_n(first, radius));
    padded.extend_from_slice(row);
    padded.extend(std::iter::repeat_n(last, radius));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp() -> Plane {
        Plane::from_fn(9, 7, |x, y| (x * x + 3 * y) as f32)
    }

    #[test]
    fn the_box_is_the_mean_of_its_square() {
        let (plane, radius) = (ramp(), 2);
        let fast = box_mean(&plane, radius);
        let kernel = vec![0.2; 5];
        let slow = convolve(&plane, &kernel);
        for (a, b) in fast.values().iter().zip(slow.values()) {
            assert!((a - b).abs() < 1e-3, "{a} {b}");
        }
    }

    #[test]
    fn a_box_larger_than_the_plane_works() {
        assert_eq!(box_mean(&ramp(), 40).values().len(), 63);
    }

    #[test]
    fn a_kernel_of_one_is_the_identity() {
        assert_eq!(convolve(&ramp(), &[0.0, 1.0, 0.0]), ramp());
    }

    #[test]
    fn the_guided_filter_keeps_an_edge_and_smooths_noise() {
        let noisy = |x: usize, y: usize| if (x + y).is_multiple_of(2) { 0.01 } else { -0.01 };
        let plane = Plane::from_fn(40, 40, |x, y| if x < 20 { 0.2 } else { 0.8 } + noisy(x, y));
        let smooth = guided(&plane, &plane, 3, 0.01);
        assert!((smooth.at(19, 20) - 0.2).abs() < 0.03 && (smooth.at(20, 20) - 0.8).abs() < 0.03);
        assert!((smooth.at(8, 20) - 0.2).abs() < 0.002);
    }
}
