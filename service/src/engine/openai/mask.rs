//! Masks: black means "edit" in this API, and transparent means it in OpenAI's.

use std::io::Cursor;

use asset_engines::picture;
use bytes::Bytes;
use image::{ImageFormat, Rgba, RgbaImage};

use crate::engine::Failure;

/// Returns a PNG that is transparent where the mask is dark.
pub(super) fn transparent(mask: &[u8]) -> Result<Bytes, Failure> {
    let mask = picture::decode_result(Cursor::new(mask))?.into_luma8();
    let mask_image = RgbaImage::from_fn(mask.width(), mask.height(), |x, y| {
        let is_kept = mask.get_pixel(x, y).0.first().is_some_and(|light| *light >= 128);
        if is_kept { Rgba([255, 255, 255, 255]) } else { Rgba([0, 0, 0, 0]) }
    });
    let mut png = Cursor::new(Vec::new());
    mask_image
        .write_to(&mut png, ImageFormat::Png)
        .map_err(|error| Failure::Internal(format!("can't write the mask: {error}")))?;
    Ok(png.into_inner().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dark_parts_become_transparent() {
        let mut png = Cursor::new(Vec::new());
        let mask = image::GrayImage::from_fn(2, 1, |x, _| image::Luma([if x == 0 { 10 } else { 240 }]));
        mask.write_to(&mut png, ImageFormat::Png).unwrap();
        let mask_image = image::load_from_memory(&transparent(png.get_ref()).unwrap()).unwrap().into_rgba8();
        assert_eq!((mask_image.get_pixel(0, 0).0[3], mask_image.get_pixel(1, 0).0[3]), (0, 255));
        assert!(transparent(b"no picture").is_err());
    }
}
