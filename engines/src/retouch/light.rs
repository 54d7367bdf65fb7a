//! Lighting: colour balance (grey-world) and local contrast (CLAHE).

use crate::picture::{Picture, luma};

/// The number of tiles along each side.
const TILES: usize = 8;
const BINS: usize = 256;
/// The limit of a histogram bin, as a multiple of its even share.
const CLIP: f32 = 1.8;
/// The share of the contrast correction that is applied.
const CONTRAST: f32 = 0.45;
/// The share of the colour correction that is applied.
const BALANCE: f32 = 0.7;
/// The largest gain of a channel. A stronger cast may be the picture's subject.
const MAX_GAIN: f32 = 1.2;

/// The lighting correction of a picture.
pub(super) struct Lighting {
    gains: [f32; 3],
    width: f32,
    height: f32,
    /// The corrected brightness of each bin, by tile.
    tiles: Vec<[f32; BINS]>,
}

impl Lighting {
    /// Measures a picture.
    pub fn measure(picture: &Picture) -> Self {
        let gains = balance(picture);
        let (width, height) = (picture.width(), picture.height());
        let mut counts = vec![[0_u32; BINS]; TILES * TILES];
        for y in 0..height {
            let below = y * TILES / height * TILES;
            for (x, pixel) in picture.row(y).iter().enumerate() {
                let tile = counts.get_mut(below + x * TILES / width);
                let [r, g, b] = balanced(&gains, *pixel);
                if let Some(count) = tile.and_then(|tile| tile.get_mut(bin(luma(r, g, b)))) {
                    *count += 1;
                }
            }
        }
        let tiles = counts.iter().map(equalise).collect();
        Self { gains, width: width as f32, height: height as f32, tiles }
    }

    /// Returns the display values of a pixel in the corrected light.
    pub fn apply(&self, x: usize, y: usize, pixel: [u8; 4]) -> [f32; 3] {
        let [r, g, b] = balanced(&self.gains, pixel);
        let brightness = luma(r, g, b);
        let wanted = brightness + CONTRAST * (self.equalised(x, y, brightness) - brightness);
        // The gain of dark pixels is limited, because it also amplifies their noise.
        let gain = ((wanted + 0.02) / (brightness + 0.02)).clamp(0.5, 2.5);
        let scaled = [r, g, b].map(|value| value * gain);
        let peak = scaled.iter().copied().fold(1.0, f32::max);
        // Values that would clip keep their hue and lose saturation.
        let wanted = wanted.min(1.0);
        let keep =
            if peak > 1.0 { ((1.0 - wanted) / (peak - wanted).max(1e-6)).clamp(0.0, 1.0) } else { 1.0 };
        scaled.map(|value| (wanted + (value - wanted) * keep).clamp(0.0, 1.0))
    }

    /// Interpolates the corrected brightness from the four tiles around a pixel.
    fn equalised(&self, x: usize, y: usize, brightness: f32) -> f32 {
        let position = |at: usize, length: f32| {
            ((at as f32 + 0.5) / length * TILES as f32 - 0.5).clamp(0.0, TILES as f32 - 1.0)
        };
        let (across, down) = (position(x, self.width), position(y, self.height));
        let (left, top) = (across as usize, down as usize);
        let (u, v) = (across - left as f32, down - top as f32);
        let bin = bin(brightness);
        let tile = |right: usize, below: usize| {
            let column = (left + right).min(TILES - 1);
            let row = (top + below).min(TILES - 1);
            self.tiles.get(row * TILES + column).and_then(|tile| tile.get(bin)).copied().unwrap_or(brightness)
        };
        let upper = tile(0, 0) * (1.0 - u) + tile(1, 0) * u;
        let lower = tile(0, 1) * (1.0 - u) + tile(1, 1) * u;
        upper * (1.0 - v) + lower * v
    }
}

fn bin(brightness: f32) -> usize {
    ((brightness * BINS as f32) as usize).min(BINS - 1)
}

fn balanced(gains: &[f32; 3], [r, g, b, _]: [u8; 4]) -> [f32; 3] {
    let [red, green, blue] = gains;
    [(r, red), (g, green), (b, blue)].map(|(value, gain)| (f32::from(value) / 255.0 * gain).min(1.0))
}

/// Returns the gains that bring a picture's mean closer to grey.
///
/// Nearly black and clipped pixels are skipped, because they do not show the light. Colourful pixels
/// weigh little: an orange coat must not turn a face green.
fn balance(picture: &Picture) -> [f32; 3] {
    let mut sums = [0.0_f64; 3];
    for y in 0..picture.height() {
        for &[r, g, b, _] in picture.row(y) {
            let (high, low) = (r.max(g).max(b), r.min(g).min(b));
            if high < 250 && low > 8 {
                let weight = (f64::from(low) / f64::from(high)).powi(4);
                for (sum, value) in sums.iter_mut().zip([r, g, b]) {
                    *sum += f64::from(value) * weight;
                }
            }
        }
    }
    let mean = sums.iter().sum::<f64>() / 3.0;
    sums.map(|sum| {
        let gain = if sum > 0.0 { (mean / sum) as f32 } else { 1.0 };
        1.0 + BALANCE * (gain.clamp(1.0 / MAX_GAIN, MAX_GAIN) - 1.0)
    })
}

/// Returns the brightness per bin that spreads a histogram evenly.
///
/// No bin counts more than the clip limit.
fn equalise(counts: &[u32; BINS]) -> [f32; BINS] {
    let total = counts.iter().sum::<u32>() as f32;
    if total == 0.0 {
        return std::array::from_fn(|bin| (bin as f32 + 0.5) / BINS as f32);
    }
    let clip = CLIP * total / BINS as f32;
    let excess: f32 = counts.iter().map(|&count| (count as f32 - clip).max(0.0)).sum();
    let share = excess / BINS as f32;
    let mut below = 0.0;
    counts.map(|count| {
        let here = (count as f32).min(clip) + share;
        below += here;
        (below - here / 2.0) / total
    })
}
