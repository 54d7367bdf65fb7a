//! `storage` and `audit`: what is stored, and who changed what.

use asset_admin_server::models::common::AuditEntry;

use super::output::{self, Align, Column};
use super::{CommandError, Instance};
use crate::domain::Page;

/// Prints how much is stored.
pub(super) async fn storage(instance: &Instance) -> Result<(), CommandError> {
    let admin = instance.admin().await?;
    output::details(&admin.storage(&instance.files(&admin.store).await?).await?)
}

/// Prints the audit log.
pub(super) async fn audit(instance: &Instance, limit: u32) -> Result<(), CommandError> {
    let columns: &[Column<AuditEntry>] = &[
        ("at", Align::Left, |entry| entry.at.to_string()),
        ("who", Align::Left, |entry| entry.who.clone()),
        ("action", Align::Left, |entry| entry.action.clone()),
        ("target", Align::Left, |entry| entry.target.clone()),
        ("result", Align::Left, |entry| entry.result.clone()),
    ];
    output::table(columns, &instance.admin().await?.audit(Page { offset: 0, limit }).await?)
}
