//! SVG rendering. The parser never opens a file or follows a link.

use resvg::tiny_skia::{Pixmap, PremultipliedColorU8, Transform};
use resvg::usvg::{ImageHrefResolver, Options, Tree};

use crate::Failure;

/// Parses SVG text.
pub(crate) fn parse(svg: &str) -> Result<Tree, Failure> {
    let nothing =
        ImageHrefResolver { resolve_data: Box::new(|_, _, _| None), resolve_string: Box::new(|_, _| None) };
    let options = Options { image_href_resolver: nothing, ..Options::default() };
    Tree::from_str(svg, &options)
        .map_err(|error| Failure::Internal(format!("The SVG can't be read: {error}.")))
}

/// The largest side of a PNG, in pixels.
const MAX_SIDE: u32 = 4096;

/// Renders an SVG of any origin as a square PNG with a transparent background.
///
/// Each side has `side` pixels, clamped to 1 to 4096. The drawing is centred and as large as fits.
///
/// # Errors
/// [`Failure::Internal`] if the text is not valid SVG.
pub fn png(svg: &str, side: u32) -> Result<Vec<u8>, Failure> {
    signed_png(svg, side.clamp(1, MAX_SIDE), "asset-engines")
}

/// Renders a square PNG like [`png()`], with the name of the software in it.
pub(crate) fn signed_png(svg: &str, side: u32, software: &str) -> Result<Vec<u8>, Failure> {
    let pixmap = picture(svg, side)?;
    let mut bytes = Vec::new();
    let (color, pixels) = pixels(&pixmap);
    let mut encoder = png::Encoder::new(&mut bytes, side, side);
    encoder.set_color(color);
    encoder.set_depth(png::BitDepth::Eight);
    // Drawings are flat, and most rows equal the row above. More effort hardly makes them smaller.
    encoder.set_compression(png::Compression::Fast);
    encoder.set_filter(png::Filter::Up);
    let failed = |error: png::EncodingError| Failure::Internal(format!("The PNG can't be written: {error}."));
    encoder.add_text_chunk("Software".to_owned(), software.to_owned()).map_err(failed)?;
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&pixels).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}

/// Returns the pixels in a PNG colour type.
///
/// Most icons are plain black. Grey with alpha needs half the space of RGBA.
fn pixels(pixmap: &Pixmap) -> (png::ColorType, Vec<u8>) {
    let plain = |pixel: &PremultipliedColorU8| match pixel.alpha() {
        0 => [0; 4],
        _ => {
            let color = pixel.demultiply();
            [color.red(), color.green(), color.blue(), color.alpha()]
        }
    };
    let is_grey =
        |pixel: &PremultipliedColorU8| pixel.red() == pixel.green() && pixel.green() == pixel.blue();
    if pixmap.pixels().iter().all(is_grey) {
        let pixels = pixmap.pixels().iter().map(plain).flat_map(|[grey, _, _, alpha]| [grey, alpha]);
        return (png::ColorType::GrayscaleAlpha, pixels.collect());
    }
    (png::ColorType::Rgba, pixmap.pixels().iter().flat_map(plain).collect())
}

fn picture(svg: &str, side: u32) -> Result<Pixmap, Failure> {
    let tree = parse(svg)?;
    let mut pixmap = Pixmap::new(side, side)
        .ok_or_else(|| Failure::Internal("A picture can't have a side of 0 pixels.".to_owned()))?;
    let size = tree.size();
    let side = side as f32;
    let scale = (side / size.width()).min(side / size.height());
    let (left, top) = ((side - size.width() * scale) / 2.0, (side - size.height() * scale) / 2.0);
    let transform = Transform::from_row(scale, 0.0, 0.0, scale, left, top);
    resvg::render(&tree, transform, &mut pixmap.as_mut());
    Ok(pixmap)
}

/// Returns the share of pixels that are more than half opaque.
#[cfg(test)]
pub(super) fn coverage(svg: &str, side: u32) -> f64 {
    let pixmap = picture(svg, side).unwrap();
    pixmap.pixels().iter().filter(|pixel| pixel.alpha() > 127).count() as f64 / f64::from(side * side)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_of_the_text_is_drawn() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let svg = format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><image href="{file}" width="8" height="8"/></svg>"#
        );
        assert_eq!(coverage(&svg, 8), 0.0);
    }

    #[test]
    fn existing_colours_are_preserved() {
        let drawn = |ink: &str| {
            let svg = format!(
                r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path fill="{ink}" d="M0 0h8v4h-8z"/></svg>"#
            );
            image::load_from_memory(&png(&svg, 8).unwrap()).unwrap()
        };
        let (black, blue) = (drawn("#000"), drawn("#00f"));
        assert_eq!((black.color(), blue.color()), (image::ColorType::La8, image::ColorType::Rgba8));
        assert_eq!(black.to_rgba8().get_pixel(0, 0).0, [0, 0, 0, 255]);
        assert_eq!(blue.to_rgba8().get_pixel(0, 0).0, [0, 0, 255, 255]);
        assert_eq!(blue.to_rgba8().get_pixel(0, 7).0, [0; 4]);
    }
}
