//! Webhooks: what is queued in the store's outbox is signed, sent, recorded, and tried again.

pub mod deliver;
pub mod dispatcher;
pub mod schedule;
pub mod sign;
