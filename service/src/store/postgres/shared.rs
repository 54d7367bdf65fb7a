//! Writes that share transactions.
//!
//! A commit waits for the disk, and a statement waits for its reply. Writes of one kind that arrive while
//! others commit therefore share the next transaction and its few statements. Each write still looks like a
//! transaction of its own: a write that fails with the others, or that can't be done with them, is tried
//! again alone. But an unknown result of a commit is an error. The write is not tried again, because the
//! commit may have happened.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::join_all;
use sqlx::Connection as _;
use sqlx::postgres::PgConnection;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::timeout;

use super::pool::Pool;
use crate::crash;
use crate::store::loops::Loops;
use crate::store::{Error, Result, overdue};

/// The maximum number of writes in one transaction.
const BATCH: usize = 128;

/// The maximum number of transactions of one kind at a time.
///
/// One is written while another commits.
const AT_ONCE: usize = 2;

/// How long the writes of a batch may take, at most.
///
/// A batch may wait for a locked row or on a broken connection that reports no error. It must not block all
/// other writes indefinitely. The outcome of a batch that is given up is unknown.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A write that can share its transaction.
#[async_trait]
pub(super) trait Write: Sized + Send + Sync + 'static {
    /// The result of the write, returned after the commit.
    type Output: Send + 'static;

    /// Writes a batch and returns the results in its order.
    ///
    /// `None` means that a write changed nothing in this transaction and must be done alone. An empty list
    /// means that the transaction must be rolled back.
    async fn together(db: &mut PgConnection, batch: &[Self]) -> Result<Vec<Option<Self::Output>>>;

    /// Writes in a transaction of its own.
    async fn alone(&self, pool: &Pool) -> Result<Self::Output> {
        pool.within(async {
            let mut connection = pool.acquire().await?;
            let mut transaction = connection.begin().await?;
            let mut written = Self::together(&mut transaction, std::slice::from_ref(self)).await?;
            // The transaction is rolled back without a result.
            let written = written.pop().flatten().ok_or(Error::NoResponse)?;
            transaction.commit().await?;
            Ok(written)
        })
        .await
    }
}

/// A handle for writes of one kind.
pub(super) struct Shared<W: Write> {
    queue: mpsc::Sender<Pending<W>>,
}

/// A write that waits for its commit.
type Pending<W> = (W, oneshot::Sender<Result<<W as Write>::Output>>);

impl<W: Write> Shared<W> {
    pub(super) fn start(pool: &Pool, loops: &Loops) -> Self {
        let (queue, arrived) = mpsc::channel(4 * BATCH);
        loops.spawn("batches of writes", serve(pool.clone(), arrived));
        Self { queue }
    }

    /// Returns the number of writes that wait for a transaction.
    pub(super) fn waiting(&self) -> usize {
        self.queue.max_capacity().saturating_sub(self.queue.capacity())
    }

    /// Writes, and returns after the commit; a caller that is dropped does not undo it.
    pub(super) async fn run(&self, write: W) -> Result<W::Output> {
        let (output, received) = oneshot::channel();
        self.queue.send((write, output)).await.map_err(|_| Error::Closed)?;
        received.await.map_err(|_| Error::NoResponse)?
    }
}

async fn serve<W: Write>(pool: Pool, mut arrived: mpsc::Receiver<Pending<W>>) {
    let turns = Arc::new(Semaphore::new(AT_ONCE));
    while let Ok(turn) = Arc::clone(&turns).acquire_owned().await {
        let mut batch = Vec::new();
        if arrived.recv_many(&mut batch, BATCH).await == 0 {
            return;
        }
        crash::point("write");
        let pool = pool.clone();
        tokio::spawn(async move {
            // Once for the batch, and once for its writes alone if PostgreSQL has ended a statement of the batch.
            let patience = (pool.deadline() * 2).min(TIMEOUT);
            if timeout(patience, write_all(&pool, batch)).await.is_err() {
                overdue::count(overdue::RESPONSE);
                tracing::error!("the database does not respond; gave up a batch of writes");
            }
            drop(turn);
        });
    }
}

async fn write_all<W: Write>(pool: &Pool, batch: Vec<Pending<W>>) {
    let (writes, callers): (Vec<W>, Vec<_>) = batch.into_iter().unzip();
    let mut outputs = if writes.len() > 1 { transaction(pool, &writes).await } else { Vec::new() };
    outputs.resize_with(writes.len(), || None);
    join_all(writes.iter().zip(callers).zip(outputs).map(async |((write, caller), output)| {
        let output = match output {
            Some(output) => output,
            None => write.alone(pool).await,
        };
        // The caller may have gone.
        let _ = caller.send(output);
    }))
    .await;
}

/// Writes a batch in one transaction; returns the results that are known.
///
/// The list is empty if the batch was rolled back. `None` means that a write must be done alone.
async fn transaction<W: Write>(pool: &Pool, writes: &[W]) -> Vec<Option<Result<W::Output>>> {
    let log_retry = |error: &Error| tracing::debug!(%error, "retrying writes one by one");
    // Each write alone would wait as long again.
    let failed = |error| {
        let error = Arc::new(Error::from(error));
        writes.iter().map(|_| Some(Err(Error::Shared(Arc::clone(&error))))).collect()
    };
    let mut connection = match pool.acquire().await {
        Ok(connection) => connection,
        Err(error) => return failed(overdue::noted(error)),
    };
    let mut transaction = match connection.begin().await {
        Ok(transaction) => transaction,
        Err(error) => return failed(error),
    };
    let written = W::together(&mut transaction, writes).await;
    let outputs = overdue::counted(written).inspect_err(log_retry).unwrap_or_default();
    if outputs.is_empty() {
        // If the rollback fails too, the connection is closed.
        let _ = transaction.rollback().await;
        return Vec::new();
    }
    match transaction.commit().await {
        Ok(()) => outputs.into_iter().map(|output| output.map(Ok)).collect(),
        Err(error) => {
            let error = Arc::new(Error::from(error));
            let failed = |output: Option<_>| output.map(|_| Err(Error::Shared(Arc::clone(&error))));
            outputs.into_iter().map(failed).collect()
        }
    }
}

/// Collects one column of the rows, as one parameter.
pub(super) fn column<'a, R, T>(rows: &'a [R], of: impl Fn(&'a R) -> T) -> Vec<T> {
    rows.iter().map(of).collect()
}
