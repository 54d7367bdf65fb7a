//! Measures the difference between this machine's clock and the database's clock.
//!
//! Leases are times that each machine writes and reads by its own clock. A machine that is behind by more
//! than a lease would write leases that have expired for the others, and each task would run again and again.
//! A machine whose clock is off therefore claims nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tokio::task::JoinHandle;

use super::pool::Pool;
use crate::store::loops::Loops;
use crate::store::{Error, Result};
use crate::time::{Clock, Millis};

/// The maximum that a clock may be off, in milliseconds.
///
/// It is far less than a lease of the defaults, and more than the error of a clock that NTP controls.
const MAX_DIFFERENCE: Millis = 5_000;

/// A clock may be off by a lease divided by this. A heartbeat extends a lease after a third of it.
const LEASE_DIVISOR: Millis = 6;

/// The time between two comparisons.
const INTERVAL: Duration = Duration::from_secs(60);

/// The last known difference of the clocks.
pub(super) struct Skew {
    pool: Pool,
    clock: Clock,
    /// How far this machine's clock is ahead, in milliseconds; negative if it is behind.
    ahead: Arc<AtomicI64>,
}

impl Skew {
    /// Compares the clocks for the first time; fails if they differ.
    pub(super) async fn of(pool: &Pool, clock: Clock) -> Result<Arc<Self>> {
        let skew = Self { pool: pool.clone(), clock, ahead: Arc::default() };
        skew.measure().await?;
        Ok(Arc::new(skew))
    }

    /// Compares the clocks every minute, for as long as the process runs.
    pub(super) fn watch(self: Arc<Self>, loops: &Loops) -> JoinHandle<()> {
        loops.spawn("clock comparison", async move {
            loop {
                tokio::time::sleep(INTERVAL).await;
                match self.measure().await {
                    Ok(()) => {}
                    Err(error @ Error::Clock { .. }) => tracing::error!(%error),
                    // The database is unreachable, which other parts report.
                    Err(error) => tracing::debug!(%error, "can't compare the clocks"),
                }
            }
        })
    }

    /// Fails if the clocks differed when they were last compared, by a sixth of this lease or by five seconds.
    pub(super) fn check(&self, lease: Millis) -> Result<()> {
        let ahead = self.ahead.load(Ordering::Relaxed);
        if ahead.abs() <= MAX_DIFFERENCE.min(lease / LEASE_DIVISOR) {
            Ok(())
        } else {
            Err(Error::Clock { ahead })
        }
    }

    /// Returns how far this machine's clock was ahead when they were last compared.
    pub(super) fn ahead(&self) -> Millis {
        self.ahead.load(Ordering::Relaxed)
    }

    /// Compares the clocks now; fails if they differ.
    pub(super) async fn measure(&self) -> Result<()> {
        let mut connection = self.pool.acquire().await?;
        let before = self.clock.now();
        let query = sqlx::query_scalar("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint");
        let database: Millis = self.pool.within(query.fetch_one(&mut *connection)).await?;
        let after = self.clock.now();
        // The database read its clock between `before` and `after`. Only a difference beyond that interval is
        // certain, however long the query took.
        let ahead = if database < before { before - database } else { (after - database).min(0) };
        self.ahead.store(ahead, Ordering::Relaxed);
        self.check(Millis::MAX)
    }
}
