//! Health of the store, for readiness checks and metrics.

use async_trait::async_trait;

use super::Result;
use crate::time::Millis;

/// The webhook events that wait for their delivery.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Undelivered {
    /// The number of events.
    pub count: u64,
    /// The time at which the oldest event was queued.
    pub oldest: Option<Millis>,
}

/// Health checks of a store.
#[async_trait]
pub trait Health {
    /// Checks that the store can be read and written.
    ///
    /// The write changes no data, but takes the path of all writes.
    async fn probe(&self) -> Result<()>;

    /// Counts the webhook events that are neither delivered nor given up.
    async fn undelivered(&self) -> Result<Undelivered>;
}
