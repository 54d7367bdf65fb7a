//! Webhooks: signs and sends queued events, records attempts, and retries.

pub mod deliver;
pub mod dispatcher;
pub mod schedule;
pub mod settings;
pub mod sign;
