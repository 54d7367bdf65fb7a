//! Reads photographs, runs engines and decodes their results.

use asset_engines::{Engine, Failure, Job, Output};
use image::{DynamicImage, ImageFormat, RgbImage, RgbaImage};

pub const PHOTOS: [&str; 6] = ["astronaut", "coffee", "chelsea", "rocket", "brick", "gravel"];

/// Reads the bytes of a photograph.
pub fn photo_bytes(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/pictures/photos/{name}.jpg", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).unwrap()
}

pub fn photo(name: &str) -> RgbImage {
    decode(&photo_bytes(name)).into_rgb8()
}

pub fn decode(bytes: &[u8]) -> DynamicImage {
    image::load_from_memory(bytes).unwrap()
}

pub fn png(picture: impl Into<DynamicImage>) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.into().write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

/// Returns the bytes of the only file that an engine makes.
pub fn run_bytes<P, E: Engine<P>>(
    engine: &E,
    parameters: &P,
    media: E::Media,
    seed: u64,
) -> Result<Vec<u8>, Failure> {
    assert_eq!(engine.refuse(parameters), []);
    match engine.run(parameters, media, &Job::with_seed(seed))?.as_slice() {
        [Output::File(file)] => Ok(file.bytes.clone()),
        other => panic!("{} results", other.len()),
    }
}

/// Returns the picture that an engine makes.
pub fn run<P, E: Engine<P>>(engine: &E, parameters: &P, media: E::Media, seed: u64) -> RgbaImage {
    let bytes = run_bytes(engine, parameters, media, seed).unwrap();
    keep(std::any::type_name::<P>(), seed, &bytes);
    decode(&bytes).into_rgba8()
}

/// Saves a result in the folder that the variable `KEEP_PICTURES` names.
fn keep(name: &str, seed: u64, bytes: &[u8]) {
    if let Ok(folder) = std::env::var("KEEP_PICTURES") {
        let name = name.rsplit("::").next().unwrap();
        let number = std::fs::read_dir(&folder).map_or(0, Iterator::count);
        std::fs::write(format!("{folder}/{number:03}-{name}-{seed}.png"), bytes).unwrap();
    }
}

pub fn rgb(picture: &RgbaImage) -> RgbImage {
    DynamicImage::from(picture.clone()).into_rgb8()
}

/// Checks that a job that is cancelled before its start has no result.
pub fn stops_when_cancelled<P, E: Engine<P>>(engine: &E, parameters: &P, media: E::Media) {
    let cancelled = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    assert_eq!(engine.run(parameters, media, &Job::new(1, cancelled)), Err(Failure::Cancelled));
}
