//! Attacks of one client, and what the others see meanwhile.

#[cfg(target_os = "linux")]
mod connections;
mod downloads;
#[cfg(target_os = "linux")]
pub mod media;
mod names;
mod webhooks;
mod work;
