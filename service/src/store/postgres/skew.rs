//! How far this machine's clock is from the database's.
//!
//! Leases are moments, which each machine writes and reads by its own clock. One that is behind by more than a lease would
//! write leases that are over for the others, and each task would be worked on again and again. So a machine whose clock
//! is off claims nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use sqlx::postgres::PgPool;
use tokio::task::JoinHandle;

use crate::store::{Error, Result};
use crate::time::{Clock, Millis};

/// How far a clock may be off: far less than a lease, and more than clocks that are kept by NTP ever are.
const MOST: Millis = 5_000;

/// How often it is looked at.
const EVERY: Duration = Duration::from_secs(60);

/// What is known of this machine's clock.
pub(super) struct Skew {
    pool: PgPool,
    clock: Clock,
    ahead: Arc<AtomicI64>,
}

impl Skew {
    /// Compares the clocks.
    pub(super) async fn of(pool: &PgPool, clock: Clock) -> Result<Arc<Self>> {
        let skew = Self { pool: pool.clone(), clock, ahead: Arc::default() };
        skew.look().await?;
        Ok(Arc::new(skew))
    }

    /// Compares the clocks now and then, for as long as the process runs.
    pub(super) fn watch(self: Arc<Self>) -> JoinHandle<()> {
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(EVERY).await;
                match self.look().await {
                    Ok(()) => {}
                    Err(error @ Error::Clock { .. }) => tracing::error!(%error),
                    // The database is away, which others tell.
                    Err(error) => tracing::debug!(%error, "the clocks can't be compared"),
                }
            }
        })
    }

    /// Whether the clocks agreed when they were last compared.
    pub(super) fn check(&self) -> Result<()> {
        let ahead = self.ahead.load(Ordering::Relaxed);
        if ahead.abs() <= MOST { Ok(()) } else { Err(Error::Clock { ahead }) }
    }

    /// Compares the clocks.
    pub(super) async fn look(&self) -> Result<()> {
        let mut connection = self.pool.acquire().await?;
        let before = self.clock.now();
        let there: Millis =
            sqlx::query_scalar("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint")
                .fetch_one(&mut *connection)
                .await?;
        let after = self.clock.now();
        // It was read at some moment between the two: however long the answer took, what is known is known for sure.
        let ahead = if there < before { before - there } else { (after - there).min(0) };
        self.ahead.store(ahead, Ordering::Relaxed);
        self.check()
    }
}
