//! API keys and the secrets that sign their webhooks.

use crate::time::Millis;

/// The role of a key: the operations that it may call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Role {
    /// The API of clients.
    #[default]
    Client,
    /// The `GET` operations of the administration API.
    ReadOnly,
    /// The administration API.
    Operator,
    /// A role that a later release has added. It permits nothing here.
    Unknown,
}

impl Role {
    /// Returns the number that databases store.
    #[must_use]
    pub const fn number(self) -> i16 {
        // The cast is exact: the discriminants are the numbers.
        self as i16
    }

    /// Converts from the number that databases store.
    #[must_use]
    pub fn from_number(number: i16) -> Self {
        [Self::Client, Self::ReadOnly, Self::Operator]
            .into_iter()
            .find(|one| one.number() == number)
            .unwrap_or(Self::Unknown)
    }
}

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
    /// The operations that it may call.
    pub role: Role,
    /// The time at which it was last used, to the minute.
    pub last_used_at: Option<Millis>,
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
