//! Rows of webhook events and of their delivery attempts.

use uuid::Uuid;

use super::{row, unknown, unsigned};
use crate::domain::{Attempt, Event, EventState, Next, OutboxUsage, RecordedAttempt};
use crate::time::Millis;
use crate::trace::TraceContext;

/// Lists the columns of an [`Event`].
macro_rules! event_columns {
    () => {
        "id, task_id, key_id, url, payload, terminal, state, attempts, due_at, created_at, \
         (SELECT traceparent FROM tasks WHERE tasks.id = events.task_id) AS trace"
    };
}
pub(in crate::store) use event_columns;

row! {
    Event {
        id: String,
        task_id: Uuid,
        key_id: String,
        url: String,
        payload: String,
        terminal: bool,
        state: i16 => |number| EventState::from_number(number).ok_or_else(|| unknown("state of an event", number))?,
        attempts: i32 => |number| unsigned(number),
        due_at: Millis,
        created_at: Millis,
        trace: Option<String> => |text| text.as_deref().and_then(TraceContext::parse),
    }
}

row! {
    Attempt {
        at: Millis,
        duration: Millis,
        status: Option<i32> => |status| status.and_then(|status| u16::try_from(status).ok()),
        error: Option<String>,
        response: String,
    }
}

row! { RecordedAttempt { number: i32 => |number| unsigned(number) } with attempt: Attempt }

/// An event to be queued.
pub(in crate::store) struct NewEvent<'a> {
    pub(in crate::store) task_id: Uuid,
    pub(in crate::store) key_id: &'a str,
    pub(in crate::store) url: &'a str,
    pub(in crate::store) payload: &'a str,
    pub(in crate::store) terminal: bool,
    pub(in crate::store) now: Millis,
}

/// Returns the host of a webhook URL: the lane in which its events wait.
///
/// A text that is not a URL is a lane of its own.
pub(in crate::store) fn host(url: &str) -> String {
    let parsed = reqwest::Url::parse(url).ok();
    parsed.as_ref().and_then(|url| url.host_str()).unwrap_or(url).to_owned()
}

/// Returns the columns for what happens next: the state and a changed due time.
pub(in crate::store) const fn next(next: Next) -> (EventState, Option<Millis>) {
    match next {
        Next::Delivered => (EventState::Delivered, None),
        Next::RetryAt(at) => (EventState::Pending, Some(at)),
        Next::GiveUp => (EventState::GivenUp, None),
        Next::Gone => (EventState::Gone, None),
    }
}

/// Creates the id of a new event.
pub(in crate::store) fn event_id() -> String {
    format!("msg_{}", Uuid::now_v7().simple())
}

/// Reads the counts of an [`OutboxUsage`]: events, hosts, and whether it has a certain host.
pub(in crate::store) fn outbox((events, hosts, has_host): (i64, i64, bool)) -> OutboxUsage {
    let count = |number: i64| u32::try_from(number).unwrap_or(u32::MAX);
    OutboxUsage { events: count(events), hosts: count(hosts), has_host }
}
