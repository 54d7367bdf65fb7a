//! Counts the use of limits over all processes.

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;

use super::Result;
use crate::keys::limits::Used;

/// Counts the use of limits over all processes of a database.
///
/// A caller is a key or an address, as a text.
#[async_trait]
pub trait SharedLimits: Send + Sync {
    /// Adds what callers have used; returns what is now missing in the bucket of each.
    async fn add_used(&self, used: &[(String, Used)]) -> Result<HashMap<String, Duration>>;

    /// Stores how many requests of each caller are in progress in this process.
    ///
    /// Returns how many are in progress in the other processes, of callers that have some there. They forget it after some
    /// seconds.
    async fn set_in_progress(
        &self,
        process: &str,
        requests: &[(String, u32)],
    ) -> Result<HashMap<String, u32>>;

    /// Removes what no longer counts.
    async fn forget_idle(&self) -> Result<()>;
}
