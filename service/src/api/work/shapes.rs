//! Sizes of pictures and videos from the shape names in requests.

use asset_api_server::models::common::VideoResolution;
use asset_engines::compose::fitting;

/// Returns the two numbers of a shape name: `widescreen_16_9`, `16:9`, `1280*720`.
pub(super) fn numbers(name: &str) -> (u32, u32) {
    let mut numbers = name.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok());
    match (numbers.next(), numbers.next()) {
        (Some(across), Some(down)) => (across, down),
        _ => (1, 1),
    }
}

/// Returns the size of a picture with this shape and this longer side.
pub(super) fn longest(name: &str, side: u32) -> (u32, u32) {
    fitting(numbers(name), side)
}

/// Returns a size of exactly this shape with at most this many pixels.
///
/// Both sides are multiples of the shape's numbers, and of 16 unless the picture is tiny.
pub(super) fn area(name: &str, pixels: u32) -> (u32, u32) {
    let (across, down) = numbers(name);
    let unit = (pixels / (across * down).max(1)).isqrt();
    // Encoders and screens work best with multiples of 16.
    let unit = if unit >= 16 { unit / 16 * 16 } else { unit.max(1) };
    (across * unit, down * unit)
}

/// Returns the size of a video with this shape and this shorter side.
///
/// The longer side is rounded down to an even number.
pub(super) fn shortest(name: &str, side: u32) -> (u32, u32) {
    let (across, down) = numbers(name);
    let (short, long) = (across.min(down).max(1), across.max(down));
    let other = (side * long / short) & !1;
    if across >= down { (other, side) } else { (side, other) }
}

/// Returns the shorter side of a resolution, in pixels.
pub(super) fn lines(resolution: &VideoResolution) -> u32 {
    match resolution {
        VideoResolution::N720p => 720,
        VideoResolution::N1080p => 1080,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_from_their_names() {
        assert_eq!(numbers("smartphone_vertical_9_20"), (9, 20));
        assert_eq!(numbers("1920*1080"), (1920, 1080));
        assert_eq!(longest("21:9", 2048), (2048, 878));
        assert_eq!(longest("portrait_2_3", 1024), (683, 1024));
        assert_eq!(shortest("16:9", 1080), (1920, 1080));
        assert_eq!(shortest("3:4", 720), (720, 960));
        assert_eq!(area("square_1_1", 1 << 20), (1024, 1024));
        assert_eq!(area("widescreen_16_9", 1 << 20), (1280, 720));
        assert_eq!(area("standard_3_2", 1 << 20), (1248, 832));
    }
}
