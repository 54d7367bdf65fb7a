//! Blocking calls (feature `blocking`).

use std::{
    fmt,
    future::{IntoFuture, poll_fn},
    pin::Pin,
    sync::LazyLock,
    thread,
};

use futures_core::Stream;
use tokio::runtime::{Builder, Handle};

/// Methods that wait for a future or a stream without async.
///
/// Everything that can be awaited has [`block`](Self::block): a call, `send_with_response()`, `wait()`, `finish()` of a
/// task, `next()` of its changes. Everything that is a stream has [`block_each`](Self::block_each): pages, items, changes
/// of a task, streamed bodies.
///
/// The futures are those of the async client. They run on a runtime of their own, which one thread of the process drives.
///
/// # Panics
/// Both methods panic on a thread that runs async code, because they would block its other tasks. They also panic if the
/// process can't start the thread.
///
/// # Examples
/// ```
/// use openapi_crates_runtime::client::Blocking;
///
/// assert_eq!(std::future::ready(7).block(), 7);
/// ```
pub trait Blocking: Sized {
    /// Waits for the output of a future.
    fn block(self) -> <Self as IntoFuture>::Output
    where
        Self: IntoFuture,
    {
        RUNTIME.block_on(self.into_future())
    }

    /// Returns the items of a stream as an iterator, which waits for each.
    fn block_each(self) -> Blocked<Self>
    where
        Self: Stream + Unpin,
    {
        Blocked(self)
    }
}

impl<T> Blocking for T {}

/// The items of a stream, as an iterator that waits for each.
#[must_use = "items are requested when the iterator is used"]
pub struct Blocked<S>(S);

impl<S> Blocked<S> {
    /// Returns the stream, for example for the position of its next page.
    pub const fn get_ref(&self) -> &S {
        &self.0
    }
}

impl<S: Stream + Unpin> Iterator for Blocked<S> {
    type Item = S::Item;

    fn next(&mut self) -> Option<S::Item> {
        poll_fn(|context| Pin::new(&mut self.0).poll_next(context)).block()
    }
}

impl<S> fmt::Debug for Blocked<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Blocked")
    }
}

/// The runtime whose connections and timers all calls use. A thread drives it until the process ends.
static RUNTIME: LazyLock<Handle> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "without resources for it there is nothing to return")]
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime can be created");
    let handle = runtime.handle().clone();
    let drive = move || runtime.block_on(std::future::pending::<()>());
    #[expect(clippy::expect_used, reason = "without resources for it there is nothing to return")]
    thread::Builder::new().name("blocking-client".to_owned()).spawn(drive).expect("a thread can be started");
    handle
});
