//! The one connection that writes, and what it does together.
//!
//! SQLite has one writer at a time anyway. All writes queue for one connection, and those that have arrived while the
//! last ones were being synced to the disk share the next transaction: so a thousand creations at once cost some tens of
//! syncs, not a thousand. Each write is all the same a transaction of its own in what it shows: when one of a batch
//! fails, the batch is rolled back and each is done again alone.

use futures_util::future::BoxFuture;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::sync::{mpsc, oneshot};

use crate::store::{Error, Result};

/// The most writes in one transaction.
const BATCH: usize = 256;

/// A write: what it does with its input, within the transaction that it is given.
pub(super) type Write<I, T> = for<'a> fn(&'a mut SqliteConnection, &'a I) -> BoxFuture<'a, Result<T>>;

/// The way to the writing connection. It is closed when the last clone is gone.
#[derive(Clone)]
pub(super) struct Writer {
    jobs: mpsc::Sender<Box<dyn Job>>,
}

impl Writer {
    /// Takes the connection that writes; `options` make another one, should it break.
    pub(super) fn start(connection: SqliteConnection, options: SqliteConnectOptions) -> Self {
        let (jobs, queue) = mpsc::channel(4 * BATCH);
        tokio::spawn(serve(connection, options, queue));
        Self { jobs }
    }

    /// Writes, and returns when it is committed and synced. A caller that goes away meanwhile does not undo it.
    pub(super) async fn run<I, T>(&self, input: I, write: Write<I, T>) -> Result<T>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let job = Pending { input, write, written: None, answer };
        self.jobs.send(Box::new(job)).await.map_err(|_| Error::Closed)?;
        answered.await.map_err(|_| Error::Closed)?
    }
}

/// A write that waits for its commit.
trait Job: Send {
    /// Writes, and keeps what is to be answered. May be called again after a rollback.
    fn write<'a>(&'a mut self, db: &'a mut SqliteConnection) -> BoxFuture<'a, Result<()>>;

    /// Answers, now that it is committed, or has failed.
    fn answer(self: Box<Self>, committed: Result<()>);
}

struct Pending<I, T> {
    input: I,
    write: Write<I, T>,
    written: Option<T>,
    answer: oneshot::Sender<Result<T>>,
}

impl<I: Send + Sync, T: Send> Job for Pending<I, T> {
    fn write<'a>(&'a mut self, db: &'a mut SqliteConnection) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            self.written = Some((self.write)(db, &self.input).await?);
            Ok(())
        })
    }

    fn answer(self: Box<Self>, committed: Result<()>) {
        let Self { written, answer, .. } = *self;
        // Whoever asked may have gone.
        let _ = answer.send(committed.and_then(|()| written.ok_or(Error::Closed)));
    }
}

/// What a transaction leaves.
enum End {
    Committed,
    /// Nothing was written.
    RolledBack(Error),
    /// It is not certain in which state the connection is.
    Broken(Error),
}

async fn serve(
    mut connection: SqliteConnection,
    options: SqliteConnectOptions,
    mut queue: mpsc::Receiver<Box<dyn Job>>,
) {
    let mut batch = Vec::new();
    while queue.recv_many(&mut batch, BATCH).await > 0 {
        if batch.len() > 1 {
            match transaction(&mut connection, &mut batch).await {
                End::Committed => {
                    batch.drain(..).for_each(|job| job.answer(Ok(())));
                    continue;
                }
                End::RolledBack(_) => {}
                End::Broken(_) => replace(&mut connection, &options).await,
            }
        }
        for mut job in batch.drain(..) {
            let committed = match transaction(&mut connection, std::slice::from_mut(&mut job)).await {
                End::Committed => Ok(()),
                End::RolledBack(error) => Err(error),
                End::Broken(error) => {
                    replace(&mut connection, &options).await;
                    Err(error)
                }
            };
            job.answer(committed);
        }
    }
    if let Err(error) = connection.close().await {
        tracing::warn!(%error, "the database was not closed in order");
    }
}

async fn transaction(connection: &mut SqliteConnection, jobs: &mut [Box<dyn Job>]) -> End {
    let mut transaction = match connection.begin_with("BEGIN IMMEDIATE").await {
        Ok(transaction) => transaction,
        Err(error) => return End::Broken(error.into()),
    };
    for job in jobs {
        if let Err(error) = job.write(&mut transaction).await {
            return match transaction.rollback().await {
                Ok(()) => End::RolledBack(error),
                Err(_) => End::Broken(error),
            };
        }
    }
    match transaction.commit().await {
        Ok(()) => End::Committed,
        Err(error) => End::Broken(error.into()),
    }
}

/// A new connection in the place of one that broke; where there is none to be had, the next write fails and tries again.
async fn replace(connection: &mut SqliteConnection, options: &SqliteConnectOptions) {
    match options.connect().await {
        Ok(new) => *connection = new,
        Err(error) => tracing::error!(%error, "the database can't be opened for writing"),
    }
}
