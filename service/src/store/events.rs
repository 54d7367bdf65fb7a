//! Webhook events: the outbox, and what became of each attempt to deliver.

use async_trait::async_trait;
use tokio::sync::Notify;
use uuid::Uuid;

use super::{Page, Result};
use crate::time::Millis;

/// What became of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventState {
    /// To be delivered.
    Pending,
    /// Answered with 2xx.
    Delivered,
    /// All attempts failed, or a terminal event has overtaken it.
    GivenUp,
    /// The receiver wants no more of this task (410).
    Gone,
}

impl EventState {
    /// As databases keep it.
    #[must_use]
    pub const fn number(self) -> i16 {
        match self {
            Self::Pending => 0,
            Self::Delivered => 1,
            Self::GivenUp => 2,
            Self::Gone => 3,
        }
    }

    /// From what databases keep.
    #[must_use]
    pub const fn from_number(number: i16) -> Option<Self> {
        match number {
            0 => Some(Self::Pending),
            1 => Some(Self::Delivered),
            2 => Some(Self::GivenUp),
            3 => Some(Self::Gone),
            _ => None,
        }
    }
}

/// A change of a task's status that its webhook is told. It is queued by the transaction of that change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The `webhook-id`: the same over all attempts. `msg_` and 32 hexadecimal digits.
    pub id: String,
    /// The task.
    pub task_id: Uuid,
    /// The API key whose secrets sign it.
    pub key_id: String,
    /// Where it goes.
    pub url: String,
    /// The body.
    pub payload: String,
    /// Whether it tells the end; a task has one such event at most.
    pub terminal: bool,
    /// What became of it.
    pub state: EventState,
    /// How many attempts were made.
    pub attempts: u32,
    /// When the next one is due.
    pub due_at: Millis,
    /// When it was queued.
    pub created_at: Millis,
}

/// An event that was claimed, to be attempted and recorded before the lease ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedEvent {
    /// The event.
    pub event: Event,
    /// The lease: changes with each claim.
    pub lease: String,
}

/// One attempt to deliver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// When it began.
    pub at: Millis,
    /// How long it took, in milliseconds.
    pub duration: Millis,
    /// The status of the answer, where there was one.
    pub status: Option<u16>,
    /// Why there was none, or why it counts as a failure.
    pub error: Option<String>,
    /// The answer's first bytes, as text; a zero byte is kept as U+FFFD.
    pub answer: String,
}

/// An attempt, as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedAttempt {
    /// Which attempt, from 1.
    pub number: u32,
    /// The attempt.
    pub attempt: Attempt,
}

/// How events are claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventClaim {
    /// What time it is.
    pub now: Millis,
    /// Until when the leases hold.
    pub lease_until: Millis,
    /// The most events under way for one host of URLs, over all processes.
    pub per_host: u32,
    /// The most events of one API key under way, over all processes.
    pub per_key: u32,
    /// The most events to claim.
    pub limit: u32,
}

/// What is next for an event after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Nothing: it is delivered.
    Delivered,
    /// Another attempt then.
    RetryAt(Millis),
    /// Nothing: all attempts have failed.
    GiveUp,
    /// Nothing, and nothing more for this task: 410.
    Gone,
}

/// Which events an operator wants to see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventQuery {
    /// Of this task alone.
    pub task_id: Option<Uuid>,
    /// Of this API key alone.
    pub key_id: Option<String>,
    /// Of this state alone.
    pub state: Option<EventState>,
}

/// The outbox.
#[async_trait]
pub trait Events {
    /// Claims events that are due: no host and no API key above its cap, the host with the fewest under way first, and of
    /// each host what has been due longest.
    async fn claim_events(&self, claim: &EventClaim) -> Result<Vec<ClaimedEvent>>;

    /// Is notified when events may be due. A hint that is sometimes wrong or lost, for one loop per process: polling is
    /// the truth.
    fn events_woken(&self) -> &Notify;

    /// Records an attempt and what is next, in one transaction. `false`: the lease is lost (the attempt is recorded all
    /// the same).
    async fn record_attempt(&self, claimed: &ClaimedEvent, attempt: &Attempt, next: Next) -> Result<bool>;

    /// Events for an operator, newest first.
    async fn events(&self, query: &EventQuery, page: Page) -> Result<Vec<Event>>;

    /// The attempts of an event, in order.
    async fn attempts(&self, event_id: &str) -> Result<Vec<RecordedAttempt>>;

    /// Makes an event pending again, due now, with its attempts counted anew. `false`: there is none, or it is pending.
    async fn replay_event(&self, event_id: &str, now: Millis) -> Result<bool>;
}
