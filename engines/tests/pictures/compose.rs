//! Tests that measure the requested properties in composed pictures.

use asset_engines::Engine;
use asset_engines::compose::{Composer, Composition, Format, Share, fitting};
use image::{Rgb, RgbImage};

use crate::support::{rgb, run, run_bytes, stops_when_cancelled};

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

/// Returns the mean of each channel.
fn mean(picture: &RgbImage) -> [f64; 3] {
    [0, 1, 2].map(|channel| {
        picture.pixels().map(|pixel| f64::from(pixel.0[channel])).sum::<f64>() / picture.pixels().len() as f64
    })
}

fn brightness(picture: &RgbImage) -> f64 {
    let [r, g, b] = mean(picture);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_one_others() {
    for prompt in ["", "misty mountains by a lake at dawn", "夜の街", "xyzzy"] {
        let bytes = |seed| run_bytes(&Composer, &asked(prompt), Vec::new(), seed).unwrap();
        assert_eq!(bytes(7), bytes(7), "{prompt}");
        assert_ne!(bytes(7), bytes(8), "{prompt}");
    }
}

#[test]
fn a_picture_has_the_size_and_format_that_it_is_asked_to_have() {
    for (width, height) in [(64, 64), (97, 31), (20, 90), (1, 1), (4096, 1)] {
        let painted = picture(&Composition::new("a beach", width, height), 1);
        assert_eq!(painted.dimensions(), (width, height));
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
fn colours_and_moods_of_the_prompt_are_seen() {
    for seed in 0..3 {
        for land in ["hills", "sea", "abstract"] {
            let of = |words: &str| mean(&composed(&format!("{land} in {words}"), seed));
            let ([red, _, blue], [red_of_red, _, blue_of_red]) = (of("blue"), of("red"));
            assert!(blue - red > blue_of_red - red_of_red + 20.0, "{land} {seed}");
            let at = |hour: &str| composed(&format!("{land} at {hour}"), seed);
            assert!(brightness(&at("noon")) > brightness(&at("night")) + 40.0, "{land} {seed}");
            let (sunset, noon) = (mean(&at("sunset")), mean(&at("noon")));
            assert!(sunset[0] - sunset[2] > noon[0] - noon[2], "{land} {seed}");
        }
    }
    let grey = composed("mountains at noon in black and white", 1);
    assert!(grey.pixels().all(|pixel| pixel.0.iter().max().unwrap() - pixel.0.iter().min().unwrap() < 4));
}

#[test]
fn words_of_the_negative_prompt_have_no_effect() {
    let with = |negative: &str| {
        let parameters = Composition { negative_prompt: negative.to_owned(), ..asked("a red sea at noon") };
        picture(&parameters, 5)
    };
    assert_ne!(with("red"), with(""));
    assert_eq!(with("people"), with(""));
    let ([red, ..], [plain, ..]) = (mean(&with("")), mean(&with("red")));
    assert!(red > plain + 20.0, "{red} {plain}");
}

#[test]
fn colours_are_used_by_their_weights() {
    let (navy, gold) = ([0x10, 0x20, 0x60], [0xf0, 0xc0, 0x40]);
    for (prompt, weights) in [("mountains", (0.8, 0.2)), ("abstract", (0.25, 0.75)), ("city", (0.5, 0.5))] {
        let colours = vec![
            Share { colour: "#102060".into(), weight: weights.0 },
            Share { colour: "#F0C040".into(), weight: weights.1 },
        ];
        let painted = picture(&Composition { colours, ..asked(prompt) }, 2);
        let apart = |pixel: &Rgb<u8>, colour: [u8; 3]| {
            pixel.0.iter().zip(colour).map(|(a, b)| (i32::from(*a) - i32::from(b)).pow(2)).sum::<i32>()
        };
        let golden = painted.pixels().filter(|pixel| apart(pixel, gold) < apart(pixel, navy)).count();
        let share = golden as f64 / painted.pixels().len() as f64;
        assert!((share - weights.1).abs() < 0.15, "{prompt}: {share}");
    }
}

#[test]
fn requests_that_need_a_model_are_refused() {
    let parameters = Composition { trained: (true, true), ..asked("a fox") };
    let refused: Vec<_> =
        Composer.refuse(&parameters).iter().map(|refusal| refusal.parameter.clone()).collect();
    assert_eq!(refused, ["styling.styles", "styling.characters"]);
    stops_when_cancelled(&Composer, &asked("sea"), Vec::new());
}
