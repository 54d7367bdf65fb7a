//! Tests that measure the requested properties in composed pictures.

use asset_engines::compose::{Composer, Composition, Format, Share, fitting};
use asset_engines::{Engine, Failure};
use image::{Rgb, RgbImage};

use crate::support::{photo, png, rgb, run, run_bytes, stops_when_cancelled};

const SIDES: (u32, u32) = (96, 64);

fn asked(prompt: &str) -> Composition {
    Composition::new(prompt, SIDES.0, SIDES.1)
}

fn picture(parameters: &Composition, seed: u64) -> RgbImage {
    rgb(&run(&Composer, parameters, Vec::new(), seed))
}

fn composed(prompt: &str, seed: u64) -> RgbImage {
    picture(&asked(prompt), seed)
}

/// Returns the mean of each channel over rows of the picture, from 0 to 1.
fn mean(picture: &RgbImage, from: f32, to: f32) -> [f64; 3] {
    let height = picture.height() as f32;
    let rows = (from * height) as u32..(to * height) as u32;
    let pixels: Vec<&Rgb<u8>> =
        picture.enumerate_pixels().filter(|(_, y, _)| rows.contains(y)).map(|it| it.2).collect();
    [0, 1, 2].map(|channel| {
        pixels.iter().map(|pixel| f64::from(pixel.0[channel])).sum::<f64>() / pixels.len() as f64
    })
}

fn brightness(picture: &RgbImage, from: f32, to: f32) -> f64 {
    let [r, g, b] = mean(picture, from, to);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_one_others() {
    for prompt in
        ["", "misty mountains by a lake at dawn", "city at night in the rain", "geometric pattern", "xyzzy"]
    {
        let bytes = |seed| run_bytes(&Composer, &asked(prompt), Vec::new(), seed).unwrap();
        assert_eq!(bytes(7), bytes(7), "{prompt}");
        assert_ne!(bytes(7), bytes(8), "{prompt}");
    }
}

#[test]
fn a_picture_has_the_size_and_format_that_it_is_asked_to_have() {
    for (width, height) in [(64, 64), (97, 31), (20, 90), (1, 1)] {
        let made = picture(&Composition::new("pixel art of a beach", width, height), 1);
        assert_eq!(made.dimensions(), (width, height));
    }
    assert_eq!(fitting((20, 9), 1024), (1024, 461));
    assert_eq!(fitting((4, 5), 2048), (1638, 2048));
    let bytes = |format| {
        let parameters = Composition { format, ..asked("forest") };
        run_bytes(&Composer, &parameters, Vec::new(), 1).unwrap()
    };
    let (fine, coarse) = (bytes(Format::Jpeg(Some(10))), bytes(Format::Jpeg(Some(80))));
    assert!(fine.starts_with(b"\xff\xd8\xff") && coarse.len() < fine.len());
    assert!(bytes(Format::Png(Some(90))).len() <= bytes(Format::Png(Some(0))).len());
}

#[test]
fn every_layout_is_another_picture_that_fills_its_frame() {
    let layouts = [
        "mountains",
        "hills",
        "meadow",
        "desert",
        "forest",
        "city",
        "sea",
        "sky",
        "space",
        "abstract",
        "pattern",
        "gradient",
        "portrait",
        "aurora",
        "snow",
        "storm",
        "watercolor sea",
        "neon city in fog",
        "autumn forest",
    ];
    let pictures: Vec<RgbImage> = layouts.iter().map(|layout| composed(layout, 3)).collect();
    for (at, made) in pictures.iter().enumerate() {
        assert!(!pictures[..at].contains(made), "{}", layouts[at]);
        let colours: std::collections::BTreeSet<_> = made.pixels().map(|pixel| pixel.0).collect();
        assert!(colours.len() > 100, "{}: {} colours", layouts[at], colours.len());
    }
}

#[test]
fn colours_of_the_prompt_are_seen() {
    for seed in 0..3 {
        for layout in ["hills", "sea", "abstract", "gradient"] {
            let of = |colour: &str| mean(&composed(&format!("{layout} in {colour}"), seed), 0.0, 1.0);
            let ([red, _, blue], [red_of_red, _, blue_of_red]) = (of("blue"), of("red"));
            assert!(blue - red > blue_of_red - red_of_red + 20.0, "{layout} {seed}");
        }
    }
    let of = |prompt: &str| mean(&composed(prompt, 1), 0.05, 0.35);
    let ([red, ..], [plain, ..]) =
        (of("green hills under a red sky, clear"), of("green hills, daylight, clear"));
    assert!(red > plain + 20.0, "{red} {plain}");
}

#[test]
fn hours_of_the_day_are_told_apart() {
    for seed in 0..2 {
        for layout in ["mountains", "sea", "city", "desert", "forest", "hills"] {
            let at = |hour: &str| composed(&format!("{layout} at {hour}, clear"), seed);
            let (day, night, sunset) = (at("noon"), at("night"), at("sunset"));
            assert!(brightness(&day, 0.0, 1.0) > brightness(&night, 0.0, 1.0) + 40.0, "{layout} {seed}");
            // By day, the sky is lighter than the ground, except for sand.
            let sky = brightness(&day, 0.0, 0.3);
            assert!(layout == "desert" || sky > brightness(&day, 0.9, 1.0), "{layout} {seed}");
            let [red, _, blue] = mean(&sunset, 0.0, 1.0);
            let [day_red, _, day_blue] = mean(&day, 0.0, 1.0);
            assert!(red - blue > day_red - day_blue, "{layout} {seed}");
        }
    }
}

/// Returns the position of the horizon, 0 to 1: the strongest change between rows.
fn horizon(picture: &RgbImage) -> f32 {
    let rows: Vec<f64> = picture
        .rows()
        .map(|row| row.map(|pixel| pixel.0.iter().map(|value| f64::from(*value)).sum::<f64>()).sum())
        .collect();
    let step = |at: usize| (rows[at - 2] + rows[at - 1] - rows[at] - rows[at + 1]).abs();
    let edge = (rows.len() / 5..rows.len() - 2).max_by(|a, b| step(*a).total_cmp(&step(*b)));
    edge.unwrap() as f32 / rows.len() as f32
}

#[test]
fn layouts_put_the_horizon_where_it_belongs() {
    for seed in 0..4 {
        let sky = horizon(&composed("wide sky at noon, clear", seed));
        let meadow = horizon(&composed("meadow at noon, clear", seed));
        assert!(sky > 0.74 && meadow < 0.72 && sky > meadow, "{seed}: {sky} {meadow}");
    }
}

#[test]
fn what_must_not_be_there_is_not() {
    let with = |negative: &str| {
        let mut parameters = asked("overcast sea at noon");
        parameters.negative_prompt = negative.to_owned();
        picture(&parameters, 5)
    };
    assert_eq!(with("clouds, people"), picture(&asked("overcast sea at noon, no clouds"), 5));
    assert_ne!(with("clouds"), with(""));
}

#[test]
fn colours_are_used_by_their_weights() {
    let (navy, gold) = ([0x10, 0x20, 0x60], [0xf0, 0xc0, 0x40]);
    for (prompt, weights) in
        [("mountains", (0.8, 0.2)), ("abstract", (0.25, 0.75)), ("city at night", (0.5, 0.5))]
    {
        let mut parameters = asked(prompt);
        parameters.colours = vec![
            Share { colour: "#102060".into(), weight: weights.0 },
            Share { colour: "#F0C040".into(), weight: weights.1 },
        ];
        let made = picture(&parameters, 2);
        let apart = |pixel: &Rgb<u8>, colour: [u8; 3]| {
            pixel.0.iter().zip(colour).map(|(a, b)| (i32::from(*a) - i32::from(b)).pow(2)).sum::<i32>()
        };
        let golden = made.pixels().filter(|pixel| apart(pixel, gold) < apart(pixel, navy)).count();
        let share = golden as f64 / made.pixels().len() as f64;
        assert!((share - weights.1).abs() < 0.15, "{prompt}: {share}");
    }
}

#[test]
fn references_give_their_colours_and_their_structure() {
    let coffee = photo("coffee");
    let style = |adherence| {
        let parameters = Composition { adherence, ..asked("sea at noon") };
        mean(&rgb(&run(&Composer, &parameters, vec![png(coffee.clone())], 1)), 0.0, 1.0)
    };
    let (wanted, plain) = (mean(&coffee, 0.0, 1.0), mean(&composed("sea at noon", 1), 0.0, 1.0));
    let apart = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>();
    assert!(apart(style(0), wanted) < 0.25 * apart(plain, wanted), "{:?} {wanted:?} {plain:?}", style(0));
    assert!(apart(style(100), wanted) > apart(style(0), wanted));

    // Dark on the left, light on the right.
    let halves = RgbImage::from_fn(128, 128, |x, _| Rgb([if x < 64 { 20 } else { 230 }; 3]));
    let kept = |share| {
        let parameters = Composition { structure: Some(share), ..asked("gradient") };
        let made = rgb(&run(&Composer, &parameters, vec![png(halves.clone())], 1));
        let side = |left: bool| {
            let pixels = made.enumerate_pixels().filter(|(x, ..)| (*x < SIDES.0 / 2) == left);
            pixels.map(|(.., pixel)| f64::from(pixel.0[1])).sum::<f64>()
        };
        side(false) - side(true)
    };
    assert!(kept(100) > kept(40) && kept(40) > kept(0));
}

#[test]
fn what_needs_a_model_is_refused_and_what_is_no_picture_fails() {
    let mut parameters = asked("a fox");
    parameters.trained = (true, true);
    let refused: Vec<_> =
        Composer.refuse(&parameters).iter().map(|refusal| refusal.parameter.clone()).collect();
    assert_eq!(refused, ["styling.styles", "styling.characters"]);
    let failed = run_bytes(&Composer, &asked("sea"), vec![b"GIF89a".to_vec()], 1);
    assert!(matches!(failed, Err(Failure::Media { .. })), "{failed:?}");
    stops_when_cancelled(&Composer, &asked("sea"), Vec::new());
}

#[test]
fn an_expanded_prompt_is_another_picture_of_the_same_thing() {
    let expanded = Composition { expand: true, ..asked("sea") };
    assert_ne!(picture(&expanded, 4), composed("sea", 4));
    assert_eq!(
        run_bytes(&Composer, &expanded, Vec::new(), 4),
        run_bytes(&Composer, &expanded, Vec::new(), 4)
    );
}

#[test]
fn hues_of_monochrome_pictures_are_none() {
    let made = composed("black-and-white, monochrome mountains at noon", 1);
    assert!(made.pixels().all(|pixel| pixel.0.iter().max().unwrap() - pixel.0.iter().min().unwrap() < 4));
}
