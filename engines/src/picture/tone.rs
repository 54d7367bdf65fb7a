//! Sharpening, local contrast and grain, for display values of 0 to 1.

/// The largest change that sharpening makes to a pixel.
///
/// Without a limit, edges get halos.
const HALO: f32 = 0.10;
/// Smaller differences count as noise rather than as an edge.
const NOISE: f32 = 0.008;
/// Larger differences count as an edge rather than as detail.
const EDGE: f32 = 0.12;

/// The strength of sharpening at 100, in every engine.
pub(crate) const SHARPEN: f32 = 2.0;
/// The strength of grain at 100, in every engine.
pub(crate) const GRAIN: f32 = 0.06;

/// Returns the change that sharpening makes to a pixel.
///
/// `difference` is the pixel's difference from its blurred surroundings. The change grows with `amount`,
/// spares noise, and is limited.
pub(crate) fn unsharp(difference: f32, amount: f32) -> f32 {
    let square = difference * difference;
    let edge = square / (square + NOISE * NOISE);
    let wanted = amount * difference * edge;
    // A soft limit: x / (1 + |x|).
    wanted / (1.0 + wanted.abs() / HALO)
}

/// Returns the change that detail enhancement makes to a pixel.
///
/// It works like sharpening, but on coarser structure, and it spares strong edges instead of noise.
pub(crate) fn local_contrast(difference: f32, amount: f32) -> f32 {
    let relative = difference / EDGE;
    amount * difference / (1.0 + relative * relative)
}

/// Returns the visibility of grain at a brightness.
///
/// It is highest in the mid-tones and 0 in pure black and pure white, as in film.
pub(crate) fn grain_weight(brightness: f32) -> f32 {
    let brightness = brightness.clamp(0.0, 1.0);
    4.0 * brightness * (1.0 - brightness)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_amounts_change_nothing() {
        for difference in [-0.5, -0.01, 0.0, 0.2] {
            assert_eq!(unsharp(difference, 0.0), 0.0);
            assert_eq!(local_contrast(difference, 0.0), 0.0);
        }
    }

    #[test]
    fn sharpening_grows_with_its_amount_and_stays_bounded() {
        for difference in [-0.9_f32, -0.05, 0.003, 0.3] {
            let steps: Vec<f32> = (0..=20).map(|amount| unsharp(difference, amount as f32).abs()).collect();
            assert!(steps.is_sorted_by(|a, b| a < b) && steps.iter().all(|step| *step < HALO), "{steps:?}");
        }
    }
}
