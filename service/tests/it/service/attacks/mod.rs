//! Attacks of one client, and what the others see meanwhile.

#[cfg(target_os = "linux")]
mod connections;
mod downloads;
mod names;
#[cfg(target_os = "linux")]
pub mod programs;
mod webhooks;
mod work;
