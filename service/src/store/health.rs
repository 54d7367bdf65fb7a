//! Health of the store, for readiness checks and metrics.

use std::time::Duration;

use async_trait::async_trait;

use super::Result;
use crate::domain::DeliveryCaps;
use crate::time::Millis;

/// The webhook events that wait for their delivery.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Undelivered {
    /// The number of events.
    pub count: u64,
    /// The time at which the oldest event was queued.
    pub oldest: Option<Millis>,
}

/// The tasks that wait because of a cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldBack {
    /// Tasks.
    pub tasks: u64,
    /// Webhook events that are due.
    pub events: u64,
}

/// Counts what waits: $1 is the time, $2 the cap of tasks of a key, $3 to $6 are the [`DeliveryCaps`] in their order.
pub(super) const HELD_BACK: &str = "
    WITH busy AS (
        SELECT host, key_id, count(*) AS sending FROM events
        WHERE lease IS NOT NULL AND due_at > $1 GROUP BY host, key_id
    ),
    hosts AS (SELECT host, sum(sending) AS sending FROM busy GROUP BY host)
    SELECT
        (SELECT count(*) FROM tasks WHERE status < 2 AND due_at <= $1 AND key_id IN (
            SELECT key_id FROM tasks WHERE status = 1 AND due_at > $1 AND lease_owner IS NOT NULL
            GROUP BY key_id HAVING count(*) >= $2
        )),
        (SELECT count(*) FROM events WHERE state = 0 AND due_at <= $1 AND (
            EXISTS (
                SELECT 1 FROM busy JOIN hosts ON hosts.host = busy.host
                WHERE busy.host = events.host AND busy.key_id = events.key_id
                AND (busy.sending >= $3 OR hosts.sending >= $4 - $5)
            )
            OR host IN (SELECT host FROM hosts WHERE sending >= $4)
            OR key_id IN (SELECT key_id FROM busy GROUP BY key_id HAVING sum(sending) >= $6)
        ))";

/// The database's clock, over all processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatabaseClock {
    /// The current time.
    pub now: Millis,
    /// The time at which it last jumped; `None` if it never did.
    pub jumped_at: Option<Millis>,
    /// The time until which the sweep waits for a backup.
    pub held_until: Millis,
}

/// The load of this process on the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Open connections; of the embedded database, those that read.
    pub connections: usize,
    /// Those that nothing uses.
    pub idle: usize,
    /// The maximum number of connections.
    pub most: usize,
    /// Writes that wait for a transaction.
    pub writes_waiting: usize,
    /// How far the clock of this machine was ahead of the database's when they were last compared; 0 for the embedded one.
    pub ahead: Millis,
}

/// What PostgreSQL has not removed yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OldVersions {
    /// The old versions of rows, by table.
    pub dead: Vec<(String, u64)>,
    /// For how long the oldest open transaction keeps such versions.
    pub oldest_transaction: Duration,
}

/// Health checks of a store.
#[async_trait]
pub trait Health {
    /// Checks that the store can be read and written.
    ///
    /// The write changes no data, but takes the path of all writes.
    async fn probe(&self) -> Result<()>;

    /// Reads the database's clock, and keeps that it was read.
    ///
    /// If the last reading is more than `gap` ago, or in the future, the clock has jumped. A database that no
    /// process has used for so long looks the same.
    async fn read_clock(&self, gap: Millis) -> Result<DatabaseClock>;

    /// Suspends the sweeps of all processes for this number of milliseconds; 0 resumes them.
    ///
    /// Returns for how many milliseconds sweeps may still remove something, because they have a turn.
    async fn hold_sweep(&self, milliseconds: Millis) -> Result<Millis>;

    /// Gives a sweep a turn of this number of milliseconds; returns `false` while sweeps wait.
    async fn sweep_turn(&self, milliseconds: Millis) -> Result<bool>;

    /// Returns the load of this process on the database.
    fn load(&self) -> Load;

    /// Returns the old versions of rows; `None` if the database has none.
    async fn old_versions(&self) -> Result<Option<OldVersions>>;

    /// Returns the name of a background loop of the store that has ended, once one has, by a bug.
    async fn ended(&self) -> &'static str;

    /// Completes the writes that have begun, and closes the connections. Other calls fail from now on.
    async fn close(&self);

    /// Counts the webhook events that are neither delivered nor given up.
    async fn undelivered(&self) -> Result<Undelivered>;

    /// Counts what waits because its key or its host has as much in progress as it may.
    async fn held_back(&self, running_per_key: u32, caps: DeliveryCaps, now: Millis) -> Result<HeldBack>;
}
