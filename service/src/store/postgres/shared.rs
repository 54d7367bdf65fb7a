//! Writes that share transactions.
//!
//! A commit waits for the disk, and a statement for its answer. So writes of one kind that arrive while others are on their
//! way to the disk share the next transaction, and its statements: a few for all of them. Each is all the same a
//! transaction of its own in what it shows: what fails with the others, or can't be done with them, is tried again alone.
//! But a commit whose answer got lost is told as an error, and not tried again here: it may have happened.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::join_all;
use sqlx::postgres::{PgConnection, PgPool};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::timeout;

use crate::store::{Error, Result};

/// The most writes in one transaction.
const BATCH: usize = 128;

/// The most transactions of a kind at a time: while one waits for the disk, the next one is written.
const AT_ONCE: usize = 2;

/// How long the writes of a batch may take. Those that wait longer, for a row that somebody has locked or for a connection that
/// is broken and does not say so, must not hold up all others for ever: nobody knows what became of them.
const PATIENCE: Duration = Duration::from_secs(45);

/// A write that can share its transaction.
#[async_trait]
pub(super) trait Write: Sized + Send + Sync + 'static {
    /// What is told when it is committed.
    type Answer: Send + 'static;

    /// Does all of a batch; the answers are in its order. A write without one has changed nothing in this transaction and is
    /// done alone; no answers at all: nothing of the transaction is kept.
    async fn together(db: &mut PgConnection, batch: &[Self]) -> Result<Vec<Option<Self::Answer>>>;

    /// Does it in a transaction of its own.
    async fn alone(&self, pool: &PgPool) -> Result<Self::Answer>;
}

/// The way to the transactions of one kind of writes.
pub(super) struct Shared<W: Write> {
    queue: mpsc::Sender<Pending<W>>,
}

/// A write that waits for its commit.
type Pending<W> = (W, oneshot::Sender<Result<<W as Write>::Answer>>);

impl<W: Write> Shared<W> {
    pub(super) fn start(pool: &PgPool) -> Self {
        let (queue, arrived) = mpsc::channel(4 * BATCH);
        tokio::spawn(serve(pool.clone(), arrived));
        Self { queue }
    }

    /// Writes, and returns when it is committed. A caller that goes away meanwhile does not undo it.
    pub(super) async fn run(&self, write: W) -> Result<W::Answer> {
        let (answer, answered) = oneshot::channel();
        self.queue.send((write, answer)).await.map_err(|_| Error::Closed)?;
        answered.await.map_err(|_| Error::Unanswered)?
    }
}

async fn serve<W: Write>(pool: PgPool, mut arrived: mpsc::Receiver<Pending<W>>) {
    let turns = Arc::new(Semaphore::new(AT_ONCE));
    while let Ok(turn) = Arc::clone(&turns).acquire_owned().await {
        let mut batch = Vec::new();
        if arrived.recv_many(&mut batch, BATCH).await == 0 {
            return;
        }
        let pool = pool.clone();
        tokio::spawn(async move {
            if timeout(PATIENCE, write_all(&pool, batch)).await.is_err() {
                tracing::error!("the database does not answer; what was to be written is given up");
            }
            drop(turn);
        });
    }
}

async fn write_all<W: Write>(pool: &PgPool, batch: Vec<Pending<W>>) {
    let (writes, askers): (Vec<W>, Vec<_>) = batch.into_iter().unzip();
    let mut answers = if writes.len() > 1 { transaction(pool, &writes).await } else { Vec::new() };
    answers.resize_with(writes.len(), || None);
    join_all(writes.iter().zip(askers).zip(answers).map(async |((write, asker), answer)| {
        let answer = match answer {
            Some(answer) => answer,
            None => write.alone(pool).await,
        };
        // Whoever asked may have gone.
        let _ = asker.send(answer);
    }))
    .await;
}

/// What is known of each write, after one transaction of them all; nothing of those that it left undone.
async fn transaction<W: Write>(pool: &PgPool, writes: &[W]) -> Vec<Option<Result<W::Answer>>> {
    let undone = |error: &Error| tracing::debug!(%error, "writes are tried one by one");
    let mut transaction = match pool.begin().await {
        Ok(transaction) => transaction,
        // One by one they would wait as long again.
        Err(error) => {
            let error = Arc::new(Error::from(error));
            return writes.iter().map(|_| Some(Err(Error::Shared(Arc::clone(&error))))).collect();
        }
    };
    let written = W::together(&mut transaction, writes).await;
    let answers = written.inspect_err(undone).unwrap_or_default();
    if answers.is_empty() {
        // Where that fails too, the connection is closed.
        let _ = transaction.rollback().await;
        return Vec::new();
    }
    match transaction.commit().await {
        Ok(()) => answers.into_iter().map(|answer| answer.map(Ok)).collect(),
        Err(error) => {
            let error = Arc::new(Error::from(error));
            let failed = |answer: Option<_>| answer.map(|_| Err(Error::Shared(Arc::clone(&error))));
            answers.into_iter().map(failed).collect()
        }
    }
}

/// A column of rows, as one parameter.
pub(super) fn column<'a, R, T>(rows: &'a [R], of: impl Fn(&'a R) -> T) -> Vec<T> {
    rows.iter().map(of).collect()
}
