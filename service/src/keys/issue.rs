//! Issues new API keys.

use super::token::Token;
use crate::domain::{KeyRecord, Role, WebhookSecret};
use crate::store::{Keys, Result};
use crate::time::Millis;
use crate::webhooks::sign;

/// The properties of a new key, chosen by an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// The name.
    pub name: String,
    /// Whether the key may run workflow apps.
    pub enterprise: bool,
    /// The tier in the settings that defines the key's limits.
    pub tier: String,
    /// The time from which the key is no longer valid.
    pub expires_at: Option<Millis>,
    /// The operations that the key may call.
    pub role: Role,
}

/// Creates a key and the first secret of its webhooks.
///
/// Show both to the owner now, because the token can't be shown again.
///
/// # Errors
/// Fails if the store fails.
pub async fn issue<S: Keys + Sync + ?Sized>(
    store: &S,
    new: NewKey,
    now: Millis,
) -> Result<(Token, WebhookSecret)> {
    let secret = sign::generate(now);
    loop {
        let token = Token::generate();
        let record = KeyRecord {
            id: token.id().to_owned(),
            name: new.name.clone(),
            secret_hash: token.secret_hash().to_vec(),
            replaced: None,
            enterprise: new.enterprise,
            tier: new.tier.clone(),
            created_at: now,
            expires_at: new.expires_at,
            revoked_at: None,
            role: new.role,
            last_used_at: None,
        };
        // `false` means that the id is taken, which hardly ever happens: there are 62^8 ids.
        if store.insert_key(&record, &secret).await? {
            return Ok((token, secret));
        }
    }
}

/// Replaces the secret of a key; the current one is accepted until `until`.
///
/// Returns `None` if no such key exists or if it is revoked.
///
/// # Errors
/// Fails if the store fails.
pub async fn rotate<S: Keys + Sync + ?Sized>(store: &S, id: &str, until: Millis) -> Result<Option<Token>> {
    let token = Token::with_id(id);
    Ok(store.replace_secret(id, &token.secret_hash(), until).await?.then_some(token))
}
