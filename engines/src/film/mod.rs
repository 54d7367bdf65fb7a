//! Videos without a model: camera moves over stills, and moving compositions.

mod animate;
mod encode;
mod frame;
mod moves;
mod mp4;
mod still;

pub use animate::{Animation, Animator, Shots};
pub use still::{CameraMove, StillCamera};

/// Frames per second.
pub const RATE: u32 = 24;

/// The longest video, in seconds.
pub const MAX_SECONDS: u32 = 15;

/// The longest side of a frame, in pixels.
pub const MAX_SIDE: u32 = 2560;

/// Returns the number of frames in a video of this length.
fn frames(seconds: u32) -> u32 {
    seconds.clamp(1, MAX_SECONDS) * RATE
}

/// Rounds a side down to an even number within the encoder's limits.
fn side(side: u32) -> usize {
    (side.clamp(16, MAX_SIDE) & !1) as usize
}
