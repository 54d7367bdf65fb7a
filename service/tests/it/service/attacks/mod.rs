//! Attacks of one client, and what the others see meanwhile.

mod bodies;
#[cfg(target_os = "linux")]
mod connections;
mod downloads;
#[cfg(target_os = "linux")]
pub mod media;
mod names;
pub mod outbox;
#[cfg(target_os = "linux")]
pub mod programs;
#[cfg(target_os = "linux")]
pub mod stderr;
#[cfg(target_os = "linux")]
pub mod unread_responses;
mod webhooks;
mod work;
