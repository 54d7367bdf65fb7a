//! The engines that the asset service has built in.
//!
//! They are classical algorithms without model weights, and their names say so. A module for each modality: what can be
//! asked of it (`Parameters`), which is plain data that a queue can store, and the engine that does it. They know nothing
//! of HTTP, of families of the API, or of where files are kept.
//!
//! The same parameters, media, seed and version of an engine give the same bytes.

mod audio;
pub mod camera;
pub mod compose;
pub mod describe;
mod engine;
pub mod expand;
mod fill;
pub mod film;
pub mod icon;
pub mod picture;
pub mod prompt;
mod random;
pub mod remove;
pub mod retouch;
pub mod sound;
pub mod speech;
pub mod svg;
pub mod upscale;

pub use engine::{Engine, Failure, File, Job, Output, Parameters, Refusal};
