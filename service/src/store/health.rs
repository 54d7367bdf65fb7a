//! How the store is: for readiness and measurements.

use async_trait::async_trait;

use super::Result;
use crate::time::Millis;

/// Webhook events that wait for their delivery.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Undelivered {
    /// How many.
    pub count: u64,
    /// When the oldest one was queued.
    pub oldest: Option<Millis>,
}

/// How a store is.
#[async_trait]
pub trait Health {
    /// Reads and writes. What is written changes nothing, and goes the way that all writes go.
    async fn probe(&self) -> Result<()>;

    /// The webhook events that are neither delivered nor given up.
    async fn undelivered(&self) -> Result<Undelivered>;
}
