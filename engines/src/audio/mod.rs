//! What sound and speech have in common: filters, noise, levels, and the WAV file.

pub(crate) mod filter;
pub(crate) mod level;
pub(crate) mod noise;
pub(crate) mod wav;
