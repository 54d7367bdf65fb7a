//! The operations of a store on API keys.

use async_trait::async_trait;

use super::Result;
use super::limits::SharedLimits;
use crate::domain::{KeyRecord, WebhookSecret};
use crate::time::Millis;

/// Stores API keys and their webhook secrets.
#[async_trait]
pub trait Keys {
    /// Stores a new key and its first webhook secret.
    ///
    /// Returns `false` if the id is taken.
    async fn insert_key(&self, key: &KeyRecord, secret: &WebhookSecret) -> Result<bool>;

    /// Returns the key with this id, valid or not.
    async fn key(&self, id: &str) -> Result<Option<KeyRecord>>;

    /// Returns all keys, oldest first.
    async fn keys(&self) -> Result<Vec<KeyRecord>>;

    /// Replaces the secret of a key that is not revoked; the current secret is accepted until `until`.
    ///
    /// A secret that was replaced before is no longer accepted. Returns `false` if no such key exists or if it
    /// is revoked.
    async fn replace_secret(&self, id: &str, secret_hash: &[u8], until: Millis) -> Result<bool>;

    /// Gives a key that is not revoked another tier; returns `false` if there is none.
    async fn set_tier(&self, id: &str, tier: &str) -> Result<bool>;

    /// Stores when a key was last used.
    async fn note_use(&self, id: &str, now: Millis) -> Result<()>;

    /// Revokes a key.
    ///
    /// Returns `false` if no such key exists or if it is revoked already.
    async fn revoke_key(&self, id: &str, now: Millis) -> Result<bool>;

    /// Returns the secrets that sign at this time, newest first.
    async fn webhook_secrets(&self, key_id: &str, now: Millis) -> Result<Vec<WebhookSecret>>;

    /// Adds a secret and lets the older ones expire.
    ///
    /// The older secrets sign until `others_expire_at`, unless they expire earlier.
    async fn rotate_webhook_secret(
        &self,
        key_id: &str,
        secret: &WebhookSecret,
        others_expire_at: Millis,
    ) -> Result<()>;

    /// Returns the counts of limits over all processes; `None` if only one process can use the database.
    fn shared_limits(&self) -> Option<&dyn SharedLimits> {
        None
    }
}
