//! What operators change and see of the whole service.

use async_trait::async_trait;

use super::Result;
use crate::domain::{AuditRecord, Page, Stored};
use crate::time::Millis;

/// Stores paused families and the audit log, and counts what is stored.
#[async_trait]
pub trait Administration {
    /// Returns the families whose engines begin no tasks.
    async fn paused(&self) -> Result<Vec<String>>;

    /// Pauses a family; returns `false` if it is paused already.
    async fn pause(&self, family: &str) -> Result<bool>;

    /// Ends the pause of a family; returns `false` if it is not paused.
    async fn unpause(&self, family: &str) -> Result<bool>;

    /// Adds the beginning of a change to the audit log; returns its number.
    async fn begin_change(&self, now: Millis, who: &str, action: &str, target: &str) -> Result<i64>;

    /// Adds the result of a change to the audit log.
    async fn end_change(&self, number: i64, result: &str) -> Result<()>;

    /// Returns a page of the audit log, newest first.
    async fn audit(&self, page: Page) -> Result<Vec<AuditRecord>>;

    /// Counts what is stored.
    async fn stored(&self) -> Result<Stored>;
}
