//! Streams of typed items.

use std::{
    fmt,
    future::poll_fn,
    mem::replace,
    pin::Pin,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker, ready},
    time::Duration,
};

use futures_core::Stream;

use crate::codec::{
    BoxError, ByteStream, Bytes, Decode, DecodeError, Encode, ItemSource, ItemWriter, Items, Reader,
    StreamError, Value, Writer, check_finite, to_value,
};

/// The items of a streamed body: a [`Stream`] of `T`.
///
/// In `text/event-stream` the items are events. A client reads them with [`next`](Self::next), or with any
/// adapter of `Stream`. A server creates an `ItemStream` from any other stream ([`new`](Self::new)), and
/// sends each item at once. If the client drops its stream, the connection closes and the server's stream is
/// dropped too.
///
/// ```
/// use openapi_crates_runtime::types::{Event, ItemStream};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), openapi_crates_runtime::types::StreamError> {
/// let mut events = ItemStream::from(vec![Event::new(1), Event::new(2)]);
/// let mut sum = 0;
/// while let Some(event) = events.next().await {
///     sum += event?.data;
/// }
/// assert_eq!(sum, 3);
/// # Ok(())
/// # }
/// ```
pub struct ItemStream<T>(Mutex<Content<T>>);

/// The content of a stream, which a writer takes out.
struct Content<T> {
    source: Source<T>,
    ticks: Option<Ticks>,
    /// Whether the body ends with an event whose data is `[DONE]`.
    says_done: bool,
}

enum Source<T> {
    Read(Box<dyn ItemSource>),
    Polled(Box<PollNext<T>>),
    Taken,
}

/// A function that polls a stream.
type PollNext<T> = dyn FnMut(&mut Context<'_>) -> Poll<Option<Result<T, StreamError>>> + Send;

/// A function that polls for the next keep-alive. It returns `false` after the last one.
type Ticks = Box<dyn FnMut(&mut Context<'_>) -> Poll<bool> + Send>;

impl<T> ItemStream<T> {
    /// Creates a body from a stream of items.
    ///
    /// An error of `items` aborts the body, so that no reader takes it for complete.
    pub fn new<S, E>(items: S) -> Self
    where
        S: Stream<Item = Result<T, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        let mut items = Box::pin(items);
        Self::of(Source::Polled(Box::new(move |context| {
            let item = ready!(items.as_mut().poll_next(context));
            Poll::Ready(item.map(|item| item.map_err(StreamError::broken)))
        })))
    }

    /// Creates a stream that decodes the items of a body.
    pub(super) fn read(items: Box<dyn ItemSource>) -> Self {
        Self::of(Source::Read(items))
    }

    fn of(source: Source<T>) -> Self {
        Self(Mutex::new(Content { source, ticks: None, says_done: false }))
    }

    fn content(&self) -> MutexGuard<'_, Content<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a keep-alive at each tick at which no item is ready.
    ///
    /// The keep-alive is a comment in `text/event-stream` and an empty line in streams of JSON; multipart bodies have
    /// none. Readers ignore it, and it keeps proxies from closing an idle connection. A tick every 15 seconds is usual.
    pub fn keep_alive<S: Stream + Send + 'static>(self, ticks: S) -> Self {
        let mut ticks = Box::pin(ticks);
        let poll =
            move |context: &mut Context<'_>| ticks.as_mut().poll_next(context).map(|tick| tick.is_some());
        self.content().ticks = Some(Box::new(poll));
        self
    }

    /// Ends the stream with an event whose data is `[DONE]`.
    ///
    /// Clients of OpenAI's API expect it. Framings other than `text/event-stream` don't send it. A reader
    /// needs no setting: if the data of events is JSON, `[DONE]` ends the stream.
    pub fn with_done(self) -> Self {
        self.content().says_done = true;
        self
    }

    /// Returns the id of the last event that had one.
    ///
    /// A new request with this id as its `Last-Event-ID` continues after that event. The result is `None` for
    /// a stream that is not read from a body, and for framings other than `text/event-stream`.
    #[must_use]
    pub fn last_event_id(&self) -> Option<String> {
        match &self.content().source {
            Source::Read(items) => items.last_event_id().map(str::to_owned),
            Source::Polled(_) | Source::Taken => None,
        }
    }

    /// Returns the time that the server asks to wait before a new request.
    ///
    /// The result is `None` in the cases of [`last_event_id`](Self::last_event_id), and if the server sent no
    /// time.
    #[must_use]
    pub fn retry(&self) -> Option<Duration> {
        match &self.content().source {
            Source::Read(items) => items.retry(),
            Source::Polled(_) | Source::Taken => None,
        }
    }

    /// Takes the content and leaves an empty stream.
    fn take(&self) -> Content<T> {
        replace(&mut *self.content(), Content { source: Source::Taken, ticks: None, says_done: false })
    }
}

impl<T: Decode + Encode> ItemStream<T> {
    /// Returns the next item, or `None` at the end.
    pub async fn next(&mut self) -> Option<Result<T, StreamError>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }
}

impl<T: Decode + Encode> Stream for ItemStream<T> {
    type Item = Result<T, StreamError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).source.poll_next(context)
    }
}

impl<T: Decode + Encode> Source<T> {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<T, StreamError>>> {
        let item = match self {
            Self::Read(items) => {
                let mut value = None;
                let read = ready!(items.poll_item(context, &mut value));
                return Poll::Ready(read.and_then(|read| read.map(|()| value).transpose()));
            }
            Self::Polled(poll) => ready!(poll(context)),
            Self::Taken => None,
        };
        let continues = item
            .as_ref()
            .is_some_and(|item| item.as_ref().map_or_else(|error| error.kind().is_of_one_item(), |_| true));
        if !continues {
            *self = Self::Taken;
        }
        Poll::Ready(item)
    }
}

impl<T: Send + 'static> From<Vec<T>> for ItemStream<T> {
    fn from(items: Vec<T>) -> Self {
        let mut items = items.into_iter();
        Self::of(Source::Polled(Box::new(move |_| Poll::Ready(items.next().map(Ok)))))
    }
}

impl<T> Default for ItemStream<T> {
    fn default() -> Self {
        Self::of(Source::Taken)
    }
}

impl<T> fmt::Debug for ItemStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ItemStream(…)")
    }
}

/// A format without streams holds the items as an array.
impl<T: Decode + Send + 'static> Decode for ItemStream<T> {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        match reader.items()? {
            Some(items) => Ok(Self::read(items)),
            None => Vec::decode(reader).map(Self::from),
        }
    }
}

impl<T: Decode + Encode + 'static> Encode for ItemStream<T> {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.items(self);
    }
}

impl<T: Decode + Encode + 'static> Items for ItemStream<T> {
    fn frames(&self, writer: Box<dyn ItemWriter>) -> ByteStream {
        ByteStream::of(Frames { content: Some(self.take()), writer })
    }

    fn ready(&self) -> Vec<Value> {
        let mut items = self.take();
        let mut context = Context::from_waker(Waker::noop());
        let mut values = Vec::new();
        while let Poll::Ready(Some(Ok(item))) = items.source.poll_next(&mut context) {
            values.push(to_value(&item));
        }
        values
    }
}

/// A stream of items, each as its bytes.
struct Frames<T> {
    /// `None` after the end.
    content: Option<Content<T>>,
    writer: Box<dyn ItemWriter>,
}

impl<T: Decode + Encode> Stream for Frames<T> {
    type Item = Result<Bytes, StreamError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Self { content: slot, writer } = &mut *self;
        let Some(Content { source, ticks, says_done }) = slot else { return Poll::Ready(None) };
        match source.poll_next(context) {
            Poll::Ready(Some(item)) => {
                let bytes = item.and_then(|item| {
                    check_finite(&item).map_err(StreamError::broken)?;
                    writer.item(&item)
                });
                Poll::Ready(Some(bytes.map(Bytes::from)))
            }
            Poll::Ready(None) => {
                let end = writer.end(*says_done);
                *slot = None;
                Poll::Ready((!end.is_empty()).then(|| Ok(end.into())))
            }
            Poll::Pending => {
                let Some(poll) = ticks else { return Poll::Pending };
                let continues = ready!(poll(context));
                if !continues || writer.keep_alive().is_empty() {
                    *ticks = None;
                    return Poll::Pending;
                }
                Poll::Ready(Some(Ok(Bytes::from_static(writer.keep_alive()))))
            }
        }
    }
}
