//! `keys`: creates, lists and revokes API keys.

use std::collections::BTreeSet;

use clap::Subcommand;

use super::{CommandError, Place, moment, now, out};
use crate::config::DEFAULT_TIER;
use crate::keys::issue::{NewKey, issue};
use crate::webhooks::sign;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create an API key and print it; it is shown only once
    ///
    /// The first line of the output is the API key. The second line is the secret that signs the key's webhooks.
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
        /// Let the key expire after this many days [default: never]
        #[arg(long, value_name = "DAYS")]
        expires_in: Option<u32>,
    },
    /// List all keys with their tier and state, without their secrets
    List,
    /// Revoke an API key; requests with it fail within two seconds
    ///
    /// Example: asset-service keys revoke Ab3dEf9h
    Revoke {
        /// Revoke the key with this id: the 8 characters after `svc_`
        id: String,
    },
}

pub(super) async fn run(place: &Place, command: Command) -> Result<(), CommandError> {
    let store = place.store().await?;
    match command {
        Command::Create { name, enterprise, tier, expires_in } => {
            let settings = place.settings()?;
            if !settings.has_tier(&tier) {
                let known: BTreeSet<&str> =
                    settings.tiers.keys().map(String::as_str).chain([DEFAULT_TIER]).collect();
                let known: Vec<&str> = known.into_iter().collect();
                return Err(CommandError::Refused(format!(
                    "unknown tier `{tier}`; known tiers: {}; `[tiers.{tier}]` in the settings file would add it",
                    known.join(", ")
                )));
            }
            let now = now();
            let expires_at = expires_in.map(|days| now + i64::from(days) * 24 * 60 * 60 * 1000);
            let (token, secret) = issue(&*store, NewKey { name, enterprise, tier, expires_at }, now).await?;
            out::line(format_args!("{}", token.reveal())).map_err(|error| match error {
                // A key is printed only once. An unread key must be revoked.
                CommandError::Unread => CommandError::Refused(format!(
                    "the key could not be printed, and it is not shown again; revoke it with `keys revoke {}`",
                    token.id()
                )),
                error => error,
            })?;
            out::line(format_args!("{}", sign::reveal(&secret)))?;
            out::aside("Save the key now: it is not shown again.");
        }
        Command::List => {
            out::line(format_args!(
                "{:<10}{:<24}{:<12}{:<12}{:<26}state",
                "id", "name", "tier", "enterprise", "created"
            ))?;
            for key in store.keys().await? {
                let state = match (key.revoked_at, key.expires_at) {
                    (Some(at), _) => format!("revoked {}", moment(at)),
                    (None, Some(at)) if at <= now() => format!("expired {}", moment(at)),
                    (None, Some(at)) => format!("valid until {}", moment(at)),
                    (None, None) => "valid".to_owned(),
                };
                let enterprise = if key.enterprise { "yes" } else { "no" };
                let created = moment(key.created_at);
                out::line(format_args!(
                    "{:<10}{:<24}{:<12}{enterprise:<12}{created:<26}{state}",
                    key.id, key.name, key.tier
                ))?;
            }
        }
        Command::Revoke { id } => {
            let id = id.trim_start_matches("svc_");
            if !store.revoke_key(id, now()).await? {
                return Err(CommandError::Refused(format!(
                    "no active key has the id `{id}`; `keys list` shows all keys"
                )));
            }
            out::line(format_args!("{id} is revoked"))?;
        }
    }
    Ok(())
}
