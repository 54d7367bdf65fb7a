//! Colours in Oklab, where equal distances look equal.

use super::{from_display, to_display};

/// A colour in Oklab.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Colour {
    /// The lightness L, from 0 (black) to 1 (white).
    pub lightness: f32,
    /// The axis a, from green (negative) to red (positive).
    pub red: f32,
    /// The axis b, from blue (negative) to yellow (positive).
    pub yellow: f32,
}

impl Colour {
    /// Converts display values of 0 to 1.
    pub fn of(display: [f32; 3]) -> Self {
        let [r, g, b] = display.map(from_display);
        let l = cube_root(0.412_221_5 * r + 0.536_332_5 * g + 0.051_446 * b);
        let m = cube_root(0.211_903_5 * r + 0.680_699_5 * g + 0.107_397 * b);
        let s = cube_root(0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b);
        Self {
            lightness: 0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s,
            red: 1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s,
            yellow: 0.025_904_037 * l + 0.782_771_77 * m - 0.808_675_77 * s,
        }
    }

    /// Converts a colour from `0xRRGGBB`.
    pub fn hex(value: u32) -> Self {
        Self::of([16, 8, 0].map(|shift| (value >> shift & 0xff) as f32 / 255.0))
    }

    /// Converts the colour to display values. Those that a display can't show are clamped.
    pub fn display(self) -> [f32; 3] {
        let l = self.lightness + 0.396_337_78 * self.red + 0.215_803_76 * self.yellow;
        let m = self.lightness - 0.105_561_346 * self.red - 0.063_854_17 * self.yellow;
        let s = self.lightness - 0.089_484_18 * self.red - 1.291_485_5 * self.yellow;
        let (l, m, s) = (l * l * l, m * m * m, s * s * s);
        let light = [
            4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_94 * s,
            -1.268_438 * l + 2.609_757_4 * m - 0.341_319_4 * s,
            -0.004_196_086_3 * l - 0.703_418_6 * m + 1.707_614_7 * s,
        ];
        light.map(to_display)
    }

    pub fn chroma(self) -> f32 {
        self.red.hypot(self.yellow)
    }

    /// Returns the square of the visible distance. Hue distinguishes colours more than lightness does.
    pub fn squared_distance(self, other: Self) -> f32 {
        let lightness = 0.7 * (self.lightness - other.lightness);
        lightness.powi(2) + (self.red - other.red).powi(2) + (self.yellow - other.yellow).powi(2)
    }

    /// Interpolates from this colour at 0 to the other one at 1.
    pub fn mix(self, other: Self, at: f32) -> Self {
        Self {
            lightness: self.lightness + (other.lightness - self.lightness) * at,
            red: self.red + (other.red - self.red) * at,
            yellow: self.yellow + (other.yellow - self.yellow) * at,
        }
    }

    /// Multiplies the saturation by `factor`.
    pub fn saturated(self, factor: f32) -> Self {
        Self { red: self.red * factor, yellow: self.yellow * factor, ..self }
    }

    /// Adds to the lightness.
    pub fn lighter(self, by: f32) -> Self {
        Self { lightness: (self.lightness + by).clamp(0.02, 0.99), ..self }
    }
}

/// Returns the cube root of a non-negative number, the same on every machine.
fn cube_root(value: f32) -> f32 {
    if value <= 1e-12 {
        return 0.0;
    }
    // A third of the bits is an estimate within a twentieth. Each Halley step triples the correct digits.
    let mut root = f32::from_bits(value.to_bits() / 3 + 0x2a51_37a0);
    for _ in 0..2 {
        let cube = root * root * root;
        root *= (cube + 2.0 * value) / (2.0 * cube + value);
    }
    root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_round_trip() {
        for value in [0x00_0000, 0xff_ffff, 0xd8_2420, 0x12_3456] {
            let [r, g, b] = Colour::hex(value).display().map(crate::picture::quantise);
            assert_eq!(u32::from(r) << 16 | u32::from(g) << 8 | u32::from(b), value);
        }
    }
}
