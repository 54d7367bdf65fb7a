//! Keys and tiers.

use std::collections::BTreeSet;

use asset_admin_server::models::common::{Key, KeyRole, KeyState, Tier, TierFields};

use super::{Admin, AdminError, COMMAND_LINE, Result, count, done, now};
use crate::domain::{KeyRecord, Role, WebhookSecret};
use crate::keys::issue::{NewKey, issue, rotate};
use crate::keys::tier::{DEFAULT_TIER, Tiers};
use crate::keys::token::Token;
use crate::time::{Millis, timestamp};

impl Admin {
    /// Returns all keys without their secrets, oldest first.
    ///
    /// # Errors
    /// Fails if the store fails.
    pub async fn keys(&self) -> Result<Vec<Key>> {
        let now = now();
        Ok(self.store.keys().await?.into_iter().map(|key| shown(key, now)).collect())
    }

    /// Creates a key. It can't be shown again, nor can the secret of its webhooks be read by clients.
    ///
    /// # Errors
    /// Fails if the settings have no such tier, or if the store fails.
    pub async fn create_key(&self, new: NewKey, tiers: &Tiers) -> Result<(Token, WebhookSecret)> {
        let target = new.name.clone();
        let create = async {
            known(&new.tier, tiers)?;
            Ok(issue(&*self.store, new, now()).await?)
        };
        let result = |(token, _): &(Token, WebhookSecret)| format!("done: {}", token.id());
        self.change("create key", &target, create, result).await
    }

    /// Replaces the secret of a key; the old one is accepted until this time.
    ///
    /// # Errors
    /// Fails if there is no such key that is not revoked, or if the store fails.
    pub async fn rotate_key(&self, id: &str, until: Millis) -> Result<Token> {
        let rotate = async { rotate(&*self.store, id, until).await?.ok_or_else(|| no_active_key(id)) };
        self.change("rotate key", id, rotate, done).await
    }

    /// Revokes a key.
    ///
    /// # Errors
    /// Fails if there is no such key that is not revoked, or if the store fails.
    pub async fn revoke_key(&self, id: &str) -> Result<()> {
        let revoke = async {
            self.may_change(id).await?;
            let is_revoked = self.store.revoke_key(id, now()).await?;
            is_revoked.then_some(()).ok_or_else(|| no_active_key(id))
        };
        self.change("revoke key", id, revoke, done).await
    }

    /// Gives a key another tier.
    ///
    /// # Errors
    /// Fails if there is no such key that is not revoked, if the settings have no such tier, or if the store fails.
    pub async fn set_tier(&self, id: &str, tier: &str, tiers: &Tiers) -> Result<()> {
        let set = async {
            self.may_change(id).await?;
            known(tier, tiers)?;
            let is_set = self.store.set_tier(id, tier).await?;
            is_set.then_some(()).ok_or_else(|| no_active_key(id))
        };
        self.change("set tier", &format!("{id} to {tier}"), set, done).await
    }

    /// Fails unless this is a key of a client, or the command line changes it: only that changes keys of operators.
    async fn may_change(&self, id: &str) -> Result<()> {
        if self.who == COMMAND_LINE {
            return Ok(());
        }
        let key = self.store.key(id).await?.filter(|key| key.role == Role::Client);
        key.map(drop).ok_or_else(|| no_active_key(id))
    }
}

/// Returns the tiers of the settings.
#[must_use]
pub fn tiers(tiers: &Tiers) -> Vec<Tier> {
    let tier = |name: &str| {
        let tier_of = tiers.get(name);
        let mut tier = Tier::new(TierFields {
            name: name.to_owned(),
            burst: tier_of.burst.into(),
            per_second: tier_of.per_second,
            concurrent_requests: tier_of.concurrent_requests.into(),
            open_tasks: tier_of.open_tasks.into(),
            daily_upload_mib: count(tier_of.daily_upload_mib),
            result_mib: count(tier_of.result_mib),
            stored_mib: count(tier_of.stored_mib),
        });
        tier.daily_tasks = tier_of.daily_tasks.map(i64::from);
        tier
    };
    names(tiers).into_iter().map(tier).collect()
}

fn names(tiers: &Tiers) -> BTreeSet<&str> {
    tiers.names().chain([DEFAULT_TIER]).collect()
}

/// Fails if the settings have no such tier.
fn known(tier: &str, tiers: &Tiers) -> Result<()> {
    if tiers.has(tier) {
        return Ok(());
    }
    let known: Vec<&str> = names(tiers).into_iter().collect();
    Err(AdminError::Refused(format!(
        "unknown tier `{tier}`; known tiers: {}; `[tiers.{tier}]` in the settings file would add it",
        known.join(", ")
    )))
}

/// Returns whether a key is valid.
pub(crate) fn state(key: &KeyRecord, now: Millis) -> KeyState {
    match (key.revoked_at, key.expires_at) {
        (Some(_), _) => KeyState::Revoked,
        (None, Some(at)) if at <= now => KeyState::Expired,
        (None, _) => KeyState::Valid,
    }
}

fn shown(key: KeyRecord, now: Millis) -> Key {
    let role = match key.role {
        Role::Client => KeyRole::Client,
        Role::ReadOnly => KeyRole::ReadOnly,
        Role::Operator => KeyRole::Operator,
        Role::Unknown => KeyRole::Unknown("unknown".to_owned()),
    };
    let state = state(&key, now);
    let mut shown =
        Key::new(key.id, key.name, role, key.tier, key.enterprise, state, timestamp(key.created_at));
    shown.last_used = key.last_used_at.map(timestamp);
    shown.expires = key.expires_at.map(timestamp);
    shown.revoked = key.revoked_at.map(timestamp);
    shown
}

fn no_active_key(id: &str) -> AdminError {
    AdminError::Missing(format!("no active key has the id `{id}`; `keys list` shows all keys"))
}
