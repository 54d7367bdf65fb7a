//! `LISTEN` and `NOTIFY`: a wake-up for loops that would see it at their next look anyway.
//!
//! A `NOTIFY` is never part of the transaction that it tells of, because such commits wait for each other; and it is sent
//! at most once in a while, whatever is created in between.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgListener, PgPool};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use uuid::Uuid;

/// The channels.
const TASKS: &str = "asset_service_tasks";
const EVENTS: &str = "asset_service_events";

/// How long other processes are not told again.
const PAUSE: Duration = Duration::from_millis(20);

/// How long a listener whose connection is lost waits.
const AGAIN: Duration = Duration::from_secs(1);

/// The wake-ups for tasks and for events, and what sends and receives them.
pub(super) struct Wakes {
    pub(super) tasks: Wake,
    pub(super) events: Wake,
    running: [JoinHandle<()>; 3],
}

/// One wake-up.
#[derive(Clone, Default)]
pub(super) struct Wake {
    /// This process's loop waits for it.
    pub(super) here: Arc<Notify>,
    /// The other processes are to be told.
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
    pub(super) fn start(pool: &PgPool) -> Self {
        let (tasks, events) = (Wake::default(), Wake::default());
        let me = Uuid::now_v7().to_string();
        let running = [
            tokio::spawn(announce(pool.clone(), TASKS, me.clone(), tasks.clone())),
            tokio::spawn(announce(pool.clone(), EVENTS, me.clone(), events.clone())),
            tokio::spawn(listen(pool.clone(), me, tasks.clone(), events.clone())),
        ];
        Self { tasks, events, running }
    }
}

impl Drop for Wakes {
    fn drop(&mut self) {
        self.running.iter().for_each(JoinHandle::abort);
    }
}

/// `me` tells whose wake-up it is: this process has been woken.
async fn announce(pool: PgPool, channel: &'static str, me: String, wake: Wake) {
    loop {
        wake.elsewhere.notified().await;
        if let Err(error) =
            sqlx::query("SELECT pg_notify($1, $2)").bind(channel).bind(&me).execute(&pool).await
        {
            tracing::debug!(%error, channel, "other processes were not woken");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn listen(pool: PgPool, me: String, tasks: Wake, events: Wake) {
    loop {
        if let Err(error) = pass_on(&pool, &me, &tasks, &events).await {
            tracing::debug!(%error, "wake-ups from other processes are not heard");
        }
        tokio::time::sleep(AGAIN).await;
    }
}

async fn pass_on(pool: &PgPool, me: &str, tasks: &Wake, events: &Wake) -> sqlx::Result<()> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.listen_all([TASKS, EVENTS]).await?;
    loop {
        let told = listener.recv().await?;
        match told.channel() {
            _ if told.payload() == me => {}
            TASKS => tasks.here.notify_one(),
            _ => events.here.notify_one(),
        }
    }
}
