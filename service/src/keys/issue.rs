//! New keys.

use super::token::Token;
use crate::store::{KeyRecord, Keys, Result, WebhookSecret};
use crate::time::Millis;
use crate::webhooks::sign;

/// What an operator decides of a new key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// What it is called.
    pub name: String,
    /// May run workflow apps.
    pub enterprise: bool,
    /// The tier of the settings that its limits come from.
    pub tier: String,
    /// From when on it is not good any more.
    pub expires_at: Option<Millis>,
}

/// Makes a key and the first secret of its webhooks. Both are to be shown now; the token can't be shown again.
///
/// # Errors
/// When the store fails.
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
            enterprise: new.enterprise,
            tier: new.tier.clone(),
            created_at: now,
            expires_at: new.expires_at,
            revoked_at: None,
        };
        // An id that is taken: one in 200 million millions.
        if store.insert_key(&record, &secret).await? {
            return Ok((token, secret));
        }
    }
}
