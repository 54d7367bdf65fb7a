//! Measures a small copy of a picture.

use super::colour::palette;
use crate::picture::{Colour, Picture, Plane, box_mean, from_display, luma, to_display};

/// The limit for the longer side of the copy, in pixels.
///
/// It is enough for all measurements, for pictures of any size.
const SIDE: usize = 256;

/// A small copy in display values of 0 to 1. Transparent parts are composited over white.
pub(super) struct Small {
    width: usize,
    pixels: Vec<[f32; 3]>,
    brightness: Plane,
}

/// A cell of a picture that is divided into three columns and three rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    /// 0 is left, 2 is right.
    pub column: usize,
    /// 0 is top, 2 is bottom.
    pub row: usize,
}

/// The direction of most edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lines {
    Horizontal,
    Vertical,
    Diagonal,
    /// No direction dominates.
    Every,
}

/// The measured facts of a picture.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measures {
    /// Width divided by height.
    pub aspect: f32,
    /// The main colours with their shares of the picture.
    pub palette: Vec<(Colour, f32)>,
    /// The 5th percentile of brightness.
    pub dark: f32,
    /// The median of brightness.
    pub middle: f32,
    /// The 95th percentile of brightness.
    pub light: f32,
    /// The mean chroma.
    pub chroma: f32,
    /// The mean balance from blue (negative) to yellow (positive).
    pub warmth: f32,
    /// The brightest cell, if it is clearly brighter than the picture.
    pub brightest: Option<Cell>,
    /// The cell with most structure, if it clearly has more than the picture.
    pub busiest: Option<Cell>,
    /// The mean gradient of brightness.
    pub structure: f32,
    pub lines: Lines,
    /// The mirror symmetry between left and right. 1 is exact.
    pub left_right: f32,
    /// The mirror symmetry between top and bottom. 1 is exact.
    pub top_bottom: f32,
}

impl Small {
    pub fn of(picture: &Picture) -> Self {
        let factor = picture.width().max(picture.height()).div_ceil(SIDE);
        let (width, height) = ((picture.width() / factor).max(1), (picture.height() / factor).max(1));
        let mut pixels = Vec::with_capacity(width * height);
        for y in 0..height {
            let mut row = vec![[0.0_f32; 3]; width];
            for source in y * factor..(y + 1) * factor {
                for (sum, area) in row.iter_mut().zip(picture.row(source).chunks(factor)) {
                    for &[r, g, b, a] in area {
                        let alpha = f32::from(a) / 255.0;
                        for (sum, value) in sum.iter_mut().zip([r, g, b]) {
                            *sum += from_display(f32::from(value) / 255.0) * alpha + 1.0 - alpha;
                        }
                    }
                }
            }
            let area = (factor * factor) as f32;
            pixels.extend(row.iter().map(|sum| sum.map(|sum| to_display(sum / area))));
        }
        let mut values = pixels.iter().map(|&[r, g, b]| luma(r, g, b));
        let brightness = Plane::from_fn(width, height, |_, _| values.next().unwrap_or_default());
        Self { width, pixels, brightness }
    }

    /// Measures the copy.
    ///
    /// `width` and `height` are those of the original picture.
    pub fn measure(&self, width: usize, height: usize) -> Measures {
        let colours: Vec<Colour> = self.pixels.iter().map(|&pixel| Colour::of(pixel)).collect();
        let mean =
            |value: fn(&Colour) -> f32| colours.iter().map(value).sum::<f32>() / colours.len().max(1) as f32;
        let mut sorted = self.brightness.values().to_vec();
        sorted.sort_by(f32::total_cmp);
        let quantile =
            |part: f32| sorted.get((part * (sorted.len() - 1) as f32) as usize).copied().unwrap_or_default();
        let (gradients, lines) = self.gradients();
        Measures {
            aspect: width as f32 / height as f32,
            palette: palette(&colours),
            dark: quantile(0.05),
            middle: quantile(0.5),
            light: quantile(0.95),
            chroma: mean(|colour| colour.chroma()),
            warmth: mean(|colour| colour.yellow),
            brightest: standing_out(&self.brightness, 1.35),
            busiest: standing_out(&gradients, 1.6),
            structure: gradients.values().iter().sum::<f32>() / gradients.values().len() as f32,
            lines,
            left_right: self.mirrored(|x, y, width, _| (width - 1 - x, y)),
            top_bottom: self.mirrored(|x, y, _, height| (x, height - 1 - y)),
        }
    }

    /// Returns the gradient of brightness at each pixel, and the direction of most edges.
    ///
    /// The direction comes from the structure tensor of the whole picture.
    fn gradients(&self) -> (Plane, Lines) {
        let brightness = &self.brightness;
        let (mut xx, mut yy, mut xy) = (0.0_f32, 0.0_f32, 0.0_f32);
        let gradients = Plane::from_fn(self.width, brightness.height(), |x, y| {
            let (x, y) = (x as isize, y as isize);
            let across = brightness.at(x + 1, y) - brightness.at(x - 1, y);
            let down = brightness.at(x, y + 1) - brightness.at(x, y - 1);
            xx += across * across;
            yy += down * down;
            xy += across * down;
            across.hypot(down) / 2.0
        });
        let coherence = (xx - yy).hypot(2.0 * xy) / (xx + yy).max(1e-6);
        // The angle of the dominant gradient. Edges run perpendicular to it.
        let angle = (0.5 * (2.0 * xy).atan2(xx - yy)).to_degrees().abs();
        let lines = match angle {
            _ if coherence < 0.2 => Lines::Every,
            ..=25.0 => Lines::Vertical,
            65.0.. => Lines::Horizontal,
            _ => Lines::Diagonal,
        };
        (gradients, lines)
    }

    /// Returns the correlation of brightness with its mirror image.
    ///
    /// Fine structure is averaged out first.
    fn mirrored(&self, mapping: fn(usize, usize, usize, usize) -> (usize, usize)) -> f32 {
        let forms = box_mean(&self.brightness, SIDE / 48);
        let (width, height) = (self.width, forms.height());
        let mirror = Plane::from_fn(width, height, |x, y| {
            let (x, y) = mapping(x, y, width, height);
            forms.at(x as isize, y as isize)
        });
        let mean = forms.values().iter().sum::<f32>() / forms.values().len() as f32;
        let pairs = || forms.values().iter().zip(mirror.values()).map(|(a, b)| (a - mean, b - mean));
        let variance: f32 = pairs().map(|(a, _)| a * a).sum();
        let covariance: f32 = pairs().map(|(a, b)| a * b).sum();
        // A picture without larger forms does not count as symmetrical.
        if variance < 1e-4 * forms.values().len() as f32 { 0.0 } else { covariance / variance }
    }
}

/// Returns the cell with the largest mean.
///
/// `None` if that mean is less than `factor` times the mean of the whole plane.
fn standing_out(plane: &Plane, factor: f32) -> Option<Cell> {
    let (width, height) = (plane.width(), plane.height());
    let mut sums = [(0.0_f32, 0.0_f32); 9];
    for y in 0..height {
        for (x, value) in plane.row(y as isize).iter().enumerate() {
            if let Some((sum, count)) = sums.get_mut(y * 3 / height * 3 + x * 3 / width) {
                *sum += value;
                *count += 1.0;
            }
        }
    }
    let whole = plane.values().iter().sum::<f32>() / plane.values().len() as f32;
    let means = sums.iter().map(|(sum, count)| sum / f32::max(*count, 1.0)).enumerate();
    let (at, mean) = means.max_by(|a, b| a.1.total_cmp(&b.1))?;
    (mean > factor * whole).then_some(Cell { column: at % 3, row: at / 3 })
}
