//! The files that are mutated. ffmpeg has made them from generated tones and patterns.

/// How the parts of a file state their sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    Boxes,
    Flac,
    Id3,
    Jpeg,
    Ogg,
    Png,
    Riff,
    Svg,
    WebM,
}

/// The content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    Picture,
    Sound,
    Film,
}

/// A valid file.
pub struct Seed {
    /// The name of its format, and its extension.
    pub extension: &'static str,
    pub layout: Layout,
    pub holds: Holds,
    pub bytes: &'static [u8],
}

const fn seed(extension: &'static str, layout: Layout, holds: Holds, bytes: &'static [u8]) -> Seed {
    Seed { extension, layout, holds, bytes }
}

/// All formats.
pub const SEEDS: &[Seed] = &[
    seed("png", Layout::Png, Holds::Picture, include_bytes!("seeds/pattern.png")),
    seed("jpg", Layout::Jpeg, Holds::Picture, include_bytes!("seeds/pattern.jpg")),
    seed("webp", Layout::Riff, Holds::Picture, include_bytes!("seeds/lossy.webp")),
    seed("webp", Layout::Riff, Holds::Picture, include_bytes!("seeds/alpha.webp")),
    seed("webp", Layout::Riff, Holds::Picture, include_bytes!("seeds/lossless.webp")),
    seed("webp", Layout::Riff, Holds::Picture, include_bytes!("seeds/moving.webp")),
    seed("svg", Layout::Svg, Holds::Picture, DRAWING.as_bytes()),
    seed("mp3", Layout::Id3, Holds::Sound, include_bytes!("seeds/tone.mp3")),
    seed(
        "mp3",
        Layout::Id3,
        Holds::Sound,
        include_bytes!("../../../../src/engine/result/complete/tagged.mp3"),
    ),
    seed("wav", Layout::Riff, Holds::Sound, include_bytes!("seeds/tone.wav")),
    seed("m4a", Layout::Boxes, Holds::Sound, include_bytes!("seeds/tone.m4a")),
    seed(
        "flac",
        Layout::Flac,
        Holds::Sound,
        include_bytes!("../../../../src/engine/result/complete/tone.flac"),
    ),
    seed(
        "ogg",
        Layout::Ogg,
        Holds::Sound,
        include_bytes!("../../../../src/engine/result/complete/vorbis.ogg"),
    ),
    seed("ogg", Layout::Ogg, Holds::Sound, include_bytes!("../../../../src/engine/result/complete/opus.ogg")),
    seed("mp4", Layout::Boxes, Holds::Film, include_bytes!("../../../../../tests/providers/media/film.mp4")),
    seed("mov", Layout::Boxes, Holds::Film, include_bytes!("seeds/film.mov")),
    seed(
        "webm",
        Layout::WebM,
        Holds::Film,
        include_bytes!("../../../../src/engine/result/complete/whole.webm"),
    ),
    seed(
        "webm",
        Layout::WebM,
        Holds::Film,
        include_bytes!("../../../../src/engine/result/complete/streamed.webm"),
    ),
];

const DRAWING: &str = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'>\
    <defs><linearGradient id='p'><stop stop-color='red'/></linearGradient>\
    <mask id='m'><circle cx='9' cy='9' r='8' fill='white'/></mask>\
    <filter id='f'><feGaussianBlur stdDeviation='2'/></filter><symbol id='s'><rect width='3' height='3'/></symbol></defs>\
    <g id='g' mask='url(#m)'><path d='M3 21V9l9-7l9 7v12z' fill='url(#p)' stroke='blue' stroke-width='2'/></g>\
    <use href='#s' x='4'/><text x='1' y='9' filter='url(#f)'>A</text></svg>";
