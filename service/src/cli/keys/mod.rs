//! `keys`: creates, lists, rotates and revokes keys, sets their tier, and shows what they use.

mod usage;

use std::time::Duration;

use asset_admin_server::models::common::{CreatedKey, Key, KeyState};
use clap::{Subcommand, ValueEnum};

use super::output::{self, Align, Column};
use super::{CommandError, Instance, moment, now};
use crate::admin::AdminError;
use crate::domain::Role;
use crate::keys::issue::NewKey;
use crate::keys::verify::CACHE_MILLIS;
use crate::webhooks::sign;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create an API key and print it; it is shown only once
    ///
    /// The first line of the output is the API key. The second line is the secret that signs the webhooks of a client's key.
    ///
    /// Example: asset-service keys create --name checkout --tier default --expires-in 90
    Create {
        /// Give the key this name, which `keys list` shows
        #[arg(long)]
        name: String,
        /// Allow the key to run workflow apps
        #[arg(long)]
        enterprise: bool,
        /// Use the rate limits and daily quota of this tier of the settings file
        #[arg(long, default_value = "default")]
        tier: String,
        /// Let the key call the API, or the administration API at `--admin-listen`: for reading, or for changes too
        #[arg(long, default_value = "client")]
        role: RoleName,
        /// Let the key expire after this many days [default: never]
        #[arg(long, value_name = "DAYS")]
        expires_in: Option<u32>,
    },
    /// List all keys with their tier, their last use and their state, without their secrets
    List,
    /// Show what each key has used in a period, and what is left of its limits
    ///
    /// A key's tasks, the seconds that engines worked for it (built-in ones too), its uploads, its stored files, and the
    /// calls of attached engines with their cost. A price that the settings do not name is unknown, not 0; `>` marks
    /// seconds that lack the time of some tasks. The remaining quotas are those of now and today, not of the period.
    ///
    /// Example: asset-service keys usage --days 7 --sort cost
    Usage(usage::Arguments),
    /// Replace the secret of an API key and print the new key; it is shown only once
    ///
    /// The id, the tier and the tasks of the key stay the same. During the overlap, requests with the old key succeed
    /// too. A second rotation ends the overlap of the first one. `webhooks secret --rotate` replaces the secret that
    /// signs webhooks.
    ///
    /// Example: asset-service keys rotate Ab3dEf9h --overlap 48
    Rotate {
        /// Replace the secret of the key with this id: the 8 characters after `svc_`
        id: String,
        /// Accept the old key for this many hours
        #[arg(long, default_value_t = 24, value_name = "HOURS")]
        overlap: u32,
    },
    /// Give an API key another tier; its limits apply within two seconds
    ///
    /// Example: asset-service keys set-tier Ab3dEf9h gold
    SetTier {
        /// Change the key with this id: the 8 characters after `svc_`
        id: String,
        /// Use this tier of the settings file
        tier: String,
    },
    /// Revoke an API key; requests with it fail within two seconds
    ///
    /// Tasks that it has created run on and their webhooks are delivered, unless --cancel is given.
    ///
    /// Example: asset-service keys revoke Ab3dEf9h --cancel
    Revoke {
        /// Revoke the key with this id: the 8 characters after `svc_`
        id: String,
        /// Cancel the key's tasks that have not ended; also works for a key that is revoked already
        #[arg(long)]
        cancel: bool,
    },
}

/// The role of a key.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum RoleName {
    /// The API
    Client,
    /// The administration API, for reading
    ReadOnly,
    /// The administration API
    Operator,
}

impl From<RoleName> for Role {
    fn from(role: RoleName) -> Self {
        match role {
            RoleName::Client => Self::Client,
            RoleName::ReadOnly => Self::ReadOnly,
            RoleName::Operator => Self::Operator,
        }
    }
}

pub(super) async fn run(instance: &Instance, command: Command) -> Result<(), CommandError> {
    let admin = instance.admin().await?;
    match command {
        Command::Create { name, enterprise, tier, role, expires_in } => {
            let expires_at = expires_in.map(|days| now() + i64::from(days) * 24 * 60 * 60 * 1000);
            let new = NewKey { name, enterprise, tier, expires_at, role: role.into() };
            let (token, secret) = admin.create_key(new, &instance.settings()?.tiers).await?;
            let (mut created, mut text) =
                (CreatedKey::new(token.id(), token.reveal()), token.reveal().to_owned());
            if matches!(role, RoleName::Client) {
                let secret = sign::reveal(&secret);
                text = format!("{text}\n{secret}");
                created.webhook_secret = Some(secret);
            }
            output::result(text, &created).map_err(|error| match error {
                // A key is printed only once. An unread key must be revoked.
                CommandError::Unread => CommandError::Refused(format!(
                    "the key could not be printed, and it is not shown again; revoke it with `keys revoke {}`",
                    token.id()
                )),
                error => error,
            })?;
            output::note("Save the key now: it is not shown again.");
        }
        Command::List => {
            let columns: &[Column<Key>] = &[
                ("id", Align::Left, |key| key.id.clone()),
                ("name", Align::Left, |key| key.name.clone()),
                ("role", Align::Left, |key| key.role.as_str().to_owned()),
                ("tier", Align::Left, |key| key.tier.clone()),
                ("enterprise", Align::Left, |key| if key.enterprise { "yes" } else { "no" }.to_owned()),
                ("created", Align::Left, |key| key.created.to_string()),
                ("last used", Align::Left, |key| {
                    key.last_used.map_or_else(|| "never".to_owned(), |at| at.to_string())
                }),
                ("state", Align::Left, state),
            ];
            output::table(columns, &admin.keys().await?)?;
        }
        Command::Usage(arguments) => usage::run(&admin.store, &instance.settings()?, &arguments).await?,
        Command::Rotate { id, overlap } => {
            let id = id.trim_start_matches("svc_");
            let until = now() + i64::from(overlap) * 60 * 60 * 1000;
            let token = admin.rotate_key(id, until).await?;
            output::result(token.reveal(), &CreatedKey::new(id, token.reveal()))?;
            output::note(format_args!(
                "Save the key now: it is not shown again. The old key is accepted until {}.",
                moment(until)
            ));
        }
        Command::SetTier { id, tier } => {
            let id = id.trim_start_matches("svc_");
            admin.set_tier(id, &tier, &instance.settings()?.tiers).await?;
            output::line(format_args!("{id} has the tier {tier}"))?;
        }
        Command::Revoke { id, cancel: cancels } => {
            let id = id.trim_start_matches("svc_");
            let is_revoked = match admin.revoke_key(id).await {
                // The tasks of a key that is revoked already can be cancelled.
                Err(error @ AdminError::Missing(_)) => {
                    let is_known = cancels && admin.store.key(id).await?.is_some();
                    if is_known { false } else { return Err(error.into()) }
                }
                revoked => revoked.map(|()| true)?,
            };
            output::line(format_args!("{id} is revoked"))?;
            if cancels {
                if is_revoked {
                    // Until then, running processes may accept tasks of the key.
                    tokio::time::sleep(Duration::from_millis(CACHE_MILLIS.unsigned_abs())).await;
                }
                let cancelled = admin.cancel_all(Some(id)).await?;
                output::line(format_args!("cancelled tasks: {cancelled}"))?;
            }
        }
    }
    Ok(())
}

/// Returns whether a key is valid, and until when or since when not.
fn state(key: &Key) -> String {
    match (key.revoked, key.expires) {
        (Some(at), _) => format!("revoked {at}"),
        (None, Some(at)) if key.state == KeyState::Expired => format!("expired {at}"),
        (None, Some(at)) => format!("valid until {at}"),
        (None, None) => "valid".to_owned(),
    }
}
