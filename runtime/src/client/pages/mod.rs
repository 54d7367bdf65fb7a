//! The pages of a list, and their items.

mod ahead;
mod cursor;
mod link;

use std::{
    fmt,
    future::{Future, poll_fn},
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll, ready},
    vec,
};

use futures_core::Stream;

use self::{
    ahead::Ahead,
    cursor::{Cursor, Fetched},
};
use super::{
    Call, Client, Error, PagingError, Pending, Reading, Received, Response, follow::without_query,
    probe::Path, reply,
};
use crate::{
    codec::{Decode, Encode},
    table::{Operation, setters},
};

/// The maximum number of pages in a row without an item, in a stream of items.
const MAX_EMPTY: u32 = 1000;

/// The description of a list that has pages. Generated code makes it.
#[derive(Debug)]
#[non_exhaustive]
#[must_use]
pub struct Paging {
    /// How the next page is requested.
    pub step: PageStep,
    /// The array of items in the response.
    pub items: Path,
    /// The boolean that says whether there are more pages.
    pub more: Option<Path>,
}

impl Paging {
    /// Creates the description of a list.
    pub const fn new(step: PageStep, items: Path) -> Self {
        Self { step, items, more: None }
    }
}

setters! {
    Paging {
        some more: Path;
    }
}

/// The way to request the next page.
#[derive(Debug)]
#[non_exhaustive]
pub enum PageStep {
    /// By the number of the page.
    Page {
        /// The number in the request.
        at: PageSlot,
        /// The number of the first page.
        first: u64,
        /// The number of the last page in the response.
        last: Option<Path>,
    },
    /// By the number of items before the page.
    Offset {
        /// The number in the request.
        at: PageSlot,
        /// The number of all items in the response.
        total: Option<Path>,
    },
    /// By a text that the response contains.
    Cursor {
        /// The cursor in the request.
        at: PageSlot,
        /// The cursor of the next page in the response.
        next: Path,
    },
    /// By a URL that the response contains.
    Url {
        /// The URL of the next page in the response.
        next: Path,
    },
    /// By the URL in the header `Link` with the relation `next`.
    Link,
}

/// The part of a request that selects the page.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum PageSlot {
    /// A parameter of the query.
    Query(&'static str),
    /// A property of the JSON body.
    Body(Path),
}

/// A call of an operation whose output is a page, with items `I`.
///
/// Awaited, it returns the first page. [`pages`](Call::pages) and [`items`](Call::items) request all.
pub type PagedCall<T, E, I> = Call<T, E, Paged<T, I>>;

/// Decoding into the types of an operation whose output is a page.
pub struct Paged<T, I> {
    paging: &'static Paging,
    items: fn(T) -> Option<Vec<I>>,
}

impl<T: Decode, E: Decode + fmt::Debug, I> Reading<T, E> for Paged<T, I> {
    fn read(self, operation: &'static Operation, received: Received) -> Result<Response<T>, Error<E>> {
        reply::decode(operation, received)
    }
}

impl Client {
    /// Creates a call of an operation whose output is a page.
    ///
    /// `items` takes the items out of a page. Generated functions call this method, and ensure that the types match the
    /// operation.
    pub fn paged<T, E, I>(
        &self,
        operation: &'static Operation,
        input: &dyn Encode,
        paging: &'static Paging,
        items: fn(T) -> Option<Vec<I>>,
    ) -> PagedCall<T, E, I> {
        Call::new(Pending::new(self, operation, input), Paged { paging, items })
    }
}

impl<T, E, I> Call<T, E, Paged<T, I>> {
    /// Returns the pages, beginning with the one that the input selects.
    ///
    /// Each page is a call of its own, with the options of this call.
    pub fn pages(self) -> Pages<T, E, I> {
        let operation = self.pending.operation;
        let cursor = Box::new(Cursor::new(self.pending, self.reading.paging));
        Pages {
            source: Source::Idle(cursor),
            ahead: 0,
            operation,
            items: self.reading.items,
            next: None,
            errors: PhantomData,
        }
    }

    /// Returns the items of all pages, beginning with the page that the input selects.
    pub fn items(self) -> Items<T, E, I> {
        self.pages().items()
    }
}

/// The pages of a list, as a stream.
///
/// A page is requested when it is polled for. An error ends the stream; [`position`](Self::position) is then that of
/// the page that failed.
///
/// # Errors
/// A page fails like any call. It also fails with [`ErrorKind::Paging`](super::ErrorKind::Paging) if a response repeats
/// a position or a page.
#[must_use = "pages are requested when they are polled for"]
pub struct Pages<T, E, I> {
    source: Source,
    /// The number of pages that are requested ahead of time.
    ahead: usize,
    operation: &'static Operation,
    items: fn(T) -> Option<Vec<I>>,
    next: Option<String>,
    errors: PhantomData<fn() -> E>,
}

/// The state of the requests.
enum Source {
    /// No request is in flight.
    Idle(Box<Cursor>),
    /// A request is in flight.
    Running(Pin<Box<dyn Future<Output = (Box<Cursor>, Fetched)> + Send>>),
    /// Pages are requested ahead of time.
    Ahead(Ahead),
    /// There are no more pages.
    Ended,
}

impl<T, E, I> Pages<T, E, I> {
    /// Begins at a position that [`position`](Self::position) returned, in this or another process.
    pub fn resume_at(mut self, position: impl Into<String>) -> Self {
        let position = position.into();
        if let Source::Idle(cursor) = &mut self.source {
            cursor.resume_at(position.clone());
            self.next = Some(position);
        }
        self
    }

    /// Requests up to this number of pages before they are polled for. The default is 0.
    ///
    /// A task of the Tokio runtime requests them. It starts with the next poll and ends when the pages are dropped.
    pub fn prefetch(mut self, pages: usize) -> Self {
        self.ahead = pages;
        self
    }

    /// Returns the position of the page that comes next: its number, offset, cursor or URL.
    ///
    /// It is `None` at the first page and after the last one.
    #[must_use]
    pub fn position(&self) -> Option<&str> {
        self.next.as_deref()
    }

    /// Returns the items of the pages.
    pub fn items(self) -> Items<T, E, I> {
        Items { pages: self, current: Vec::new().into_iter(), empty: 0 }
    }

    fn poll_fetched(&mut self, context: &mut Context<'_>) -> Poll<Option<Fetched>> {
        loop {
            self.source = match std::mem::replace(&mut self.source, Source::Ended) {
                Source::Idle(cursor) if cursor.has_ended() => return Poll::Ready(None),
                Source::Idle(cursor) if self.ahead > 0 => Source::Ahead(Ahead::start(cursor, self.ahead)),
                Source::Idle(cursor) => Source::Running(Box::pin(cursor.fetch())),
                Source::Running(mut running) => match running.as_mut().poll(context) {
                    Poll::Ready((cursor, fetched)) => {
                        self.source = Source::Idle(cursor);
                        return Poll::Ready(Some(fetched));
                    }
                    Poll::Pending => {
                        self.source = Source::Running(running);
                        return Poll::Pending;
                    }
                },
                Source::Ahead(mut ahead) => {
                    let polled = ahead.poll(self.operation, context);
                    if !matches!(polled, Poll::Ready(None)) {
                        self.source = Source::Ahead(ahead);
                    }
                    return polled;
                }
                Source::Ended => return Poll::Ready(None),
            };
        }
    }
}

impl<T: Decode, E: Decode + fmt::Debug, I> Pages<T, E, I> {
    /// Returns the next page, or `None` after the last one.
    ///
    /// # Errors
    /// Returns an error if the page can't be requested, or if the response is not a documented success.
    pub async fn next(&mut self) -> Option<Result<T, Error<E>>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }
}

impl<T: Decode, E: Decode + fmt::Debug, I> Stream for Pages<T, E, I> {
    type Item = Result<T, Error<E>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(fetched) = ready!(self.poll_fetched(context)) else { return Poll::Ready(None) };
        let page = fetched.map_err(Error::widen).and_then(|(received, next)| {
            let response = reply::decode(self.operation, received)?;
            self.next = next;
            Ok(response.into_value())
        });
        if page.is_err() {
            self.source = Source::Ended;
        }
        Poll::Ready(Some(page))
    }
}

impl<T, E, I> fmt::Debug for Pages<T, E, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages")
            .field("operation", &self.operation.id)
            .field("position", &self.next.as_deref().map(without_query))
            .finish_non_exhaustive()
    }
}

/// The items of all pages of a list, as a stream.
#[must_use = "pages are requested when items are polled for"]
pub struct Items<T, E, I> {
    pages: Pages<T, E, I>,
    current: vec::IntoIter<I>,
    /// The number of pages since the last item.
    empty: u32,
}

impl<T, E, I> Items<T, E, I> {
    /// Returns the position of the page that comes next, see [`Pages::position`].
    ///
    /// To resume there without a gap, use all items of the current page first.
    #[must_use]
    pub fn position(&self) -> Option<&str> {
        self.pages.position()
    }
}

impl<T: Decode, E: Decode + fmt::Debug, I> Items<T, E, I> {
    /// Returns the next item, or `None` after the last one.
    ///
    /// # Errors
    /// Returns an error if the next page can't be requested, see [`Pages::next`], or if 1,000 pages in a row are empty.
    pub async fn next(&mut self) -> Option<Result<I, Error<E>>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }
}

impl<T: Decode, E: Decode + fmt::Debug, I> Stream for Items<T, E, I> {
    type Item = Result<I, Error<E>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(item) = self.current.next() {
                self.empty = 0;
                return Poll::Ready(Some(Ok(item)));
            }
            if self.empty == MAX_EMPTY {
                self.empty = 0;
                self.pages.source = Source::Ended;
                let kind = PagingError::Empty { pages: MAX_EMPTY }.into();
                return Poll::Ready(Some(Err(Error::new(kind, Some(self.pages.operation), 1))));
            }
            match ready!(Pin::new(&mut self.pages).poll_next(context)) {
                Some(Ok(page)) => {
                    self.empty += 1;
                    self.current = (self.pages.items)(page).unwrap_or_default().into_iter();
                }
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}

// Items are moved out, and never pinned.
impl<T, E, I> Unpin for Items<T, E, I> {}

impl<T, E, I> fmt::Debug for Items<T, E, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Items").field(&self.pages).finish()
    }
}
