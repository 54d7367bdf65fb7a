//! API keys and the secrets that sign their webhooks.

use async_trait::async_trait;

use super::Result;
use crate::time::Millis;

/// An API key, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// The public part: 8 characters.
    pub id: String,
    /// The operator's name for the key.
    pub name: String,
    /// The SHA-256 of the secret part.
    pub secret_hash: Vec<u8>,
    /// The secret that the last rotation replaced.
    pub replaced: Option<ReplacedSecret>,
    /// Whether the key may run workflow apps.
    pub enterprise: bool,
    /// The tier in the settings that defines the key's limits.
    pub tier: String,
    /// The time of creation.
    pub created_at: Millis,
    /// The time from which the key is no longer valid.
    pub expires_at: Option<Millis>,
    /// The time of revocation.
    pub revoked_at: Option<Millis>,
}

/// A secret of an API key that was replaced, and is accepted for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplacedSecret {
    /// The SHA-256 of the secret part.
    pub hash: Vec<u8>,
    /// The time from which it is no longer accepted.
    pub until: Millis,
}

/// A secret that signs the webhooks of a key.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret {
    /// 24 to 64 bytes.
    pub bytes: Vec<u8>,
    /// The time of creation.
    pub created_at: Millis,
    /// The time until which a replaced secret still signs; `None` for the current one.
    pub expires_at: Option<Millis>,
}

/// Omits the secret bytes.
impl std::fmt::Debug for WebhookSecret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut secret = formatter.debug_struct("WebhookSecret");
        secret.field("created_at", &self.created_at).field("expires_at", &self.expires_at);
        secret.finish_non_exhaustive()
    }
}

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
}
