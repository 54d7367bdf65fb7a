//! `webhooks`: what became of events, and the secrets that sign them.

use clap::{Subcommand, ValueEnum};
use uuid::Uuid;

use super::{CommandError, Place, moment, now, out};
use crate::store::{EventQuery, EventState, Page};
use crate::webhooks::sign;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List events and the attempts to deliver them, newest first
    Deliveries {
        /// Of this task alone
        #[arg(long)]
        task: Option<Uuid>,
        /// Of this key alone: the 8 characters after `svc_`
        #[arg(long)]
        key: Option<String>,
        /// Of this state alone
        #[arg(long)]
        state: Option<State>,
        /// How many at most
        #[arg(long, default_value_t = 20)]
        limit: u32,
    },
    /// Send an event again, under the same id
    Replay {
        /// The event: `msg_…`
        event: String,
    },
    /// Show the secrets that sign the webhooks of a key, newest first; or make a new one
    Secret {
        /// The key: the 8 characters after `svc_`
        key: String,
        /// Make a new one; those before it sign beside it for a while
        #[arg(long)]
        rotate: bool,
        /// Hours that the ones before sign beside the new one
        #[arg(long, default_value_t = 24, requires = "rotate", value_name = "HOURS")]
        overlap: u32,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum State {
    Pending,
    Delivered,
    GivenUp,
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

pub(super) async fn run(place: &Place, command: Command) -> Result<(), CommandError> {
    let store = place.store().await?;
    match command {
        Command::Deliveries { task, key, state, limit } => {
            let key_id = key.map(|key| key.trim_start_matches("svc_").to_owned());
            let query = EventQuery { task_id: task, key_id, state: state.map(Into::into) };
            for event in store.events(&query, Page { offset: 0, limit }).await? {
                let (state, due) = (name(event.state), moment(event.due_at));
                out::line(format_args!(
                    "{} task {} {state}, {} attempts, due {due}, {}",
                    event.id, event.task_id, event.attempts, event.url
                ))?;
                for recorded in store.attempts(&event.id).await? {
                    let attempt = recorded.attempt;
                    let status =
                        attempt.status.map_or_else(|| "no answer".to_owned(), |status| status.to_string());
                    let error = attempt.error.unwrap_or_default();
                    out::line(format_args!(
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
                    "there is no event `{event}`, or it is pending already"
                )));
            }
            out::line(format_args!("{event} is due now"))?;
        }
        Command::Secret { key, rotate, overlap } => {
            let key = key.trim_start_matches("svc_");
            if store.key(key).await?.is_none() {
                return Err(CommandError::Refused(format!("there is no key `{key}`")));
            }
            if rotate {
                let until = now() + i64::from(overlap) * 60 * 60 * 1000;
                store.rotate_webhook_secret(key, &sign::generate(now()), until).await?;
            }
            for secret in store.webhook_secrets(key, now()).await? {
                let until = secret.expires_at.map(|at| format!(" until {}", moment(at))).unwrap_or_default();
                out::line(format_args!("{}{until}", sign::reveal(&secret)))?;
            }
        }
    }
    Ok(())
}
