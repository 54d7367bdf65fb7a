//! `keys`: who may call the service.

use clap::Subcommand;

use super::{CommandError, Place, moment, now, out};
use crate::keys::issue::{NewKey, issue};
use crate::webhooks::sign;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Make an API key and print it, once
    ///
    /// The key is the first line; the secret that its webhooks are signed with is the second one.
    Create {
        /// What to call it
        #[arg(long)]
        name: String,
        /// May run workflow apps
        #[arg(long)]
        enterprise: bool,
        /// Tier of the settings that its limits come from
        #[arg(long, default_value = "default")]
        tier: String,
        /// Days until it is not good any more [default: never]
        #[arg(long, value_name = "DAYS")]
        expires_in: Option<u32>,
    },
    /// List all keys, without their secrets
    List,
    /// Make a key useless from now on
    Revoke {
        /// The 8 characters after `svc_`
        id: String,
    },
}

pub(super) async fn run(place: &Place, command: Command) -> Result<(), CommandError> {
    let store = place.store().await?;
    match command {
        Command::Create { name, enterprise, tier, expires_in } => {
            let settings = place.settings()?;
            if !settings.has_tier(&tier) {
                return Err(CommandError::Refused(format!("there is no tier `{tier}` in the settings")));
            }
            let now = now();
            let expires_at = expires_in.map(|days| now + i64::from(days) * 24 * 60 * 60 * 1000);
            let (token, secret) = issue(&*store, NewKey { name, enterprise, tier, expires_at }, now).await?;
            out::line(format_args!("{}", token.reveal())).map_err(|error| match error {
                // It is told once: somebody has to know of a key that nobody has.
                CommandError::Unread => CommandError::Refused(format!(
                    "nobody has read the key, and it is shown only once: `keys revoke {}` makes it useless",
                    token.id()
                )),
                error => error,
            })?;
            out::line(format_args!("{}", sign::reveal(&secret)))?;
            out::aside("This is the only time that the key is shown.");
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
                    (None, Some(at)) => format!("good until {}", moment(at)),
                    (None, None) => "good".to_owned(),
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
                return Err(CommandError::Refused(format!("there is no key `{id}` that is good")));
            }
            out::line(format_args!("{id} is revoked"))?;
        }
    }
    Ok(())
}
