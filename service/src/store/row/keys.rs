//! Rows of API keys and of the audit log.

use super::row;
use crate::domain::{AuditRecord, KeyRecord, ReplacedSecret, Role, WebhookSecret};
use crate::time::Millis;

/// Lists the columns of a [`KeyRow`].
macro_rules! key_columns {
    () => {
        "id, name, secret_hash, replaced_hash, replaced_until, enterprise, tier, created_at, expires_at, revoked_at, role, \
         last_used_at"
    };
}
pub(in crate::store) use key_columns;

row! {
    /// A row of `keys`.
    pub(in crate::store) struct KeyRow {
        id: String,
        name: String,
        secret_hash: Vec<u8>,
        replaced_hash: Option<Vec<u8>>,
        replaced_until: Option<Millis>,
        enterprise: bool,
        tier: String,
        created_at: Millis,
        expires_at: Option<Millis>,
        revoked_at: Option<Millis>,
        role: i16,
        last_used_at: Option<Millis>,
    }
}

impl From<KeyRow> for KeyRecord {
    fn from(row: KeyRow) -> Self {
        let KeyRow { id, name, secret_hash, enterprise, tier, created_at, expires_at, revoked_at, .. } = row;
        let (role, last_used_at) = (Role::from_number(row.role), row.last_used_at);
        let replaced = row.replaced_hash.zip(row.replaced_until);
        let replaced = replaced.map(|(hash, until)| ReplacedSecret { hash, until });
        Self {
            id,
            name,
            secret_hash,
            replaced,
            enterprise,
            tier,
            created_at,
            expires_at,
            revoked_at,
            role,
            last_used_at,
        }
    }
}

row! { AuditRecord { at: Millis, who: String, action: String, target: String, result: Option<String> } }

row! { WebhookSecret { bytes: Vec<u8>, created_at: Millis, expires_at: Option<Millis> } }
