//! The built-in engines of the asset service.
//!
//! They are classical algorithms without model weights, and are named after these algorithms. Each kind of work
//! has a module with the parameters of a request and the engine that does the work. Parameters are plain data
//! that a queue can store. Engines know nothing of HTTP, of the API's product families, or of file storage.
//!
//! The same parameters, media, seed and engine version always give the same bytes.

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
mod scratch;
pub mod sound;
pub mod speech;
pub mod svg;
pub mod upscale;
mod words;

pub use engine::{Engine, Failure, File, Job, LongFile, Output, Refusal};
pub use scratch::Scratch;
