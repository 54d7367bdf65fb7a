//! `keys`: creates, lists, rotates and revokes API keys, and shows what they use.

mod usage;

use std::collections::BTreeSet;
use std::time::Duration;

use clap::Subcommand;

use super::output::{self, Align, Column};
use super::tasks::cancel_all;
use super::{CommandError, Instance, moment, now};
use crate::domain::KeyRecord;
use crate::keys::issue::{NewKey, issue, rotate};
use crate::keys::tier::DEFAULT_TIER;
use crate::keys::verify::TRUST;
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

pub(super) async fn run(instance: &Instance, command: Command) -> Result<(), CommandError> {
    let store = instance.store().await?;
    match command {
        Command::Create { name, enterprise, tier, expires_in } => {
            let settings = instance.settings()?;
            if !settings.tiers.has(&tier) {
                let known: BTreeSet<&str> = settings.tiers.names().chain([DEFAULT_TIER]).collect();
                let known: Vec<&str> = known.into_iter().collect();
                return Err(CommandError::Refused(format!(
                    "unknown tier `{tier}`; known tiers: {}; `[tiers.{tier}]` in the settings file would add it",
                    known.join(", ")
                )));
            }
            let now = now();
            let expires_at = expires_in.map(|days| now + i64::from(days) * 24 * 60 * 60 * 1000);
            let (token, secret) = issue(&*store, NewKey { name, enterprise, tier, expires_at }, now).await?;
            output::line(format_args!("{}", token.reveal())).map_err(|error| match error {
                // A key is printed only once. An unread key must be revoked.
                CommandError::Unread => CommandError::Refused(format!(
                    "the key could not be printed, and it is not shown again; revoke it with `keys revoke {}`",
                    token.id()
                )),
                error => error,
            })?;
            output::line(format_args!("{}", sign::reveal(&secret)))?;
            output::note("Save the key now: it is not shown again.");
        }
        Command::List => {
            let columns: &[Column<KeyRecord>] = &[
                ("id", Align::Left, |key| key.id.clone()),
                ("name", Align::Left, |key| key.name.clone()),
                ("tier", Align::Left, |key| key.tier.clone()),
                ("enterprise", Align::Left, |key| if key.enterprise { "yes" } else { "no" }.to_owned()),
                ("created", Align::Left, |key| moment(key.created_at)),
                ("state", Align::Left, state),
            ];
            output::table(columns, &store.keys().await?)?;
        }
        Command::Usage(arguments) => usage::run(&store, &instance.settings()?, &arguments).await?,
        Command::Rotate { id, overlap } => {
            let id = id.trim_start_matches("svc_");
            let until = now() + i64::from(overlap) * 60 * 60 * 1000;
            let Some(token) = rotate(&*store, id, until).await? else { return Err(no_active_key(id)) };
            output::line(token.reveal())?;
            output::note(format_args!(
                "Save the key now: it is not shown again. The old key is accepted until {}.",
                moment(until)
            ));
        }
        Command::Revoke { id, cancel: cancels } => {
            let id = id.trim_start_matches("svc_");
            let is_revoked = store.revoke_key(id, now()).await?;
            let is_known = is_revoked || (cancels && store.key(id).await?.is_some());
            if !is_known {
                return Err(no_active_key(id));
            }
            output::line(format_args!("{id} is revoked"))?;
            if cancels {
                if is_revoked {
                    // Until then, running processes may accept tasks of the key.
                    tokio::time::sleep(Duration::from_millis(TRUST.unsigned_abs())).await;
                }
                let cancelled = cancel_all(&store, Some(id)).await?;
                output::line(format_args!("cancelled tasks: {cancelled}"))?;
            }
        }
    }
    Ok(())
}

/// Returns whether a key is valid, and until when or since when not.
fn state(key: &KeyRecord) -> String {
    match (key.revoked_at, key.expires_at) {
        (Some(at), _) => format!("revoked {}", moment(at)),
        (None, Some(at)) if at <= now() => format!("expired {}", moment(at)),
        (None, Some(at)) => format!("valid until {}", moment(at)),
        (None, None) => "valid".to_owned(),
    }
}

fn no_active_key(id: &str) -> CommandError {
    CommandError::Refused(format!("no active key has the id `{id}`; `keys list` shows all keys"))
}
