//! Tests that descriptions match the pictures.

use asset_engines::describe::{Describe, Describer};
use asset_engines::{Engine, Job, Output};
use image::imageops::rotate90;
use image::{Rgb, RgbImage};

use crate::support::{PHOTOS, photo, png, stops_when_cancelled};

fn described(picture: RgbImage) -> String {
    match Describer.run(&Describe {}, png(picture), &Job::with_seed(1)).unwrap().as_slice() {
        [Output::Text(text)] => text.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn different_photographs_get_different_descriptions() {
    let texts: Vec<String> = PHOTOS.map(|name| described(photo(name))).into();
    for (at, text) in texts.iter().enumerate() {
        println!("{}: {text}", PHOTOS[at]);
        assert!(text.ends_with('.') && text.len() > 60 && text.is_ascii());
        assert!(!texts[..at].contains(text));
        assert_eq!(*text, described(photo(PHOTOS[at])));
    }
    assert!(texts[4].contains("black and white"), "the wall is grey: {}", texts[4]);
    assert!(texts[4].contains("lines run mostly vertically"), "{}", texts[4]);
    assert!(texts[1].contains("warm") && texts[1].contains("rust"), "the coffee: {}", texts[1]);
}

#[test]
fn formats_are_named() {
    for (width, height, format) in [
        (200, 90, "panoramic"),
        (120, 90, "landscape"),
        (90, 90, "square"),
        (90, 120, "portrait"),
        (64, 200, "tall"),
    ] {
        let text = described(RgbImage::from_pixel(width, height, Rgb([200, 30, 30])));
        assert!(text.contains(format) && text.contains("red"), "{text}");
    }
}

#[test]
fn light_is_found_where_it_is() {
    let lit = RgbImage::from_fn(120, 90, |x, y| if x > 85 && y < 25 { Rgb([250; 3]) } else { Rgb([30; 3]) });
    let text = described(lit);
    assert!(text.contains("low-key") && text.contains("brightest in the upper right"), "{text}");
}

#[test]
fn lines_turn_with_the_picture() {
    let wall = photo("brick");
    assert!(described(rotate90(&wall)).contains("mostly horizontally"));
}

#[test]
fn symmetry_is_seen() {
    let mirrored = RgbImage::from_fn(128, 96, |x, y| Rgb([((x.min(127 - x)) * 2 + y) as u8; 3]));
    assert!(described(mirrored).contains("left and right mirror each other"));
    assert!(!described(photo("rocket")).contains("mirror"));
}

#[test]
fn cancelled_work_stops() {
    stops_when_cancelled(&Describer, &Describe {}, png(photo("brick")));
}
