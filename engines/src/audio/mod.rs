//! Code that sound and speech share: filters, noise, levels, WAV and FLAC files.

pub(crate) mod filter;
pub(crate) mod flac;
pub(crate) mod level;
pub(crate) mod noise;
pub(crate) mod wav;
