//! Code that sound and speech share: filters, noise, levels and WAV files.

pub(crate) mod filter;
pub(crate) mod level;
pub(crate) mod noise;
pub(crate) mod wav;
