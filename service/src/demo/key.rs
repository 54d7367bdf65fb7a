//! The demo's API key.
//!
//! It is created once and kept in the data folder, so that printed calls keep working. It expires after a
//! month, so that it does not stay indefinitely on a service that has outgrown the demo.

use std::io::Write as _;
use std::path::Path;

use crate::domain::{Role, WebhookSecret};
use crate::import::ImportError;
use crate::keys::issue::{NewKey, issue};
use crate::keys::tier::DEFAULT_TIER;
use crate::keys::token::Token;
use crate::private;
use crate::store::SharedStore;
use crate::time::Millis;

/// The file that holds the key; only the service's user can read it.
const FILE: &str = "demo-key";

const DAY: Millis = 24 * 60 * 60 * 1000;

/// How long a new key is valid, in milliseconds.
const VALIDITY: Millis = 30 * DAY;

/// Returns the demo's key and the secret of its webhooks.
///
/// Creates a new key unless the last one is valid for another day.
pub(super) async fn key(
    store: &SharedStore,
    data_dir: &Path,
    now: Millis,
) -> Result<(Token, WebhookSecret), ImportError> {
    let path = data_dir.join(FILE);
    if let Some(known) = known(store, &path, now).await? {
        return Ok(known);
    }
    let new = NewKey {
        name: "demo".to_owned(),
        enterprise: true,
        tier: DEFAULT_TIER.to_owned(),
        expires_at: Some(now + VALIDITY),
        role: Role::Client,
    };
    let (token, secret) = issue(&**store, new, now).await?;
    write(&path, token.reveal()).map_err(|source| ImportError::Read { path, source })?;
    Ok((token, secret))
}

async fn known(
    store: &SharedStore,
    path: &Path,
    now: Millis,
) -> Result<Option<(Token, WebhookSecret)>, ImportError> {
    let Some(token) = std::fs::read_to_string(path).ok().and_then(|text| Token::parse(text.trim())) else {
        return Ok(None);
    };
    let Some(key) = store.key(token.id()).await? else { return Ok(None) };
    let is_valid = key.revoked_at.is_none() && key.expires_at.is_none_or(|end| now + DAY < end);
    if !is_valid || !token.matches(&key.secret_hash) {
        return Ok(None);
    }
    let secrets = store.webhook_secrets(&key.id, now).await?;
    Ok(secrets.into_iter().next().map(|secret| (token, secret)))
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = private::file(path)?;
    file.set_len(0)?;
    writeln!(file, "{text}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Schema;

    #[tokio::test]
    async fn the_key_is_renewed_before_it_expires() {
        let data = tempfile::tempdir().unwrap();
        let store = crate::store::open(None, data.path(), Schema::Migrate, crate::store::Access::DEFAULT)
            .await
            .unwrap();
        let (first, secret) = key(&store, data.path(), 0).await.unwrap();
        let (again, same) = key(&store, data.path(), 28 * DAY).await.unwrap();
        assert_eq!((again.reveal(), same.bytes), (first.reveal(), secret.bytes));

        let (renewed, _) = key(&store, data.path(), 29 * DAY).await.unwrap();
        assert_ne!(renewed.reveal(), first.reveal(), "it would not last another day");
        store.revoke_key(renewed.id(), 29 * DAY).await.unwrap();
        let (after, _) = key(&store, data.path(), 29 * DAY).await.unwrap();
        assert_ne!(after.reveal(), renewed.reveal());

        let elsewhere = tempfile::tempdir().unwrap();
        let other =
            crate::store::open(None, elsewhere.path(), Schema::Migrate, crate::store::Access::DEFAULT)
                .await
                .unwrap();
        std::fs::copy(data.path().join(FILE), elsewhere.path().join(FILE)).unwrap();
        let (new, _) = key(&other, elsewhere.path(), 29 * DAY).await.unwrap();
        assert_ne!(new.reveal(), after.reveal(), "another database doesn't know it");
    }
}
