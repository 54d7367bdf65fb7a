//! Pages that are requested before they are polled for.

use std::task::{Context, Poll};

use tokio::sync::{Semaphore, mpsc};

use super::cursor::{Cursor, Fetched};
use crate::client::platform::{race, spawn};
use crate::client::{Error, PagingError};
use crate::table::Operation;

/// The pages that a task requests. Dropping it aborts the request in flight, and ends the task.
pub(super) struct Ahead(
    /// `None` is the end of the list.
    mpsc::Receiver<Option<Fetched>>,
);

impl Ahead {
    /// Starts a task that is at most this number of pages ahead. The number is at least 1.
    pub(super) fn start(mut cursor: Box<Cursor>, pages: usize) -> Self {
        let (sender, receiver) = mpsc::channel(pages.min(Semaphore::MAX_PERMITS));
        spawn(async move {
            while !cursor.has_ended() {
                // The room is reserved before the request, so that the page in flight counts.
                let Ok(room) = sender.reserve().await else { return };
                let Some((next, fetched)) = race(sender.closed(), cursor.fetch()).await else { return };
                room.send(Some(fetched));
                cursor = next;
            }
            sender.send(None).await.ok();
        });
        Self(receiver)
    }

    pub(super) fn poll(
        &mut self,
        operation: &'static Operation,
        context: &mut Context<'_>,
    ) -> Poll<Option<Fetched>> {
        // A task that ends without the mark has panicked, or its runtime has ended.
        let lost = || Some(Err(Error::new(PagingError::Prefetch.into(), Some(operation), 0)));
        self.0.poll_recv(context).map(|received| received.unwrap_or_else(lost))
    }
}
