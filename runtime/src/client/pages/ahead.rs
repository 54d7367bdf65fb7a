//! Pages that are requested before they are polled for.

use std::task::{Context, Poll};

use tokio::{sync::mpsc, task::AbortHandle};

use super::cursor::{Cursor, Fetched};

/// A task that requests pages, and the pages that it has received.
pub(super) struct Ahead {
    pages: mpsc::Receiver<Fetched>,
    task: AbortHandle,
}

impl Ahead {
    /// Starts a task that is at most this number of pages ahead. The number is at least 1.
    pub(super) fn start(mut cursor: Box<Cursor>, pages: usize) -> Self {
        let (sender, receiver) = mpsc::channel(pages);
        let task = tokio::spawn(async move {
            while !cursor.has_ended() {
                // The room is reserved before the request, so that the page on the way counts.
                let Ok(room) = sender.reserve().await else { return };
                let (next, fetched) = cursor.fetch().await;
                room.send(fetched);
                cursor = next;
            }
        });
        Self { pages: receiver, task: task.abort_handle() }
    }

    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Fetched>> {
        self.pages.poll_recv(context)
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.task.abort();
    }
}
