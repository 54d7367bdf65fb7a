//! Attacks of one client, and what the others see meanwhile.

#[cfg(target_os = "linux")]
mod connections;
mod downloads;
mod names;
pub mod outbox;
mod webhooks;
mod work;
