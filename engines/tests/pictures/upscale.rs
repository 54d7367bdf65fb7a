//! Tests of upscaling: better than plain Lanczos, true to the source, as requested.

use asset_engines::Failure;
use asset_engines::picture::inspect;
use asset_engines::upscale::{Flavor, Precision, PrecisionV2, Upscaler, output_size};
use image::imageops::{FilterType, crop_imm, resize};
use image::{Rgb, RgbImage, Rgba, RgbaImage};

use crate::measure::{gradient_energy, psnr, ssim, variance};
use crate::support::{PHOTOS, photo, photo_bytes, png, rgb, run, run_bytes, stops_when_cancelled};

/// Returns parameters for resampling only.
fn plain(scale_factor: u32) -> PrecisionV2 {
    PrecisionV2 { sharpen: 0, smart_grain: 0, ultra_detail: 0, flavor: None, scale_factor }
}

fn upscaled(picture: &RgbImage, parameters: &PrecisionV2) -> RgbImage {
    rgb(&run(&Upscaler, parameters, png(picture.clone()), 1))
}

/// Averages the light of `factor` by `factor` pixels, as a coarser sensor would.
fn averaged(picture: &RgbImage, factor: u32) -> RgbImage {
    let light = |value: u8| {
        let value = f64::from(value) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    let display = |light: f64| {
        let value = if light <= 0.0031308 { light * 12.92 } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
        (value * 255.0).round() as u8
    };
    RgbImage::from_fn(picture.width() / factor, picture.height() / factor, |x, y| {
        let area: Vec<_> =
            crop_imm(picture, x * factor, y * factor, factor, factor).to_image().pixels().copied().collect();
        let mean =
            |channel: usize| area.iter().map(|pixel| light(pixel[channel])).sum::<f64>() / area.len() as f64;
        Rgb([display(mean(0)), display(mean(1)), display(mean(2))])
    })
}

#[test]
fn photographs_scaled_down_are_restored_better_than_by_plain_lanczos() {
    let mut worse = Vec::new();
    for factor in [2, 4] {
        for name in PHOTOS {
            let original = photo(name);
            let (width, height) = original.dimensions();
            let small = resize(&original, width / factor, height / factor, FilterType::Lanczos3);
            for (how, small) in [("averaged", averaged(&original, factor)), ("lanczos", small)] {
                let lanczos = resize(&small, width, height, FilterType::Lanczos3);
                let ours = upscaled(&small, &plain(factor));
                let (theirs, mine) = (psnr(&original, &lanczos), psnr(&original, &ours));
                let (their_ssim, my_ssim) = (ssim(&original, &lanczos), ssim(&original, &ours));
                println!(
                    "{name:10} x{factor} {how:9} PSNR {theirs:.2} -> {mine:.2}  SSIM {their_ssim:.4} -> {my_ssim:.4}"
                );
                worse.extend(
                    (mine < theirs || my_ssim < their_ssim).then(|| format!("{name} x{factor} {how}")),
                );
            }
        }
    }
    assert!(worse.is_empty(), "{worse:?}");
}

#[test]
fn averaging_a_result_gives_its_source() {
    for name in PHOTOS {
        let small = averaged(&photo(name), 2);
        let back = averaged(&upscaled(&small, &plain(3)), 3);
        assert!(psnr(&small, &back) > 40.0, "{name}: {}", psnr(&small, &back));
    }
}

#[test]
fn a_flat_picture_stays_unchanged() {
    let flat = RgbImage::from_pixel(70, 64, Rgb([12, 130, 240]));
    for scale_factor in [2, 5, 16] {
        let parameters =
            PrecisionV2 { sharpen: 100, ultra_detail: 100, smart_grain: 0, flavor: None, scale_factor };
        let result = upscaled(&flat, &parameters);
        assert_eq!(result.dimensions(), (70 * scale_factor, 64 * scale_factor));
        assert!(result.pixels().all(|pixel| *pixel == Rgb([12, 130, 240])));
    }
}

#[test]
fn sharpening_and_detail_raise_the_gradients_step_by_step() {
    for name in ["astronaut", "coffee", "brick"] {
        let small = averaged(&photo(name), 2);
        let energy = |sharpen, ultra_detail| {
            gradient_energy(&upscaled(&small, &PrecisionV2 { sharpen, ultra_detail, ..plain(2) }))
        };
        let sharper: Vec<f64> = [0, 25, 50, 75, 100].map(|amount| energy(amount, 0)).into();
        let richer: Vec<f64> = [0, 25, 50, 75, 100].map(|amount| energy(0, amount)).into();
        println!("{name}: {sharper:.1?} {richer:.1?}");
        assert!(sharper.is_sorted_by(|a, b| *b > a * 1.02), "{sharper:?}");
        assert!(richer.is_sorted_by(|a, b| *b > a * 1.02), "{richer:?}");
    }
}

#[test]
fn grain_grows_and_is_most_in_the_middle_tones() {
    let noise = |value: u8, smart_grain| {
        let flat = RgbImage::from_pixel(64, 64, Rgb([value; 3]));
        variance(&upscaled(&flat, &PrecisionV2 { smart_grain, ..plain(2) }))
    };
    let steps: Vec<f64> = [0, 10, 40, 70, 100].map(|grain| noise(128, grain)).into();
    assert!(steps[0] == 0.0 && steps.is_sorted_by(|a, b| a < b), "{steps:?}");
    assert!(noise(128, 60) > 2.0 * noise(30, 60) && noise(30, 60) > noise(0, 60));
    assert!(noise(128, 60) > 2.0 * noise(230, 60) && noise(255, 60) == 0.0);
}

#[test]
fn grain_depends_on_the_seed() {
    let bytes = |seed| run_bytes(&Upscaler, &Precision::default(), photo_bytes("astronaut"), seed).unwrap();
    assert_eq!(bytes(1), bytes(1));
    assert_ne!(bytes(1), bytes(2));
}

#[test]
fn the_denoiser_takes_out_noise_and_leaves_edges() {
    let clean = averaged(&photo("coffee"), 2);
    let mut state = 1_u32;
    let mut noisy = clean.clone();
    for value in noisy.as_flat_samples_mut().samples {
        // The sum of three numbers of a linear congruential generator is normal enough.
        let mut sum = 0;
        for _ in 0..3 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            sum += (state >> 24) as i32 - 128;
        }
        *value = (i32::from(*value) + sum / 10).clamp(0, 255) as u8;
    }
    let large = upscaled(&clean, &plain(2));
    let near = |flavor| psnr(&large, &upscaled(&noisy, &PrecisionV2 { flavor, ..plain(2) }));
    let (without, with) = (near(None), near(Some(Flavor::PhotoDenoiser)));
    println!("noisy {without:.2} dB, denoised {with:.2} dB");
    assert!(with > without + 2.0, "{without} {with}");
}

#[test]
fn a_drawing_is_enlarged_without_ringing() {
    let drawing =
        RgbImage::from_fn(
            64,
            64,
            |x, y| if (x / 16 + y / 16) % 2 == 0 { Rgb([60; 3]) } else { Rgb([200; 3]) },
        );
    let range = |flavor| {
        let result = upscaled(&drawing, &PrecisionV2 { flavor, ..plain(4) });
        let values: Vec<u8> = result.pixels().map(|pixel| pixel[0]).collect();
        (*values.iter().min().unwrap(), *values.iter().max().unwrap())
    };
    let (low, high) = range(Some(Flavor::Sublime));
    println!("{low} {high} {:?}", range(None));
    assert!(low >= 57 && high <= 203, "{low} {high}");
    assert!(range(None).1 > 205);
}

#[test]
fn transparency_is_preserved_and_hidden_colours_do_not_bleed() {
    let picture =
        RgbaImage::from_fn(64, 64, |x, _| if x < 32 { Rgba([0, 255, 0, 0]) } else { Rgba([200, 0, 0, 255]) });
    let result = run(&Upscaler, &plain(2), png(picture), 1);
    assert_eq!(result.get_pixel(10, 64)[3], 0);
    assert_eq!(*result.get_pixel(120, 64), Rgba([200, 0, 0, 255]));
    assert!(result.pixels().all(|pixel| pixel[1] < 10 || pixel[3] < 10), "green is not visible");
}

#[test]
fn a_wide_picture_is_worked_on_in_bands_that_fit_together() {
    // 2000 columns at a factor of 8 give bands of 31 rows.
    let wide =
        RgbImage::from_fn(2000, 64, |x, y| Rgb([(x % 251) as u8, (y * 4) as u8, ((x + y) % 13 * 19) as u8]));
    let part = crop_imm(&wide, 0, 0, 100, 64).to_image();
    let whole = upscaled(&wide, &PrecisionV2 { smart_grain: 50, sharpen: 50, ultra_detail: 50, ..plain(8) });
    let alone = upscaled(&part, &PrecisionV2 { smart_grain: 50, sharpen: 50, ultra_detail: 50, ..plain(8) });
    // Away from the cut, the result in several bands equals the result in one.
    assert_eq!(crop_imm(&whole, 0, 0, 500, 512).to_image(), crop_imm(&alone, 0, 0, 500, 512).to_image());
}

#[test]
fn results_that_would_be_too_large_are_known_from_the_header() {
    let bytes = png(RgbImage::new(1001, 64));
    let info = inspect(&bytes).unwrap();
    assert_eq!(output_size(info, 15), Ok((15_015, 960)));
    let Err(Failure::Media { code: "image_too_large", message }) = output_size(info, 16) else { panic!() };
    assert!(message.contains("16016x1024"), "{message}");
    let error = run_bytes(&Upscaler, &plain(16), bytes, 1).unwrap_err();
    assert!(matches!(error, Failure::Media { code: "image_too_large", .. }));
}

#[test]
fn cancelled_work_stops() {
    stops_when_cancelled(&Upscaler, &Precision::default(), photo_bytes("coffee"));
}

#[test]
fn omitted_parameters_have_the_documented_defaults() {
    let v1: Precision = serde_json::from_str("{}").unwrap();
    assert_eq!((v1.sharpen, v1.smart_grain, v1.ultra_detail), (50, 7, 30));
    let v2: PrecisionV2 = serde_json::from_str(r#"{"flavor": "photo_denoiser"}"#).unwrap();
    assert_eq!((v2.sharpen, v2.smart_grain, v2.ultra_detail, v2.scale_factor), (7, 7, 30, 2));
    assert_eq!(v2.flavor, Some(Flavor::PhotoDenoiser));
}
