//! Measures pictures: size, shape, main colours, and a preview.

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageDecoder, ImageReader, Limits, Rgb};
use serde::{Deserialize, Serialize};

/// The longest side of a preview, in pixels.
const PREVIEW: u32 = 626;

/// The maximum number of pixels of a picture in the catalogue.
const MAX_AREA: u64 = 200_000_000;

/// The measurements of a picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Measured {
    /// The width in pixels, after the picture was turned upright.
    pub width: u32,
    /// The height in pixels, after the picture was turned upright.
    pub height: u32,
    /// The shape, by the API's name.
    pub orientation: String,
    /// The main colours, as the API names them, strongest first.
    pub colors: Vec<String>,
    /// The width and height of the preview.
    pub preview: (u32, u32),
}

/// Measures a picture; returns with it a preview, a JPEG of at most 626 pixels per side.
///
/// Returns a message if it can't be decoded.
pub(super) fn measure(bytes: &[u8]) -> Result<(Measured, Vec<u8>), String> {
    let picture = decode(bytes).map_err(|error| error.to_string())?;
    let (width, height) = (picture.width(), picture.height());
    let small = picture.thumbnail(PREVIEW, PREVIEW);
    let colors = main_colors(&small);
    // JPEG knows no transparency, so transparent parts are shown on white.
    let mut flat = image::RgbImage::from_pixel(small.width(), small.height(), Rgb([255, 255, 255]));
    for (under, over) in flat.pixels_mut().zip(small.to_rgba8().pixels()) {
        let [r, g, b, alpha] = over.0;
        let mix = |over: u8, under: u8| {
            let alpha = u32::from(alpha);
            u8::try_from((u32::from(over) * alpha + u32::from(under) * (255 - alpha)) / 255).unwrap_or(over)
        };
        let [ur, ug, ub] = under.0;
        under.0 = [mix(r, ur), mix(g, ug), mix(b, ub)];
    }
    let mut preview = Vec::new();
    flat.write_with_encoder(JpegEncoder::new_with_quality(&mut preview, 85))
        .map_err(|error| error.to_string())?;
    let measured = Measured {
        width,
        height,
        orientation: orientation(width, height).to_owned(),
        colors: colors.into_iter().map(str::to_owned).collect(),
        preview: (flat.width(), flat.height()),
    };
    Ok((measured, preview))
}

fn decode(bytes: &[u8]) -> image::ImageResult<DynamicImage> {
    let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format()?;
    let mut decoder = reader.into_decoder()?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MAX_AREA {
        let kind = image::error::LimitErrorKind::DimensionError;
        return Err(image::ImageError::Limits(image::error::LimitError::from_kind(kind)));
    }
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_AREA * 4);
    decoder.set_limits(limits)?;
    let turned = decoder.orientation()?;
    let mut picture = DynamicImage::from_decoder(decoder)?;
    picture.apply_orientation(turned);
    Ok(picture)
}

/// Returns the API's name of a shape.
///
/// A square may be off by 5 %. A panorama is at least twice as wide as high.
fn orientation(width: u32, height: u32) -> &'static str {
    let ratio = f64::from(width) / f64::from(height.max(1));
    if ratio >= 2.0 {
        "panoramic"
    } else if ratio > 1.05 {
        "horizontal"
    } else if ratio >= 0.95 {
        "square"
    } else {
        "vertical"
    }
}

/// Returns up to three main colours, strongest first.
///
/// All but the strongest must cover at least a sixth of the opaque pixels.
fn main_colors(picture: &DynamicImage) -> Vec<&'static str> {
    let mut counts: Vec<(&'static str, u32)> = Vec::new();
    let mut seen = 0_u32;
    for pixel in picture.to_rgba8().pixels() {
        let [r, g, b, alpha] = pixel.0;
        if alpha < 128 {
            continue;
        }
        seen += 1;
        let name = color_name(r, g, b);
        match counts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
        }
    }
    counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let strong = counts.iter().enumerate().filter(|(rank, (_, count))| *rank == 0 || count * 6 >= seen);
    strong.map(|(_, (name, _))| *name).take(3).collect()
}

/// Returns the API's name of a colour.
///
/// Pale colours are named by lightness, others by hue.
fn color_name(r: u8, g: u8, b: u8) -> &'static str {
    let [r, g, b] = [r, g, b].map(|channel| f64::from(channel) / 255.0);
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    let (chroma, lightness) = (most - least, f64::midpoint(most, least));
    if lightness < 0.12 {
        return "black";
    }
    if lightness > 0.93 {
        return "white";
    }
    if chroma < 0.12 {
        return if lightness > 0.85 {
            "white"
        } else if lightness < 0.2 {
            "black"
        } else {
            "gray"
        };
    }
    let hue = if most == r {
        60.0 * ((g - b) / chroma).rem_euclid(6.0)
    } else if most == g {
        60.0 * ((b - r) / chroma + 2.0)
    } else {
        60.0 * ((r - g) / chroma + 4.0)
    };
    match hue {
        hue if !(15.0..345.0).contains(&hue) => {
            if lightness > 0.72 {
                "pink"
            } else {
                "red"
            }
        }
        hue if hue < 45.0 => "orange",
        hue if hue < 70.0 => "yellow",
        hue if hue < 165.0 => "green",
        hue if hue < 200.0 => "cyan",
        hue if hue < 255.0 => "blue",
        hue if hue < 290.0 => "purple",
        _ => "pink",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_have_the_names_that_people_give_them() {
        let rows: &[([u8; 3], &str)] = &[
            ([0, 0, 0], "black"),
            ([255, 255, 255], "white"),
            ([128, 128, 128], "gray"),
            ([220, 20, 30], "red"),
            ([255, 140, 0], "orange"),
            ([250, 220, 40], "yellow"),
            ([30, 140, 50], "green"),
            ([20, 200, 210], "cyan"),
            ([30, 60, 200], "blue"),
            ([120, 40, 200], "purple"),
            ([255, 105, 180], "pink"),
        ];
        for ([r, g, b], name) in rows {
            assert_eq!(color_name(*r, *g, *b), *name);
        }
    }

    #[test]
    fn shapes_have_names() {
        assert_eq!(orientation(100, 100), "square");
        assert_eq!(orientation(150, 100), "horizontal");
        assert_eq!(orientation(100, 150), "vertical");
        assert_eq!(orientation(300, 100), "panoramic");
    }

    #[test]
    fn a_picture_is_measured() -> Result<(), String> {
        let picture = image::RgbImage::from_fn(1200, 600, |x, _| {
            if x < 900 { Rgb([20, 40, 200]) } else { Rgb([250, 250, 250]) }
        });
        let mut png = Vec::new();
        DynamicImage::from(picture)
            .write_to(&mut Cursor::new(&mut png), image::ImageFormat::Png)
            .map_err(|error| error.to_string())?;
        let (measured, _) = measure(&png)?;
        assert_eq!(
            (measured.width, measured.height, measured.orientation.as_str()),
            (1200, 600, "panoramic")
        );
        assert_eq!(measured.colors, ["blue", "white"]);
        assert_eq!(measured.preview, (626, 313));
        assert!(measure(b"no picture").is_err());
        Ok(())
    }
}
