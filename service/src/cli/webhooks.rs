//! `webhooks`: lists deliveries, replays events, and rotates signing secrets.

use clap::{Subcommand, ValueEnum};
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

const fn name(state: EventState) -> &'static str {
    match state {
        EventState::Pending => "pending",
        EventState::Delivered => "delivered",
        EventState::GivenUp => "given up",
        EventState::Gone => "gone",
    }
}

pub(super) async fn run(instance: &Instance, command: Command) -> Result<(), CommandError> {
    let store = instance.store().await?;
    match command {
        Command::Deliveries { task, key, state, limit } => {
            let key_id = key.map(|key| key.trim_start_matches("svc_").to_owned());
            let query = EventQuery { task_id: task, key_id, state: state.map(Into::into) };
            for event in store.events(&query, Page { offset: 0, limit }).await? {
                let (state, due) = (name(event.state), moment(event.due_at));
                output::line(format_args!(
                    "{} task {} {state}, {} attempts, due {due}, {}",
                    event.id, event.task_id, event.attempts, event.url
                ))?;
                for recorded in store.attempts(&event.id).await? {
                    let attempt = recorded.attempt;
                    let status =
                        attempt.status.map_or_else(|| "no response".to_owned(), |status| status.to_string());
                    let error = attempt.error.unwrap_or_default();
                    output::line(format_args!(
                        "  {} {} {status} in {} ms {error}",
                        recorded.number,
                        moment(attempt.at),
                        attempt.duration
                    ))?;
                }
            }
        }
        Command::Replay { event } => {
            if !store.replay_event(&event, now()).await? {
                return Err(CommandError::Refused(format!(
                    "no event has the id `{event}`, or it is pending already"
                )));
            }
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
                store.rotate_webhook_secret(key, &sign::generate(now()), until).await?;
            }
            for secret in store.webhook_secrets(key, now()).await? {
                let until = secret.expires_at.map(|at| format!(" until {}", moment(at))).unwrap_or_default();
                output::line(format_args!("{}{until}", sign::reveal(&secret)))?;
            }
        }
    }
    Ok(())
}
