//! API keys, and the secrets that their webhooks are signed with.

use async_trait::async_trait;

use super::Result;
use crate::time::Millis;

/// An API key, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// The public part: 8 characters.
    pub id: String,
    /// What the operator calls it.
    pub name: String,
    /// SHA-256 of the secret part.
    pub secret_hash: Vec<u8>,
    /// May run workflow apps.
    pub enterprise: bool,
    /// The tier of the settings that its limits come from.
    pub tier: String,
    /// When it was made.
    pub created_at: Millis,
    /// From when on it is not good any more.
    pub expires_at: Option<Millis>,
    /// When it was revoked.
    pub revoked_at: Option<Millis>,
}

/// A secret that the webhooks of a key are signed with.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret {
    /// 24 to 64 bytes.
    pub bytes: Vec<u8>,
    /// When it was made.
    pub created_at: Millis,
    /// Until when it signs, where another one has taken its place.
    pub expires_at: Option<Millis>,
}

/// Without the secret.
impl std::fmt::Debug for WebhookSecret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut secret = formatter.debug_struct("WebhookSecret");
        secret.field("created_at", &self.created_at).field("expires_at", &self.expires_at);
        secret.finish_non_exhaustive()
    }
}

/// Keys and their secrets.
#[async_trait]
pub trait Keys {
    /// Keeps a new key and its first webhook secret. `false`: there is one of this id.
    async fn insert_key(&self, key: &KeyRecord, secret: &WebhookSecret) -> Result<bool>;

    /// The key of this id, good or not.
    async fn key(&self, id: &str) -> Result<Option<KeyRecord>>;

    /// All keys, oldest first.
    async fn keys(&self) -> Result<Vec<KeyRecord>>;

    /// Revokes a key. `false`: there is none, or it was revoked before.
    async fn revoke_key(&self, id: &str, now: Millis) -> Result<bool>;

    /// The secrets that sign now, newest first.
    async fn webhook_secrets(&self, key_id: &str, now: Millis) -> Result<Vec<WebhookSecret>>;

    /// Adds a secret; those before it sign until `others_expire_at`, if they don't end earlier.
    async fn rotate_webhook_secret(
        &self,
        key_id: &str,
        secret: &WebhookSecret,
        others_expire_at: Millis,
    ) -> Result<()>;
}
