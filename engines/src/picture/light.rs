//! Converts between display values and linear light (the sRGB transfer function).

use std::sync::LazyLock;

use super::Plane;

const STEPS: usize = 4096;

/// Linear light by display value.
static LIGHT: LazyLock<Vec<f32>> = LazyLock::new(|| table(decode));
/// The display value by the square root of light, which is nearly a straight line.
static DISPLAY: LazyLock<Vec<f32>> = LazyLock::new(|| table(|root| encode(root * root)));

/// Converts a display value to linear light.
///
/// Both are 0 to 1. Values out of range are clamped.
pub(crate) fn from_display(value: f32) -> f32 {
    interpolate(&LIGHT, value.clamp(0.0, 1.0))
}

/// Converts linear light to a display value.
pub(crate) fn to_display(light: f32) -> f32 {
    interpolate(&DISPLAY, light.clamp(0.0, 1.0).sqrt())
}

fn table(value: impl Fn(f32) -> f32) -> Vec<f32> {
    (0..=STEPS + 1).map(|step| value(step as f32 / STEPS as f32)).collect()
}

fn interpolate(table: &[f32], at: f32) -> f32 {
    let position = at * STEPS as f32;
    let step = position as usize;
    match table.get(step..step + 2) {
        Some(&[low, high]) => low + (high - low) * (position - step as f32),
        _ => 1.0,
    }
}

/// Returns the perceived brightness of display values (the weights of Rec. 709).
pub(crate) fn luma(red: f32, green: f32, blue: f32) -> f32 {
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// Returns the perceived brightness of three planes of display values.
pub(crate) fn bright([red, green, blue]: &[Plane; 3]) -> Plane {
    let sum = red.zip(green, |r, g| luma(r, g, 0.0));
    sum.zip(blue, |sum, b| sum + luma(0.0, 0.0, b))
}

fn decode(value: f32) -> f32 {
    if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

fn encode(light: f32) -> f32 {
    if light <= 0.003_130_8 { light * 12.92 } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_round_trips() {
        for value in 0..=255_u8 {
            let display = f32::from(value) / 255.0;
            assert_eq!(super::super::quantise(to_display(from_display(display))), value);
        }
    }

    #[test]
    fn interpolation_is_exact_to_a_hundredth_of_a_level() {
        for step in 0..=10_000 {
            let light = step as f32 / 10_000.0;
            assert!((to_display(light) - encode(light)).abs() < 0.01 / 255.0, "{light}");
        }
        assert_eq!((to_display(-1.0), to_display(2.0)), (0.0, encode(1.0)));
    }
}
