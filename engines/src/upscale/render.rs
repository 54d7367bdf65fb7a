//! Renders the enlarged picture, one band of rows at a time.

use super::resample::{Kernel, REACH};
use super::{Flavor, denoise};
use crate::picture::{
    GRAIN, Picture, Plane, PngRows, SHARPEN, bright, convolve, gaussian, grain, grain_weight, local_contrast,
    luma, quantise, unsharp,
};
use crate::{Failure, File, Job};

/// The requested settings, with amounts of 0 to 1.
pub(super) struct Settings {
    pub factor: usize,
    pub sharpen: f32,
    pub grain: f32,
    pub detail: f32,
    pub flavor: Option<Flavor>,
}

/// The largest number of result pixels in a band.
///
/// The band's planes take some tens of bytes per pixel.
const BAND_AREA: usize = 6_000_000;
/// The minimum number of source rows in a band.
///
/// With fewer rows, most of the work would be spent on the rows that bands share.
const MIN_BAND_ROWS: usize = 24;

/// The standard deviation of the fine blur, in source pixels. Sharpening enhances finer structure.
const FINE: f32 = 0.8;
/// The standard deviation of the coarse blur, in source pixels.
///
/// Detail enhancement is for structure between both blurs.
const COARSE: f32 = 2.5;
/// The number of rows above and below a band that affect its result.
const HALO: usize = REACH + 8 + denoise::REACH;

/// The strength of detail at 100.
const DETAIL: f32 = 0.9;

/// Renders the enlarged picture as a PNG file.
pub(super) fn upscale(
    picture: &Picture,
    settings: &Settings,
    engine: &str,
    job: &Job,
) -> Result<File, Failure> {
    let factor = settings.factor;
    let (width, height) = (picture.width(), picture.height());
    let kernel = Kernel::new(factor);
    let noise = (settings.flavor == Some(Flavor::PhotoDenoiser)).then(|| denoise::noise_level(picture));
    let mut file = PngRows::new(width * factor, height * factor, picture, engine)?;
    let mut row = vec![[0; 4]; width * factor];
    let band_rows = (BAND_AREA / (width * factor * factor)).max(MIN_BAND_ROWS);
    for first in (0..height).step_by(band_rows) {
        let count = band_rows.min(height - first);
        let band = Band::new(picture, settings, &kernel, noise, first, count, job)?;
        let grain = grain(job.seed, width * factor, first * factor, count * factor);
        for y in 0..count * factor {
            band.render(y, settings, grain.row(y as isize), &mut row);
            file.push(&row)?;
        }
    }
    file.finish()
}

/// A band of the result.
struct Band {
    /// Display values, with premultiplied alpha.
    colour: [Plane; 3],
    alpha: Option<Plane>,
    /// The brightness after the fine blur.
    fine: Plane,
    /// The brightness after the coarse blur.
    coarse: Plane,
    /// The smallest and the largest value nearby in the source, per channel.
    bounds: [(Plane, Plane); 3],
}

impl Band {
    fn new(
        picture: &Picture,
        settings: &Settings,
        kernel: &Kernel,
        noise: Option<f32>,
        first: usize,
        count: usize,
        job: &Job,
    ) -> Result<Self, Failure> {
        let top = first.saturating_sub(HALO);
        let linear = Kernel::linear(settings.factor);
        let source = Source::new(picture, top, (first + count + HALO).min(picture.height()), noise);
        job.check()?;
        let enlarge = |plane: &Plane| kernel.enlarge(plane, first - top, count);
        let sharp = |plane: &Plane| -> Result<Plane, Failure> {
            job.check()?;
            Ok(enlarge(&kernel.project_back(plane)))
        };
        let [red, green, blue] = &source.colour;
        let bounds = source.colour.each_ref().map(|plane| {
            let (low, high) = bounds(plane, settings.overshoot());
            (linear.enlarge(&low, first - top, count), linear.enlarge(&high, first - top, count))
        });
        job.check()?;
        Ok(Self {
            colour: [sharp(red)?, sharp(green)?, sharp(blue)?],
            alpha: source.alpha.as_ref().map(sharp).transpose()?,
            fine: enlarge(&convolve(&source.brightness, &gaussian(FINE))),
            coarse: enlarge(&convolve(&source.brightness, &gaussian(COARSE))),
            bounds,
        })
    }

    /// Renders a row of the result.
    fn render(&self, y: usize, settings: &Settings, grain: &[f32], row: &mut [[u8; 4]]) {
        let y = y as isize;
        let [mut red, mut green, mut blue] = self.colour.each_ref().map(|plane| plane.row(y).to_vec());
        for (values, (low, high)) in [&mut red, &mut green, &mut blue].into_iter().zip(&self.bounds) {
            for ((value, &low), &high) in values.iter_mut().zip(low.row(y)).zip(high.row(y)) {
                *value = value.max(low).min(high);
            }
        }
        let alpha = self.alpha.as_ref().map_or_else(|| vec![1.0; row.len()], |plane| plane.row(y).to_vec());
        let blurs = self.fine.row(y).iter().zip(self.coarse.row(y));
        let colours = red.iter().zip(&green).zip(&blue).zip(&alpha);
        for (((target, (((&r, &g), &b), &a)), (&fine, &coarse)), &grain) in
            row.iter_mut().zip(colours).zip(blurs).zip(grain)
        {
            let alpha = a.clamp(0.0, 1.0);
            let [r, g, b] =
                [r, g, b].map(|value| if alpha > 0.0 { (value / alpha).clamp(0.0, 1.0) } else { 0.0 });
            let brightness = luma(r, g, b);
            let added = settings.added(brightness, fine, coarse, grain);
            let [r, g, b] = [r, g, b].map(|value| quantise(value + added));
            *target = [r, g, b, quantise(alpha)];
        }
    }
}

impl Settings {
    /// Returns how far a pixel may exceed its neighbours, relative to their range.
    ///
    /// The limit suppresses ringing.
    fn overshoot(&self) -> f32 {
        if self.flavor == Some(Flavor::Sublime) { 0.0 } else { 0.15 }
    }

    /// Returns the change to a pixel by sharpening, detail and grain.
    fn added(&self, brightness: f32, fine: f32, coarse: f32, grain: f32) -> f32 {
        // Photographs depend on texture, drawings on edges.
        let (edges, texture) = match self.flavor {
            Some(Flavor::Sublime) => (1.2, 0.7),
            Some(Flavor::Photo) => (0.8, 1.3),
            Some(Flavor::PhotoDenoiser) | None => (1.0, 1.0),
        };
        unsharp(brightness - fine, self.sharpen * SHARPEN * edges)
            + local_contrast(fine - coarse, self.detail * DETAIL * texture)
            + grain * self.grain * GRAIN * grain_weight(brightness)
    }
}

/// Rows of the source as planes of display values.
struct Source {
    /// Premultiplied with alpha.
    colour: [Plane; 3],
    alpha: Option<Plane>,
    brightness: Plane,
}

impl Source {
    fn new(picture: &Picture, top: usize, end: usize, noise: Option<f32>) -> Self {
        let channel = |pick: fn([u8; 4]) -> u8| {
            let mut plane = Plane::new(picture.width(), end - top);
            for (y, target) in plane.rows_mut().enumerate() {
                for (target, &pixel) in target.iter_mut().zip(picture.row(top + y)) {
                    *target = f32::from(pick(pixel)) / 255.0;
                }
            }
            plane
        };
        let mut colour = [channel(|[r, ..]| r), channel(|[_, g, ..]| g), channel(|[_, _, b, _]| b)];
        let mut brightness = bright(&colour);
        if let Some(noise) = noise {
            colour = denoise::denoise(&colour, &brightness, noise);
            brightness = bright(&colour);
        }
        let alpha = (!picture.opaque).then(|| channel(|[.., a]| a));
        if let Some(alpha) = &alpha {
            colour = colour.map(|plane| plane.zip(alpha, |value, alpha| value * alpha));
        }
        Self { colour, alpha, brightness }
    }
}

/// Returns the smallest and the largest of the nine values around each pixel.
///
/// They are smoothed so that they have no steps, and widened by the overshoot.
fn bounds(plane: &Plane, overshoot: f32) -> (Plane, Plane) {
    let extreme = |pick: fn(f32, f32) -> f32| {
        let extreme = Plane::from_fn(plane.width(), plane.height(), |x, y| {
            let around = (0..9).map(|at| plane.at(x as isize + at % 3 - 1, y as isize + at / 3 - 1));
            around.fold(plane.at(x as isize, y as isize), pick)
        });
        let soft = convolve(&extreme, &[0.25, 0.5, 0.25]);
        // Smoothing must not exclude the pixel's own value.
        soft.zip(plane, pick)
    };
    let (low, high) = (extreme(f32::min), extreme(f32::max));
    let slack = low.zip(&high, |low, high| overshoot * (high - low));
    (low.zip(&slack, |low, slack| low - slack), high.zip(&slack, |high, slack| high + slack))
}
