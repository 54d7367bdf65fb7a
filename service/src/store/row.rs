//! Database rows, shared by both databases, and their conversion into records.

use std::time::Duration;

use uuid::Uuid;

use super::{
    Attempt, Claimed, ClaimedEvent, Days, Demand, Ended, Error, Event, EventState, Idempotency, KeyRecord,
    Lease, Listed, Next, OutboxUsage, RecordedAttempt, ReplacedSecret, Result, Task, TaskStatus, Usage,
    WebhookSecret,
};
use crate::log::shown::without_values;
use crate::time::{Millis, millis};

/// Declares a struct whose fields are read from the columns of the same names, `with` a nested row.
///
/// `#[derive(FromRow)]` would compile sqlx again for the build machine, with TLS.
macro_rules! row {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident { $($(#[$doc:meta])* $field_vis:vis $field:ident: $type:ty),* $(,)? }
        $(with $nested:ident: $nested_type:ty)?
    ) => {
        $(#[$meta])*
        $vis struct $name {
            $($(#[$doc])* $field_vis $field: $type,)*
            $($nested: $nested_type,)?
        }

        impl<'row, R: sqlx::Row> sqlx::FromRow<'row, R> for $name
        where
            &'static str: sqlx::ColumnIndex<R>,
            $($type: sqlx::Decode<'row, R::Database> + sqlx::Type<R::Database>,)*
            $($nested_type: sqlx::FromRow<'row, R>,)?
        {
            fn from_row(row: &'row R) -> sqlx::Result<Self> {
                Ok(Self {
                    $($field: row.try_get(stringify!($field))?,)*
                    $($nested: sqlx::FromRow::from_row(row)?,)?
                })
            }
        }
    };
}
pub(super) use row;

/// Selects a [`KeyRow`]: a key with the secret that its last rotation replaced.
///
/// The columns have names: PostgreSQL refuses a prepared `SELECT *` once a migration has added a column.
macro_rules! select_keys {
    ($rest:literal) => {
        concat!(
            "SELECT id, name, secret_hash, replaced.hash AS replaced_hash, replaced.until AS replaced_until, enterprise,
                    tier, created_at, expires_at, revoked_at
             FROM keys LEFT JOIN replaced_secrets AS replaced ON replaced.key_id = keys.id ",
            $rest
        )
    };
}
pub(super) use select_keys;

row! {
    /// A row of `keys`.
    pub(super) struct KeyRow {
        id: String,
        name: String,
        secret_hash: Vec<u8>,
        replaced_hash: Option<Vec<u8>>,
        replaced_until: Option<Millis>,
        enterprise: bool,
        tier: String,
        created_at: Millis,
        expires_at: Option<Millis>,
        revoked_at: Option<Millis>,
    }
}

impl From<KeyRow> for KeyRecord {
    fn from(row: KeyRow) -> Self {
        let KeyRow { id, name, secret_hash, enterprise, tier, created_at, expires_at, revoked_at, .. } = row;
        let replaced = row.replaced_hash.zip(row.replaced_until);
        let replaced = replaced.map(|(hash, until)| ReplacedSecret { hash, until });
        Self { id, name, secret_hash, replaced, enterprise, tier, created_at, expires_at, revoked_at }
    }
}

row! {
    /// A row of `webhook_secrets`.
    pub(super) struct SecretRow {
        bytes: Vec<u8>,
        created_at: Millis,
        expires_at: Option<Millis>,
    }
}

impl From<SecretRow> for WebhookSecret {
    fn from(row: SecretRow) -> Self {
        let SecretRow { bytes, created_at, expires_at } = row;
        Self { bytes, created_at, expires_at }
    }
}

/// Lists the columns of a [`TaskRow`].
macro_rules! task_columns {
    () => {
        "id, key_id, scope, status, engine, folder, webhook_url, created_at, updated_at, error, results, work, progress"
    };
}
pub(super) use task_columns;

row! {
    /// A row of `tasks`, without the columns of the queue.
    pub(super) struct TaskRow {
        id: Uuid,
        key_id: String,
        scope: String,
        status: i16,
        engine: String,
        folder: String,
        webhook_url: Option<String>,
        created_at: Millis,
        updated_at: Millis,
        error: Option<String>,
        results: Option<String>,
        work: String,
        progress: Option<String>,
    }
}

impl TryFrom<TaskRow> for Task {
    type Error = Error;

    fn try_from(row: TaskRow) -> Result<Self> {
        let TaskRow {
            id, key_id, scope, status, engine, folder, webhook_url, created_at, updated_at, ..
        } = row;
        let status = TaskStatus::from_number(status).ok_or_else(|| unknown("status of a task", status))?;
        let results =
            row.results.as_deref().map_or(Ok(Vec::new()), |text| json("results of a task", text))?;
        let error = row.error.as_deref().map(|text| json("error of a task", text)).transpose()?;
        let (work, progress) = (row.work, row.progress);
        Ok(Self {
            id,
            key_id,
            scope,
            status,
            results,
            error,
            engine,
            folder,
            work,
            webhook_url,
            progress,
            created_at,
            updated_at,
        })
    }
}

row! {
    /// A row of `tasks` with the counters of the queue.
    pub(super) struct QueuedRow {
        /// The order of acceptance.
        pub(super) seq: i64,
        /// The number of claims.
        pub(super) attempt: i32,
        /// The number of claims that do not count.
        refunded: i32,
        outages: i32,
        refusals: i32,
        suspect: i32,
        families: String,
        size: i16,
        call: Option<String>,
    } with task: TaskRow
}

/// Lists the columns of a [`QueuedRow`].
macro_rules! queued_columns {
    () => {
        concat!(
            "seq, attempt, refunded, outages, refusals, suspect, families, size, call, ",
            $crate::store::row::task_columns!()
        )
    };
}
pub(super) use queued_columns;

impl QueuedRow {
    /// Returns the task with a lease for this attempt.
    pub(super) fn leased(self, owner: &str, attempt: i32) -> Result<Claimed> {
        let task = Task::try_from(self.task)?;
        let lease = Lease { task_id: task.id, attempt: attempt.unsigned_abs(), owner: owner.to_owned() };
        let tries = attempt.saturating_sub(self.refunded).unsigned_abs();
        let (outages, refusals) = (self.outages.unsigned_abs(), self.refusals.unsigned_abs());
        let demand = Demand { families: self.families, size: self.size };
        let deaths = u32::try_from(self.suspect).unwrap_or_default();
        Ok(Claimed { task, lease, demand, tries, outages, refusals, deaths, call: self.call })
    }

    /// Returns the task and the number of its claims.
    pub(super) fn attempted(self) -> Result<(Task, u32)> {
        Ok((self.task.try_into()?, self.attempt.unsigned_abs()))
    }
}

row! {
    /// A row of `tasks` for an operator.
    pub(super) struct ListedRow {
        attempt: i32,
        refunded: i32,
        suspect: i32,
        lease_owner: Option<String>,
        due_at: Millis,
    } with task: TaskRow
}

impl TryFrom<ListedRow> for Listed {
    type Error = Error;

    fn try_from(row: ListedRow) -> Result<Self> {
        let task = Task::try_from(row.task)?;
        Ok(Self {
            tries: row.attempt.saturating_sub(row.refunded).unsigned_abs(),
            deaths: u32::try_from(row.suspect).unwrap_or_default(),
            held: task.status == TaskStatus::InProgress && row.lease_owner.is_some(),
            due_at: row.due_at,
            task,
        })
    }
}

row! {
    /// A row of `tasks` with the `Idempotency-Key` that created it.
    pub(super) struct IdempotentRow {
        idempotency_hash: Option<Vec<u8>>,
        idempotency_expires: Option<Millis>,
    } with task: TaskRow
}

/// The earlier use of an `Idempotency-Key`.
pub(super) enum Used {
    /// The same request, which created this task.
    Same(Box<Task>),
    /// Another request.
    Otherwise,
    /// A request whose key has expired.
    LongAgo,
}

impl IdempotentRow {
    /// Compares the stored key with the key of a new request.
    pub(super) fn used(self, idempotency: &Idempotency, now: Millis) -> Result<Used> {
        Ok(if self.idempotency_expires.is_none_or(|expires| expires <= now) {
            Used::LongAgo
        } else if self.idempotency_hash.as_deref() == Some(&idempotency.body_hash) {
            Used::Same(Box::new(self.task.try_into()?))
        } else {
            Used::Otherwise
        })
    }
}

/// Lists the columns of an [`EventRow`].
macro_rules! event_columns {
    () => {
        "id, task_id, key_id, url, payload, terminal, state, attempts, due_at, created_at"
    };
}
pub(super) use event_columns;

row! {
    /// A row of `events`.
    pub(super) struct EventRow {
        id: String,
        task_id: Uuid,
        key_id: String,
        url: String,
        payload: String,
        terminal: bool,
        state: i16,
        attempts: i32,
        due_at: Millis,
        created_at: Millis,
    }
}

impl TryFrom<EventRow> for Event {
    type Error = Error;

    fn try_from(row: EventRow) -> Result<Self> {
        let EventRow { id, task_id, key_id, url, payload, terminal, state, attempts, due_at, created_at } =
            row;
        let state = EventState::from_number(state).ok_or_else(|| unknown("state of an event", state))?;
        let attempts = attempts.unsigned_abs();
        Ok(Self { id, task_id, key_id, url, payload, terminal, state, attempts, due_at, created_at })
    }
}

impl EventRow {
    /// Returns the event under this lease.
    pub(super) fn leased(self, lease: &str) -> Result<ClaimedEvent> {
        Ok(ClaimedEvent { event: self.try_into()?, lease: lease.to_owned() })
    }
}

row! {
    /// A row of `attempts`.
    pub(super) struct AttemptRow {
        number: i32,
        at: Millis,
        duration: Millis,
        status: Option<i32>,
        error: Option<String>,
        answer: String,
    }
}

impl From<AttemptRow> for RecordedAttempt {
    fn from(row: AttemptRow) -> Self {
        let AttemptRow { number, at, duration, status, error, answer } = row;
        let status = status.and_then(|status| u16::try_from(status).ok());
        Self { number: number.unsigned_abs(), attempt: Attempt { at, duration, status, error, answer } }
    }
}

/// Converts all rows, or returns the first error.
pub(super) fn all<T, R: TryInto<T, Error = Error>>(rows: Vec<R>) -> Result<Vec<T>> {
    rows.into_iter().map(R::try_into).collect()
}

/// Returns the columns for the end of a task: status, results, error.
pub(super) fn outcome(ended: &Ended) -> Result<(TaskStatus, Option<String>, Option<String>)> {
    let unwritable = |what| move |error: serde_json::Error| invalid(what, &error);
    let results = serde_json::to_string(&ended.results).map_err(unwritable("results of a task"))?;
    let Some(cause) = &ended.error else { return Ok((TaskStatus::Completed, Some(results), None)) };
    let error = serde_json::to_string(cause).map_err(unwritable("error of a task"))?;
    let results = Some(results).filter(|_| !ended.results.is_empty());
    Ok((TaskStatus::Failed, results, Some(error)))
}

/// The outcome of ending a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HasEnded {
    /// The lease was lost.
    Not,
    /// The task ended; it has no webhook.
    Silently,
    /// The task ended and its terminal event is queued.
    Told,
}

/// Returns the host of a webhook URL: the lane in which its events wait.
///
/// A text that is no URL is a lane of its own.
pub(super) fn host(url: &str) -> String {
    let parsed = reqwest::Url::parse(url).ok();
    parsed.as_ref().and_then(|url| url.host_str()).unwrap_or(url).to_owned()
}

/// Returns the columns for what happens next: the state and a changed due time.
pub(super) const fn next(next: Next) -> (EventState, Option<Millis>) {
    match next {
        Next::Delivered => (EventState::Delivered, None),
        Next::RetryAt(at) => (EventState::Pending, Some(at)),
        Next::GiveUp => (EventState::GivenUp, None),
        Next::Gone => (EventState::Gone, None),
    }
}

/// Creates the id of a new event.
pub(super) fn event_id() -> String {
    format!("msg_{}", Uuid::now_v7().simple())
}

/// Returns the UTC day of a time, as days since 1970.
pub(super) const fn day(at: Millis) -> i64 {
    at.div_euclid(86_400_000)
}

/// Returns the first day of which something is known.
pub(super) fn first_day(now: Millis) -> i64 {
    day(now) - i64::from(Days::KEPT)
}

/// Returns a time of engines for its column.
pub(super) fn engine_time(time: Option<Duration>) -> Option<Millis> {
    time.map(millis)
}

/// An event to be queued.
pub(super) struct NewEvent<'a> {
    pub(super) task_id: Uuid,
    pub(super) key_id: &'a str,
    pub(super) url: &'a str,
    pub(super) payload: &'a str,
    pub(super) terminal: bool,
    pub(super) now: Millis,
}

/// Replaces zero bytes in text from outside, which PostgreSQL can't store.
pub(super) fn text(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// Converts a number for a signed column; too large ones become the maximum.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Converts a number of rows for `LIMIT`.
pub(super) fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn json<T: serde::de::DeserializeOwned>(what: &'static str, text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| invalid(what, &error))
}

/// Returns the error of a value, whose text the message must not hold.
fn invalid(what: &'static str, error: &serde_json::Error) -> Error {
    Error::Corrupt { what, why: without_values(&error.to_string()).to_owned() }
}

fn unknown(what: &'static str, number: i16) -> Error {
    Error::Corrupt { what, why: format!("this version does not know the number {number}") }
}

/// Reads the counts of [`Usage`]: open tasks, and bytes.
pub(super) fn usage((open_tasks, stored_bytes): (i64, i64)) -> Usage {
    Usage {
        open_tasks: u32::try_from(open_tasks).unwrap_or(u32::MAX),
        stored_bytes: u64::try_from(stored_bytes).unwrap_or_default(),
    }
}

/// Reads the counts of an [`OutboxUsage`]: events, hosts, and whether it has a certain host.
pub(super) fn outbox((events, hosts, has_host): (i64, i64, bool)) -> OutboxUsage {
    let count = |number: i64| u32::try_from(number).unwrap_or(u32::MAX);
    OutboxUsage { events: count(events), hosts: count(hosts), has_host }
}
