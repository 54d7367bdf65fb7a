//! Colours: linear light for painting, Oklab for choosing and grading.

use super::maths::{cube_root, mix};
use crate::picture::from_display;

/// Linear light of red, green and blue. 1 is the brightest display value.
pub(crate) type Light = [f32; 3];

/// A colour in Oklab: lightness, green to red, blue to yellow.
///
/// In Oklab, equal distances look equal.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Colour {
    pub lightness: f32,
    pub red: f32,
    pub yellow: f32,
}

impl Colour {
    /// Converts a colour from `0xRRGGBB`.
    pub fn hex(value: u32) -> Self {
        let part = |shift: u32| from_display((value >> shift & 0xff) as f32 / 255.0);
        Self::of([part(16), part(8), part(0)])
    }

    pub fn of([r, g, b]: Light) -> Self {
        let l = cube_root(0.412_221_5 * r + 0.536_332_5 * g + 0.051_446 * b);
        let m = cube_root(0.211_903_5 * r + 0.680_699_5 * g + 0.107_397 * b);
        let s = cube_root(0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b);
        Self {
            lightness: 0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s,
            red: 1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s,
            yellow: 0.025_904_037 * l + 0.782_771_77 * m - 0.808_675_77 * s,
        }
    }

    /// Converts the colour to light.
    ///
    /// Components of a colour that a display can't show are below 0 or above 1.
    pub fn light(self) -> Light {
        let l = self.lightness + 0.396_337_78 * self.red + 0.215_803_76 * self.yellow;
        let m = self.lightness - 0.105_561_346 * self.red - 0.063_854_17 * self.yellow;
        let s = self.lightness - 0.089_484_18 * self.red - 1.291_485_5 * self.yellow;
        let (l, m, s) = (l * l * l, m * m * m, s * s * s);
        [
            4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_94 * s,
            -1.268_438 * l + 2.609_757_4 * m - 0.341_319_4 * s,
            -0.004_196_086_3 * l - 0.703_418_6 * m + 1.707_614_7 * s,
        ]
    }

    pub fn mix(self, other: Self, at: f32) -> Self {
        Self {
            lightness: mix(self.lightness, other.lightness, at),
            red: mix(self.red, other.red, at),
            yellow: mix(self.yellow, other.yellow, at),
        }
    }

    pub fn is_grey(self) -> bool {
        self.red * self.red + self.yellow * self.yellow < 0.02 * 0.02
    }

    /// Multiplies the saturation by `factor`.
    pub fn saturated(self, factor: f32) -> Self {
        Self { red: self.red * factor, yellow: self.yellow * factor, ..self }
    }

    /// Adds to the lightness.
    pub fn lighter(self, by: f32) -> Self {
        Self { lightness: (self.lightness + by).clamp(0.02, 0.99), ..self }
    }

    /// Mixes the colour with the hue of `other`.
    ///
    /// `at` is the share of the mix, 0 to 1. The lightness moves only a third of the way to that of `other`.
    pub fn tinted(self, other: Self, at: f32) -> Self {
        self.mix(Self { lightness: mix(self.lightness, other.lightness, 0.35), ..other }, at)
    }
}

/// Lays light over light with an opacity of `cover`.
pub(crate) fn over(below: &mut Light, above: Light, cover: f32) {
    for (below, above) in below.iter_mut().zip(above) {
        *below += (above - *below) * cover;
    }
}

/// Adds light to light.
pub(crate) fn add(to: &mut Light, light: Light, amount: f32) {
    to.iter_mut().zip(light).for_each(|(to, light)| *to += light * amount);
}

pub(crate) fn scaled(light: Light, by: f32) -> Light {
    light.map(|value| value * by)
}

pub(crate) fn blend(a: Light, b: Light, at: f32) -> Light {
    let mut result = a;
    over(&mut result, b, at);
    result
}

/// Returns the light that a surface reflects.
pub(crate) fn lit([r, g, b]: Light, [lr, lg, lb]: Light) -> Light {
    [r * lr, g * lg, b * lb]
}

/// A colour gradient as a table of light.
///
/// Colours are mixed in Oklab, and lookups are fast.
#[derive(Debug, Clone)]
pub(crate) struct Ramp(Vec<Light>);

impl Ramp {
    const STEPS: usize = 512;

    pub fn new(stops: &[(f32, Colour)]) -> Self {
        let at = |step: usize| {
            let at = step as f32 / Self::STEPS as f32;
            let pair = stops.windows(2).find(|pair| pair.last().is_some_and(|(place, _)| at <= *place));
            match pair {
                Some([(from, a), (to, b)]) => {
                    a.mix(*b, ((at - from) / (to - from).max(1e-6)).clamp(0.0, 1.0))
                }
                _ => stops.last().map(|(_, colour)| *colour).unwrap_or_default(),
            }
        };
        Self((0..=Self::STEPS).map(|step| at(step).light().map(|value| value.max(0.0))).collect())
    }

    pub fn at(&self, at: f32) -> Light {
        let place = at.clamp(0.0, 1.0) * Self::STEPS as f32;
        let step = place as usize;
        match self.0.get(step..step + 2) {
            Some(&[a, b]) => blend(a, b, place - step as f32),
            _ => self.0.last().copied().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_come_back() {
        for value in [0x00_0000, 0xff_ffff, 0xd8_2420, 0x12_3456] {
            let [r, g, b] = Colour::hex(value)
                .light()
                .map(|light| crate::picture::quantise(crate::picture::to_display(light)));
            assert_eq!(u32::from(r) << 16 | u32::from(g) << 8 | u32::from(b), value);
        }
    }
}
