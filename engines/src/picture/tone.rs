//! What is added to the brightness of a pixel; all values are for display, 0 to 1.

/// The most that sharpening moves a pixel: without a bound, edges get halos.
const HALO: f32 = 0.10;
/// What differs by less is noise rather than an edge.
const NOISE: f32 = 0.008;
/// What differs by more is an edge rather than detail.
const EDGE: f32 = 0.12;

/// What sharpening and grain amount to when they are asked for at 100, in every engine.
pub(crate) const SHARPEN: f32 = 2.0;
pub(crate) const GRAIN: f32 = 0.06;

/// What sharpening adds to a pixel that differs by `difference` from its blurred surroundings.
///
/// It grows with `amount` everywhere, spares noise, and is bounded.
pub(crate) fn unsharp(difference: f32, amount: f32) -> f32 {
    let square = difference * difference;
    let edge = square / (square + NOISE * NOISE);
    let wanted = amount * difference * edge;
    // A soft bound: x / (1 + |x|).
    wanted / (1.0 + wanted.abs() / HALO)
}

/// What more detail adds: as sharpening, of coarser structure, and sparing strong edges rather than noise.
pub(crate) fn local_contrast(difference: f32, amount: f32) -> f32 {
    let relative = difference / EDGE;
    amount * difference / (1.0 + relative * relative)
}

/// How much grain is seen at a brightness: most in the middle tones, none in black and white, as in film.
pub(crate) fn grain_weight(brightness: f32) -> f32 {
    let brightness = brightness.clamp(0.0, 1.0);
    4.0 * brightness * (1.0 - brightness)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_asked_is_nothing_added() {
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
