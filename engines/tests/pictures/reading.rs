//! Tests that unsuitable pictures from clients are refused cheaply.

use asset_engines::picture::{Format, MAX_BYTES, inspect};
use asset_engines::upscale::{Precision, Upscaler};
use asset_engines::{Engine, Failure, Job};
use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ExtendedColorType, ImageDecoder, ImageEncoder, ImageFormat, Rgb, RgbImage};

use crate::support::{decode, photo, png, run_bytes};

fn code(bytes: &[u8]) -> &'static str {
    match inspect(bytes) {
        Err(Failure::Media { code, .. }) => code,
        other => panic!("{other:?}"),
    }
}

/// Writes a PNG file whose header claims these sides, with almost no content.
fn png_of_size(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Sixteen);
    let mut writer = encoder.write_header().unwrap();
    writer.write_chunk(png::chunk::IDAT, &[0x78, 0x9c, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01]).unwrap();
    drop(writer);
    bytes
}

/// Writes a JPEG file with an EXIF orientation.
fn jpeg_turned(picture: &RgbImage, orientation: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = JpegEncoder::new_with_quality(&mut bytes, 95);
    let exif =
        [&b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0"[..], &[orientation, 0, 0, 0, 0, 0, 0, 0]].concat();
    encoder.set_exif_metadata(exif).unwrap();
    encoder.write_image(picture, picture.width(), picture.height(), ExtendedColorType::Rgb8).unwrap();
    bytes
}

#[test]
fn the_format_is_detected_by_content() {
    let picture = DynamicImage::from(photo("coffee"));
    for (image_format, format) in [
        (ImageFormat::Jpeg, Format::Jpeg),
        (ImageFormat::Png, Format::Png),
        (ImageFormat::WebP, Format::WebP),
    ] {
        let mut bytes = std::io::Cursor::new(Vec::new());
        picture.write_to(&mut bytes, image_format).unwrap();
        let info = inspect(bytes.get_ref()).unwrap();
        assert_eq!((info.format, info.width, info.height), (format, 384, 256));
    }
}

#[test]
fn files_that_are_no_pictures_are_unsupported() {
    let photo = png(photo("coffee"));
    for bytes in [
        &b""[..],
        b"GIF89a\x40\0\x40\0",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"\xff\xd8\xff",
        &photo[..20],
    ] {
        assert_eq!(code(bytes), "unsupported_media", "{bytes:?}");
    }
}

#[test]
fn a_picture_that_breaks_off_is_unsupported_once_it_is_decoded() {
    let whole = png(photo("coffee"));
    let half = whole[..whole.len() / 2].to_vec();
    assert!(inspect(&half).is_ok());
    let error = Upscaler.run(&Precision::default(), half, &Job::with_seed(1)).unwrap_err();
    assert!(matches!(error, Failure::Media { code: "unsupported_media", .. }), "{error:?}");
}

#[test]
fn sides_area_and_bytes_have_limits() {
    assert_eq!(code(&png_of_size(63, 500)), "image_too_small");
    assert!(inspect(&png_of_size(64, 64)).is_ok());
    assert_eq!(code(&png_of_size(8001, 64)), "image_too_large");
    assert!(inspect(&png_of_size(8000, 3125)).is_ok());
    assert_eq!(code(&png_of_size(8000, 3126)), "image_too_large");
    assert_eq!(code(&png_of_size(u32::MAX >> 1, u32::MAX >> 1)), "image_too_large");
    assert_eq!(code(&vec![0; MAX_BYTES + 1]), "image_too_large");
}

#[test]
fn decompression_bombs_are_bounded() {
    // The header refuses a huge empty picture. The decoder must handle a small file that unpacks to much.
    assert_eq!(code(&png_of_size(60_000, 60_000)), "image_too_large");
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 64, 64);
    encoder.add_ztxt_chunk("Comment".into(), "a".repeat(200 * 1024 * 1024)).unwrap();
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[0; 64 * 64]).unwrap();
    writer.finish().unwrap();
    assert!(bytes.len() < 1024 * 1024, "it is a bomb");
    // The decoder may accept or refuse it, but it must not keep the text.
    let _ = inspect(&bytes);
}

#[test]
fn pictures_stand_upright() {
    let picture = RgbImage::from_fn(96, 64, |x, _| if x < 48 { Rgb([255, 0, 0]) } else { Rgb([0, 0, 255]) });
    let turned = jpeg_turned(&picture, 6);
    let info = inspect(&turned).unwrap();
    assert_eq!((info.width, info.height), (64, 96));
    let parameters = Precision { sharpen: 0, smart_grain: 0, ultra_detail: 0 };
    let result = decode(&run_bytes(&Upscaler, &parameters, turned, 1).unwrap()).into_rgb8();
    assert_eq!(result.dimensions(), (128, 192));
    // After a clockwise quarter turn, the left half is at the top.
    assert!(result.get_pixel(64, 20)[0] > 200 && result.get_pixel(64, 170)[2] > 200);
}

#[test]
fn results_name_their_engine_and_keep_the_colour_profile() {
    let mut profile = vec![0; 200];
    profile[16..20].copy_from_slice(b"RGB ");
    let mut info = png::Info::with_size(64, 64);
    info.color_type = png::ColorType::Rgb;
    info.icc_profile = Some(profile.clone().into());
    let mut bytes = Vec::new();
    let mut writer = png::Encoder::with_info(&mut bytes, info).unwrap().write_header().unwrap();
    writer.write_image_data(&[90; 64 * 64 * 3]).unwrap();
    writer.finish().unwrap();

    let result = run_bytes(&Upscaler, &Precision::default(), bytes, 1).unwrap();
    let reader = png::Decoder::new(std::io::Cursor::new(&result)).read_info().unwrap();
    let text = &reader.info().uncompressed_latin1_text;
    let name = <Upscaler as Engine<Precision>>::NAME;
    assert!(text.iter().any(|text| text.keyword == "Software" && text.text == name), "{text:?}");
    let mut decoder = image::codecs::png::PngDecoder::new(std::io::Cursor::new(&result)).unwrap();
    assert_eq!(decoder.icc_profile().unwrap(), Some(profile));
}
