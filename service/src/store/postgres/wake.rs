//! Wakes the loops of other processes by `LISTEN` and `NOTIFY`.
//!
//! The loops poll as well, so that a lost wake-up only delays them. A `NOTIFY` is never sent in the
//! transaction that causes it, because such commits wait for each other. Each process sends at most one per
//! [`PAUSE`] and channel.

use std::sync::Arc;
use std::time::Duration;

use sqlx::Executor as _;
use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use uuid::Uuid;

use super::pool::{CONNECTING, Pool, within};
use crate::store::ends::Ends;

/// The channel for claimable tasks.
const TASKS: &str = "asset_service_tasks";
/// The channel for due events.
const EVENTS: &str = "asset_service_events";

/// The time between two notifications to other processes.
const PAUSE: Duration = Duration::from_millis(20);

/// The time without a notification after which the connection is tested.
const SILENCE: Duration = Duration::from_secs(60);

/// The time before a lost listener reconnects.
const AGAIN: Duration = Duration::from_secs(1);

/// The wake-ups for tasks and events, with the jobs that send and receive them.
pub(super) struct Wakes {
    pub(super) tasks: Wake,
    pub(super) events: Wake,
    running: [JoinHandle<()>; 3],
}

/// A wake-up for one kind of loop.
#[derive(Clone, Default)]
pub(super) struct Wake {
    /// Wakes the loop of this process.
    pub(super) here: Arc<Notify>,
    /// Triggers a notification to the other processes.
    elsewhere: Arc<Notify>,
}

impl Wake {
    /// Wakes the loops of all processes.
    pub(super) fn all(&self) {
        self.here.notify_one();
        self.elsewhere.notify_one();
    }
}

impl Wakes {
    pub(super) fn start(pool: &Pool, options: PgConnectOptions, ends: &Ends) -> Self {
        let (tasks, events) = (Wake::default(), Wake::default());
        let me = Uuid::now_v7().to_string();
        let running = [
            ends.spawn("notifications", announce(pool.clone(), TASKS, me.clone(), tasks.clone())),
            ends.spawn("notifications", announce(pool.clone(), EVENTS, me.clone(), events.clone())),
            ends.spawn("listener", listen(options, me, tasks.clone(), events.clone())),
        ];
        Self { tasks, events, running }
    }
}

impl Drop for Wakes {
    fn drop(&mut self) {
        self.running.iter().for_each(JoinHandle::abort);
    }
}

/// Notifies the other processes; `me` identifies the sender.
async fn announce(pool: Pool, channel: &'static str, me: String, wake: Wake) {
    loop {
        wake.elsewhere.notified().await;
        if let Err(error) =
            sqlx::query("SELECT pg_notify($1, $2)").bind(channel).bind(&me).execute(&pool).await
        {
            tracing::debug!(%error, channel, "can't wake other processes");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn listen(options: PgConnectOptions, me: String, tasks: Wake, events: Wake) {
    loop {
        if let Err(error) = pass_on(&options, &me, &tasks, &events).await {
            tracing::debug!(%error, "can't receive wake-ups from other processes");
        }
        tokio::time::sleep(AGAIN).await;
    }
}

async fn pass_on(options: &PgConnectOptions, me: &str, tasks: &Wake, events: &Wake) -> sqlx::Result<()> {
    // The listener keeps its connection, so it does not take one of the others.
    let pool =
        within(CONNECTING, PgPoolOptions::new().max_connections(1).connect_with(options.clone())).await?;
    let mut listener = within(CONNECTING, PgListener::connect_with(&pool)).await?;
    within(CONNECTING, listener.listen_all([TASKS, EVENTS])).await?;
    loop {
        let Ok(notification) = timeout(SILENCE, listener.recv()).await else {
            within(CONNECTING, listener.execute("SELECT 1")).await?;
            continue;
        };
        let notification = notification?;
        match notification.channel() {
            _ if notification.payload() == me => {}
            TASKS => tasks.here.notify_one(),
            _ => events.here.notify_one(),
        }
    }
}
