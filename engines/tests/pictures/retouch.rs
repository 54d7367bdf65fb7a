//! Tests of retouching: skin gets smoother, light gets better, the rest stays.

use asset_engines::Engine;
use asset_engines::retouch::{Mode, Retouch, Retoucher, Target};
use image::imageops::crop_imm;
use image::{Rgb, RgbImage};

use crate::measure::{gradient_energy, psnr, ssim, variance};
use crate::support::{photo, photo_bytes, png, rgb, run, run_bytes, stops_when_cancelled};

fn faithful(skin_detail: u8) -> Retouch {
    Retouch { mode: Mode::Faithful { skin_detail }, sharpen: 0, smart_grain: 0 }
}

fn flexible(optimized_for: Target) -> Retouch {
    Retouch { mode: Mode::Flexible { optimized_for }, sharpen: 0, smart_grain: 0 }
}

fn retouched(picture: &RgbImage, parameters: &Retouch) -> RgbImage {
    rgb(&run(&Retoucher, parameters, png(picture.clone()), 1))
}

/// Cuts out a cheek of the portrait.
fn skin(portrait: &RgbImage) -> RgbImage {
    crop_imm(portrait, 92, 108, 28, 18).to_image()
}

fn hair(portrait: &RgbImage) -> RgbImage {
    crop_imm(portrait, 95, 25, 60, 35).to_image()
}

#[test]
fn full_detail_leaves_every_pixel_unchanged() {
    for name in ["astronaut", "coffee", "rocket"] {
        let picture = photo(name);
        assert_eq!(retouched(&picture, &faithful(100)), picture, "{name}");
    }
}

#[test]
fn skin_is_smoother_with_less_detail() {
    let portrait = photo("astronaut");
    let roughness: Vec<f64> = [100, 80, 60, 40, 20, 0]
        .map(|detail| gradient_energy(&skin(&retouched(&portrait, &faithful(detail)))))
        .into();
    println!("skin {roughness:.2?}");
    assert!(roughness.is_sorted_by(|a, b| a > b), "{roughness:?}");
    let smooth = retouched(&portrait, &faithful(0));
    let kept = gradient_energy(&hair(&smooth)) / gradient_energy(&hair(&portrait));
    let skin_kept = roughness[5] / roughness[0];
    println!("kept: hair {kept:.2}, skin {skin_kept:.2}");
    assert!(kept > 0.7 && kept > skin_kept + 0.15);
    assert!(ssim(&portrait, &retouched(&portrait, &faithful(80))) > 0.95);
}

#[test]
fn pictures_without_skin_stay_unchanged() {
    let wall = photo("brick");
    assert!(psnr(&wall, &retouched(&wall, &faithful(0))) > 45.0);
}

#[test]
fn dull_light_is_improved() {
    let picture = photo("coffee");
    // Low contrast and a colour cast.
    let dull = RgbImage::from_fn(picture.width(), picture.height(), |x, y| {
        let [r, g, b] = picture.get_pixel(x, y).0.map(f64::from);
        Rgb([(80.0 + r * 0.35) as u8, (70.0 + g * 0.3) as u8, (45.0 + b * 0.3) as u8])
    });
    let better = retouched(&dull, &flexible(Target::ImproveLighting));
    assert!(variance(&better) > 1.25 * variance(&dull));
    let cast = |picture: &RgbImage| {
        let mean = |channel: usize| picture.pixels().map(|pixel| f64::from(pixel[channel])).sum::<f64>();
        mean(0) / mean(2)
    };
    println!(
        "variance {:.0} -> {:.0}, red to blue {:.2} -> {:.2}",
        variance(&dull),
        variance(&better),
        cast(&dull),
        cast(&better)
    );
    assert!((cast(&better) - 1.0).abs() < 0.9 * (cast(&dull) - 1.0).abs());
    assert!(ssim(&picture, &better) > ssim(&picture, &dull));
}

#[test]
fn sharpening_and_grain_grow_with_their_parameters() {
    let portrait = photo("astronaut");
    let energy = |sharpen, smart_grain| {
        gradient_energy(&retouched(&portrait, &Retouch { sharpen, smart_grain, ..faithful(100) }))
    };
    let sharper: Vec<f64> = [0, 30, 60, 100].map(|sharpen| energy(sharpen, 0)).into();
    let grainier: Vec<f64> = [0, 30, 60, 100].map(|grain| energy(0, grain)).into();
    assert!(
        sharper.is_sorted_by(|a, b| a < b) && grainier.is_sorted_by(|a, b| a < b),
        "{sharper:?} {grainier:?}"
    );
}

#[test]
fn every_mode_that_is_accepted_gives_another_picture_and_the_seed_its_grain() {
    let bytes = |mode, seed| {
        let parameters = Retouch { mode, sharpen: 0, smart_grain: 20 };
        run_bytes(&Retoucher, &parameters, photo_bytes("astronaut"), seed).unwrap()
    };
    let modes = [
        Mode::Creative,
        Mode::Faithful { skin_detail: 80 },
        Mode::Flexible { optimized_for: Target::EnhanceSkin },
        Mode::Flexible { optimized_for: Target::ImproveLighting },
        Mode::Flexible { optimized_for: Target::EnhanceEverything },
    ];
    let results: Vec<_> = modes.map(|mode| bytes(mode, 1)).into();
    for (at, result) in results.iter().enumerate() {
        assert!(!results[..at].contains(result));
        assert_eq!(result, &bytes(modes[at], 1));
    }
    assert_ne!(results[1], bytes(modes[1], 2));
}

#[test]
fn requests_that_need_a_model_are_refused() {
    for (target, name) in [(Target::TransformToReal, "transform_to_real"), (Target::NoMakeUp, "no_make_up")] {
        let refusals = Retoucher.refuse(&flexible(target));
        assert_eq!(refusals.len(), 1);
        assert!(
            refusals[0].parameter == "optimized_for" && refusals[0].reason.starts_with(name),
            "{refusals:?}"
        );
    }
}

#[test]
fn parameters_are_read_as_they_are_stored() {
    let parameters: Retouch = serde_json::from_str(r#"{"mode": "faithful"}"#).unwrap();
    assert_eq!(parameters, Retouch { mode: Mode::Faithful { skin_detail: 80 }, sharpen: 0, smart_grain: 2 });
    let stored = serde_json::to_string(&flexible(Target::ImproveLighting)).unwrap();
    assert_eq!(serde_json::from_str::<Retouch>(&stored).unwrap(), flexible(Target::ImproveLighting));
}

#[test]
fn cancelled_work_stops() {
    stops_when_cancelled(&Retoucher, &faithful(50), photo_bytes("astronaut"));
}
