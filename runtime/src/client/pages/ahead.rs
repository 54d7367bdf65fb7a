//! Pages that are requested before they are polled for.

use std::task::{Context, Poll};

use tokio::{
    sync::{Semaphore, mpsc},
    task::AbortHandle,
};

use super::cursor::{Cursor, Fetched};
use crate::client::error::PagingError;

/// A task that requests pages, and the pages that it has received.
pub(super) struct Ahead {
    /// `None` is the end of the list.
    pages: mpsc::Receiver<Option<Fetched>>,
    task: AbortHandle,
}

impl Ahead {
    /// Starts a task that is at most this number of pages ahead. The number is at least 1.
    pub(super) fn start(mut cursor: Box<Cursor>, pages: usize) -> Self {
        let (sender, receiver) = mpsc::channel(pages.min(Semaphore::MAX_PERMITS));
        let task = tokio::spawn(async move {
            while !cursor.has_ended() {
                // The room is reserved before the request, so that the page in flight counts.
                let Ok(room) = sender.reserve().await else { return };
                let (next, fetched) = cursor.fetch().await;
                room.send(Some(fetched));
                cursor = next;
            }
            sender.send(None).await.ok();
        });
        Self { pages: receiver, task: task.abort_handle() }
    }

    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Fetched>> {
        // A task that ends without the mark has panicked, or its runtime has ended.
        let lost = || Fetched { attempts: 0, outcome: Err(PagingError::Prefetch.into()), next: None };
        self.pages.poll_recv(context).map(|received| received.unwrap_or_else(|| Some(lost())))
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.task.abort();
    }
}
