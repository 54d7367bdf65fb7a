//! The one connection that writes, and the batches that it commits.
//!
//! SQLite allows only one writer at a time. All writes queue for one connection. Writes that arrive during
//! the sync of a commit share the next transaction, so that a thousand simultaneous creations take far fewer
//! than a thousand syncs. Each write still looks like a transaction of its own: if one of a batch fails, the
//! batch is rolled back and each write runs again alone.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::sync::{Notify, mpsc, oneshot};

use crate::crash;
use crate::store::loops::Loops;
use crate::store::{Error, Result, overdue};

/// The maximum number of writes in one transaction.
const BATCH: usize = 256;

/// A write: a function that runs on its input within the given transaction.
pub(super) type Write<I, T> = for<'a> fn(&'a mut SqliteConnection, &'a I) -> BoxFuture<'a, Result<T>>;

/// A handle to the writing connection, which closes with the last handle.
#[derive(Clone)]
pub(super) struct Writer {
    jobs: mpsc::Sender<Box<dyn Job>>,
    closing: Arc<Notify>,
}

impl Writer {
    /// Starts the writer on a connection; `options` open another one if it breaks.
    pub(super) fn start(connection: SqliteConnection, options: SqliteConnectOptions, loops: &Loops) -> Self {
        let (jobs, queue) = mpsc::channel(4 * BATCH);
        let closing = Arc::<Notify>::default();
        loops.spawn("writer of the database", serve(connection, options, queue, Arc::clone(&closing)));
        Self { jobs, closing }
    }

    /// Makes the writer end after the writes that wait.
    pub(super) fn close(&self) {
        self.closing.notify_one();
    }

    /// Returns the number of writes that wait for a transaction.
    pub(super) fn waiting(&self) -> usize {
        self.jobs.max_capacity().saturating_sub(self.jobs.capacity())
    }

    /// Writes, and returns after the commit is on disk.
    ///
    /// A caller that is dropped does not undo the write.
    pub(super) async fn run<I, T>(&self, input: I, write: Write<I, T>) -> Result<T>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
    {
        let (output, received) = oneshot::channel();
        let job = Pending { input, write, written: None, output };
        self.jobs.send(Box::new(job)).await.map_err(|_| Error::Closed)?;
        received.await.map_err(|_| Error::Closed)?
    }
}

/// A write that waits for its commit.
trait Job: Send {
    /// Writes and keeps the result; may run again after a rollback.
    fn write<'a>(&'a mut self, db: &'a mut SqliteConnection) -> BoxFuture<'a, Result<()>>;

    /// Sends the result to the caller, after the commit or the failure.
    fn send_output(self: Box<Self>, committed: Result<()>);
}

struct Pending<I, T> {
    input: I,
    write: Write<I, T>,
    written: Option<T>,
    output: oneshot::Sender<Result<T>>,
}

impl<I: Send + Sync, T: Send> Job for Pending<I, T> {
    fn write<'a>(&'a mut self, db: &'a mut SqliteConnection) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            self.written = Some((self.write)(db, &self.input).await?);
            Ok(())
        })
    }

    fn send_output(self: Box<Self>, committed: Result<()>) {
        let Self { written, output, .. } = *self;
        // The caller may have been dropped.
        let _ = output.send(committed.and_then(|()| written.ok_or(Error::Closed)));
    }
}

/// The outcome of a transaction.
enum End {
    Committed,
    /// Nothing was written.
    RolledBack(Error),
    /// The state of the connection is unknown.
    Broken(Error),
}

async fn serve(
    mut connection: SqliteConnection,
    options: SqliteConnectOptions,
    mut queue: mpsc::Receiver<Box<dyn Job>>,
    closing: Arc<Notify>,
) {
    let mut batch = Vec::new();
    loop {
        let received = tokio::select! {
            biased;
            // Writes that wait are still received.
            () = closing.notified() => {
                queue.close();
                continue;
            }
            received = queue.recv_many(&mut batch, BATCH) => received,
        };
        if received == 0 {
            break;
        }
        crash::point("write");
        if batch.len() > 1 {
            match transaction(&mut connection, &mut batch).await {
                End::Committed => {
                    batch.drain(..).for_each(|job| job.send_output(Ok(())));
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
            job.send_output(committed);
        }
    }
    if let Err(error) = connection.close().await {
        tracing::warn!(%error, "can't close the database cleanly");
    }
}

async fn transaction(connection: &mut SqliteConnection, jobs: &mut [Box<dyn Job>]) -> End {
    let mut transaction = match connection.begin_with("BEGIN IMMEDIATE").await {
        Ok(transaction) => transaction,
        // Another process writes for too long, such as a command.
        Err(error) => return End::Broken(overdue::noted(error).into()),
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

/// Opens a new connection in place of a broken one.
///
/// If that fails, the next write fails too and tries again to open one.
async fn replace(connection: &mut SqliteConnection, options: &SqliteConnectOptions) {
    match options.connect().await {
        Ok(new) => *connection = new,
        Err(error) => tracing::error!(%error, "can't open the database for writing"),
    }
}
