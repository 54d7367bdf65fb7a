//! `webhooks`: lists deliveries, replays events, and rotates signing secrets.

use asset_admin_server::models::common::{Delivery, Event};
use clap::{Subcommand, ValueEnum};
use serde_json::json;
use uuid::Uuid;

use super::{CommandError, Instance, moment, now, output};
use crate::domain::{EventQuery, EventState, Page};
use crate::webhooks::sign;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List webhook events with their delivery attempts, newest first
    ///
    /// Example: asset-service webhooks deliveries --state given-up
    Deliveries {
        /// List only events of this task
        #[arg(long)]
        task: Option<Uuid>,
        /// List only events of this API key: the 8 characters after `svc_`
        #[arg(long)]
        key: Option<String>,
        /// List only events in this state
        #[arg(long)]
        state: Option<State>,
        /// List at most this many events
        #[arg(long, default_value_t = 20)]
        limit: u32,
    },
    /// Send an event again, with the same id
    Replay {
        /// Send the event with this id: `msg_…`
        event: String,
    },
    /// Print the secrets that sign a key's webhooks, newest first; create a new one with --rotate
    ///
    /// Example: asset-service webhooks secret Ab3dEf9h --rotate --overlap 48
    Secret {
        /// Print the secrets of this API key: the 8 characters after `svc_`
        key: String,
        /// Create a new secret; during the overlap, webhooks carry signatures of the old secrets too
        #[arg(long)]
        rotate: bool,
        /// Keep the old secrets valid for this many hours
        #[arg(long, default_value_t = 24, requires = "rotate", value_name = "HOURS")]
        overlap: u32,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum State {
    /// Waiting for the next attempt
    Pending,
    /// The receiver responded with 2xx
    Delivered,
    /// All attempts failed, or the task's last event replaced this one
    GivenUp,
    /// The receiver responded with 410
    Gone,
}

impl From<State> for EventState {
    fn from(state: State) -> Self {
        match state {
            State::Pending => Self::Pending,
            State::Delivered => Self::Delivered,
            State::GivenUp => Self::GivenUp,
            State::Gone => Self::Gone,
        }
    }
}

/// Describes an event with its attempts, a line each.
fn shown(event: &Event) -> String {
    let Event { id, task, attempts, due, url, .. } = event;
    let mut lines =
        format!("{id} task {task} {}, {attempts} attempts, due {due}, {url}", event.state.as_str());
    for Delivery { number, at, milliseconds, status, error, .. } in &event.deliveries {
        let status = status.map_or_else(|| "no response".to_owned(), |status| status.to_string());
        let error = error.as_deref().unwrap_or_default();
        lines.push_str(&format!("\n  {number} {at} {status} in {milliseconds} ms {error}"));
    }
    lines
}

pub(super) async fn run(instance: &Instance, command: Command) -> Result<(), CommandError> {
    let admin = instance.admin().await?;
    let store = &admin.store;
    match command {
        Command::Deliveries { task, key, state, limit } => {
            let key_id = key.map(|key| key.trim_start_matches("svc_").to_owned());
            let query = EventQuery { task_id: task, key_id, state: state.map(Into::into) };
            for event in admin.events(&query, Page { offset: 0, limit }).await? {
                output::result(shown(&event), &event)?;
            }
        }
        Command::Replay { event } => {
            admin.replay_event(&event).await?;
            output::line(format_args!("{event} is due now"))?;
        }
        Command::Secret { key, rotate, overlap } => {
            let key = key.trim_start_matches("svc_");
            if store.key(key).await?.is_none() {
                return Err(CommandError::Refused(format!(
                    "no key has the id `{key}`; `keys list` shows all keys"
                )));
            }
            if rotate {
                let until = now() + i64::from(overlap) * 60 * 60 * 1000;
                admin.rotate_webhook_secret(key, until).await?;
            }
            for secret in store.webhook_secrets(key, now()).await? {
                let until = secret.expires_at.map(|at| format!(" until {}", moment(at))).unwrap_or_default();
                let (secret, expires) = (sign::reveal(&secret), secret.expires_at.map(moment));
                let value = json!({"secret": secret, "expires": expires});
                output::result(format_args!("{secret}{until}"), &value)?;
            }
        }
    }
    Ok(())
}
