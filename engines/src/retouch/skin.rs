//! Finds skin by its colour.
//!
//! The chroma of light and dark skin is nearly the same.

use crate::picture::{Plane, box_mean, guided};

/// The range of Cb of skin (Rec. 601, 0 to 255), after Chai and Ngan.
const CB: (f32, f32) = (77.0, 127.0);
/// The range of Cr of skin (Rec. 601, 0 to 255), after Chai and Ngan, but without grey.
const CR: (f32, f32) = (137.0, 173.0);
/// The width over which chroma outside these ranges loses its weight.
const MARGIN: f32 = 7.0;
/// The brightness below which chroma is not reliable.
const DARK: f32 = 0.15;
/// The standard deviation of brightness that halves the likelihood of skin.
///
/// Rougher structure is more likely hair or wood.
const ROUGH: f32 = 0.05;

/// Returns the likelihood of skin at each pixel, 0 to 1.
///
/// The mask's borders follow the edges of the picture.
pub(super) fn mask(colour: &[Plane; 3], brightness: &Plane, radius: usize) -> Plane {
    let [red, green, blue] = colour;
    let pixels = red.values().iter().zip(green.values()).zip(blue.values());
    let mut likely = pixels.map(|((&r, &g), &b)| of_colour(r, g, b));
    let (width, height) = (brightness.width(), brightness.height());
    let likely = Plane::from_fn(width, height, |_, _| likely.next().unwrap_or_default());
    let mean = box_mean(brightness, 2);
    let square = box_mean(&brightness.map(|value| value * value), 2);
    let variance = square.zip(&mean, |square, mean| (square - mean * mean).max(0.0));
    let rough = box_mean(&variance, radius.max(2));
    let smooth = likely.zip(&rough, |likely, rough| likely / (1.0 + rough / (ROUGH * ROUGH)));
    guided(brightness, &smooth, radius.max(2), 0.002).map(|value| value.clamp(0.0, 1.0))
}

fn of_colour(r: f32, g: f32, b: f32) -> f32 {
    let (r, g, b) = (r * 255.0, g * 255.0, b * 255.0);
    let brightness = (0.299 * r + 0.587 * g + 0.114 * b) / 255.0;
    let cb = 128.0 - 0.169 * r - 0.331 * g + 0.5 * b;
    let cr = 128.0 + 0.5 * r - 0.419 * g - 0.081 * b;
    let within = |value: f32, (low, high): (f32, f32)| {
        (1.0 - (low - value).max(value - high).max(0.0) / MARGIN).max(0.0)
    };
    within(cb, CB) * within(cr, CR) * (brightness / DARK).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_and_dark_skin_are_skin_and_sky_and_leaves_are_not() {
        for [r, g, b] in [[234, 192, 168], [198, 134, 66], [141, 85, 36], [92, 58, 40]] {
            assert!(of_colour(r as f32 / 255.0, g as f32 / 255.0, b as f32 / 255.0) > 0.6, "{r} {g} {b}");
        }
        for [r, g, b] in [[110, 160, 220], [60, 120, 50], [128, 128, 128], [240, 240, 240], [220, 30, 30]] {
            assert!(of_colour(r as f32 / 255.0, g as f32 / 255.0, b as f32 / 255.0) < 0.1, "{r} {g} {b}");
        }
    }
}
