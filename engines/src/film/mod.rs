//! Videos without a model: a camera that goes over a still, and procedural scenes that move.

mod animate;
mod encode;
mod frame;
mod moves;
mod mp4;
mod still;

pub use animate::{Animation, Animator, Shots};
pub use still::{CameraMove, StillCamera};

/// Frames in a second.
pub const RATE: u32 = 24;

/// The longest video, in seconds.
pub const MAX_SECONDS: u32 = 15;

/// The longest side of a frame.
pub const MAX_SIDE: u32 = 2560;

/// How many frames there are in so many seconds.
fn frames(seconds: u32) -> u32 {
    seconds.clamp(1, MAX_SECONDS) * RATE
}

/// A side that an encoder takes: even, and neither tiny nor huge.
fn side(side: u32) -> usize {
    (side.clamp(16, MAX_SIDE) & !1) as usize
}
