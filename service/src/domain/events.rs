//! Webhook events, and their delivery attempts.

use uuid::Uuid;

use crate::time::Millis;
use crate::trace::TraceContext;

/// The delivery state of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventState {
    /// Waits for its delivery.
    Pending = 0,
    /// Delivered: the receiver responded with 2xx.
    Delivered = 1,
    /// Given up: all attempts failed, or the task's terminal event replaced it.
    GivenUp = 2,
    /// The receiver responded 410: it gets no more events of this task.
    Gone = 3,
}

impl EventState {
    /// Returns the number that databases store.
    #[must_use]
    pub const fn number(self) -> i16 {
        // The cast is exact: the discriminants are the numbers.
        self as i16
    }

    /// Converts from the number that databases store.
    #[must_use]
    pub fn from_number(number: i16) -> Option<Self> {
        [Self::Pending, Self::Delivered, Self::GivenUp, Self::Gone]
            .into_iter()
            .find(|one| one.number() == number)
    }
}

/// A webhook event about a change of a task's status.
///
/// The transaction that changes the status also queues the event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The `webhook-id`: `msg_` and 32 hexadecimal digits; the same for all attempts.
    pub id: String,
    /// The task.
    pub task_id: Uuid,
    /// The API key whose secrets sign the event.
    pub key_id: String,
    /// The receiver's URL.
    pub url: String,
    /// The body.
    pub payload: String,
    /// Whether it reports the end of the task; a task has at most one such event.
    pub terminal: bool,
    /// The delivery state.
    pub state: EventState,
    /// The number of attempts so far.
    pub attempts: u32,
    /// The time at which the next attempt is due.
    pub due_at: Millis,
    /// The time at which it was queued.
    pub created_at: Millis,
    /// The context of the task's request in its trace.
    pub trace: Option<TraceContext>,
}

/// A claimed event, to be delivered and recorded before its lease ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedEvent {
    /// The event.
    pub event: Event,
    /// The lease; it changes with each claim.
    pub lease: String,
}

/// One delivery attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The time at which it began.
    pub at: Millis,
    /// Its duration in milliseconds.
    pub duration: Millis,
    /// The status of the response, if there was one.
    pub status: Option<u16>,
    /// Why there was no response, or why the response counts as a failure.
    pub error: Option<String>,
    /// The first bytes of the response body, as text; U+FFFD replaces zero bytes.
    pub response: String,
}

/// A recorded attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedAttempt {
    /// The number of the attempt, from 1.
    pub number: u32,
    /// The attempt.
    pub attempt: Attempt,
}

/// The maximum number of events in delivery, over all processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryCaps {
    /// Events of an API key to a host. It keeps a key whose events hang at a host from filling the host's share.
    pub per_lane: u32,
    /// Events to a host.
    pub per_host: u32,
    /// The number of these slots that are reserved for keys without a delivery to the host.
    ///
    /// It keeps a few keys whose events hang at a host from filling the host.
    pub reserved: u32,
    /// Events of an API key. It keeps a key whose hosts all hang from filling every slot.
    pub per_key: u32,
}

impl Default for DeliveryCaps {
    fn default() -> Self {
        Self { per_lane: 8, per_host: 32, reserved: 8, per_key: 64 }
    }
}

/// The limits of a claim of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventClaim {
    /// The current time.
    pub now: Millis,
    /// The time until which the leases hold.
    pub lease_until: Millis,
    /// The maximum number of events in delivery.
    pub caps: DeliveryCaps,
    /// The maximum number of events to claim.
    pub limit: u32,
}

/// The next step for an event after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// It is delivered.
    Delivered,
    /// It is attempted again at this time.
    RetryAt(Millis),
    /// It is given up: all attempts have failed.
    GiveUp,
    /// The receiver responded 410: it gets no more events of this task.
    Gone,
}

/// Filters events for an operator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventQuery {
    /// Only events of this task.
    pub task_id: Option<Uuid>,
    /// Only events of this API key.
    pub key_id: Option<String>,
    /// Only events in this state.
    pub state: Option<EventState>,
}

/// The maximum that an API key may have in the outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutboxLimits {
    /// Events that are neither delivered nor given up.
    pub events: u32,
    /// The hosts of these events.
    pub hosts: u32,
}

/// The undelivered webhook events of an API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutboxUsage {
    /// Its events that are neither delivered nor given up.
    pub events: u32,
    /// The hosts of these events.
    pub hosts: u32,
    /// Whether the given host is one of them.
    pub has_host: bool,
}
