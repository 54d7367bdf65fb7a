//! Measures of the similarity of two pictures and of the structure of one.

use image::RgbImage;

/// Returns the peak signal-to-noise ratio in decibels.
pub fn psnr(a: &RgbImage, b: &RgbImage) -> f64 {
    assert_eq!(a.dimensions(), b.dimensions());
    let squares = a.as_raw().iter().zip(b.as_raw()).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2));
    let mean = squares.sum::<f64>() / a.as_raw().len() as f64;
    10.0 * (255.0 * 255.0 / mean.max(1e-9)).log10()
}

/// Returns the structural similarity of the brightness.
///
/// It uses windows of 8x8 pixels at every fourth position.
pub fn ssim(a: &RgbImage, b: &RgbImage) -> f64 {
    assert_eq!(a.dimensions(), b.dimensions());
    let (a, b) = (grey(a), grey(b));
    let (mut sum, mut count) = (0.0, 0.0);
    for top in (0..a.height - 7).step_by(4) {
        for left in (0..a.width - 7).step_by(4) {
            let window = |grey: &Grey| -> Vec<f64> {
                (0..64).map(|at| grey.values[(top + at / 8) * grey.width + left + at % 8]).collect()
            };
            sum += similarity(&window(&a), &window(&b));
            count += 1.0;
        }
    }
    sum / count
}

fn similarity(a: &[f64], b: &[f64]) -> f64 {
    const C1: f64 = (0.01 * 255.0) * (0.01 * 255.0);
    const C2: f64 = (0.03 * 255.0) * (0.03 * 255.0);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let spread = |x: &[f64], mx: f64, y: &[f64], my: f64| {
        x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum::<f64>() / (x.len() - 1) as f64
    };
    let (aa, bb, ab) =
        (spread(a, mean_a, a, mean_a), spread(b, mean_b, b, mean_b), spread(a, mean_a, b, mean_b));
    (2.0 * mean_a * mean_b + C1) * (2.0 * ab + C2)
        / ((mean_a * mean_a + mean_b * mean_b + C1) * (aa + bb + C2))
}

/// Returns the mean squared difference of brightness between neighbouring pixels.
pub fn gradient_energy(picture: &RgbImage) -> f64 {
    let grey = grey(picture);
    let rows = grey.values.chunks_exact(grey.width);
    let across = rows.flat_map(|row| row.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)));
    let down = grey.values.iter().zip(&grey.values[grey.width..]).map(|(a, b)| (b - a).powi(2));
    (across.sum::<f64>() + down.sum::<f64>()) / grey.values.len() as f64
}

/// Returns the variance of the brightness.
pub fn variance(picture: &RgbImage) -> f64 {
    let grey = grey(picture);
    let count = grey.values.len() as f64;
    let mean = grey.values.iter().sum::<f64>() / count;
    grey.values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count
}

struct Grey {
    width: usize,
    height: usize,
    values: Vec<f64>,
}

fn grey(picture: &RgbImage) -> Grey {
    let values = picture.pixels().map(|pixel| {
        let [r, g, b] = pixel.0.map(f64::from);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    });
    Grey { width: picture.width() as usize, height: picture.height() as usize, values: values.collect() }
}
