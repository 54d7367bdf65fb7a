//! Wakes the loops of other processes by `LISTEN` and `NOTIFY`.
//!
//! The loops poll as well, so that a lost wake-up only delays them. A `NOTIFY` is never sent in the
//! transaction that causes it, because such commits wait for each other. Each process sends at most one per
//! [`PAUSE`] and channel.

use std::time::Duration;

use sqlx::Executor as _;
use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use uuid::Uuid;

use super::pool::{CONNECTING, Pool, within};
use crate::store::loops::Loops;
use crate::store::wake::{Wake, Wakes};

/// The channel for claimable tasks.
const TASKS: &str = "asset_service_tasks";
/// The channel for due events.
const EVENTS: &str = "asset_service_events";
/// The channel for notifications of providers.
const NOTICES: &str = "asset_service_notices";

/// The time between two notifications to other processes.
const PAUSE: Duration = Duration::from_millis(20);

/// The time without a notification after which the connection is tested.
const SILENCE: Duration = Duration::from_secs(60);

/// The time before a lost listener reconnects.
const RECONNECT_DELAY: Duration = Duration::from_secs(1);

/// The jobs that send and receive wake-ups, until this is dropped.
pub(super) struct Jobs([JoinHandle<()>; 4]);

impl Jobs {
    pub(super) fn start(pool: &Pool, wakes: &Wakes, loops: &Loops) -> Self {
        let own_id = Uuid::now_v7().to_string();
        let announce = |channel, wake: &Wake| {
            loops.spawn("notifications", announce(pool.clone(), channel, own_id.clone(), wake.clone()))
        };
        Self([
            announce(TASKS, &wakes.tasks),
            announce(EVENTS, &wakes.events),
            announce(NOTICES, &wakes.notices),
            loops.spawn("listener", listen(pool.clone(), own_id.clone(), wakes.clone())),
        ])
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        self.0.iter().for_each(JoinHandle::abort);
    }
}

/// Notifies the other processes; `own_id` identifies the sender.
async fn announce(pool: Pool, channel: &'static str, own_id: String, wake: Wake) {
    loop {
        wake.elsewhere.notified().await;
        let mut payload = own_id.clone();
        for key in wake.leaving() {
            payload.push(' ');
            payload.push_str(&key.to_string());
        }
        let notify = sqlx::query("SELECT pg_notify($1, $2)").bind(channel).bind(payload);
        if let Err(error) = notify.execute(&pool).await {
            tracing::debug!(%error, channel, "can't wake other processes");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn listen(pool: Pool, own_id: String, wakes: Wakes) {
    loop {
        if let Err(error) = forward(&pool, &own_id, &wakes).await {
            tracing::debug!(%error, "can't receive wake-ups from other processes");
        }
        tokio::time::sleep(RECONNECT_DELAY).await;
    }
}

async fn forward(pool: &Pool, own_id: &str, wakes: &Wakes) -> sqlx::Result<()> {
    // The listener keeps its connection, so it does not take one of the others.
    let options = PgConnectOptions::clone(&pool.options());
    let pool = within(CONNECTING, PgPoolOptions::new().max_connections(1).connect_with(options)).await?;
    let mut listener = within(CONNECTING, PgListener::connect_with(&pool)).await?;
    within(CONNECTING, listener.listen_all([TASKS, EVENTS, NOTICES])).await?;
    loop {
        let Ok(notification) = timeout(SILENCE, listener.recv()).await else {
            within(CONNECTING, listener.execute("SELECT 1")).await?;
            continue;
        };
        let notification = notification?;
        let mut words = notification.payload().split(' ');
        let wake = match notification.channel() {
            TASKS => &wakes.tasks,
            EVENTS => &wakes.events,
            _ => &wakes.notices,
        };
        if words.next() != Some(own_id) {
            wake.arrive(words.filter_map(|key| Uuid::parse_str(key).ok()));
        }
    }
}
