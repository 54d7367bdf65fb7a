//! Streams of typed items.

use std::{
    fmt,
    future::poll_fn,
    marker::PhantomData,
    mem::take,
    pin::Pin,
    sync::{Mutex, PoisonError},
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
pub struct ItemStream<T> {
    source: Mutex<Source<T>>,
    extras: Mutex<Extras>,
}

type Boxed<T> = Pin<Box<dyn Stream<Item = Result<T, StreamError>> + Send>>;

enum Source<T> {
    Read(Box<dyn ItemSource>),
    Boxed(Boxed<T>),
    Taken,
}

/// The output in addition to the items.
#[derive(Default)]
struct Extras {
    ticks: Option<Pin<Box<dyn Stream<Item = ()> + Send>>>,
    says_done: bool,
}

impl<T> ItemStream<T> {
    /// Creates a body from a stream of items.
    ///
    /// An error of `items` aborts the body, so that no reader takes it for complete.
    pub fn new<S, E>(items: S) -> Self
    where
        S: Stream<Item = Result<T, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        Self::of(Source::Boxed(Box::pin(Mapped(Box::pin(items)))))
    }

    /// Creates a stream that decodes the items of a body.
    pub(super) fn read(items: Box<dyn ItemSource>) -> Self {
        Self::of(Source::Read(items))
    }

    fn of(source: Source<T>) -> Self {
        Self { source: Mutex::new(source), extras: Mutex::default() }
    }

    /// Sends a keep-alive at each tick at which no item is ready.
    ///
    /// The keep-alive is a comment in `text/event-stream` and an empty line in streams of JSON; multipart bodies have
    /// none. Readers ignore it, and it keeps proxies from closing an idle connection. A tick every 15 seconds is usual.
    #[must_use]
    pub fn keep_alive<S: Stream + Send + 'static>(self, ticks: S) -> Self {
        let extras = self.extras.into_inner().unwrap_or_else(PoisonError::into_inner);
        Self {
            source: self.source,
            extras: Mutex::new(Extras { ticks: Some(Box::pin(Ticks(Box::pin(ticks)))), ..extras }),
        }
    }

    /// Ends the stream with an event whose data is `[DONE]`.
    ///
    /// Clients of OpenAI's API expect it. Framings other than `text/event-stream` don't send it. A reader
    /// needs no setting: if the data of events is JSON, `[DONE]` ends the stream.
    #[must_use]
    pub fn with_done(self) -> Self {
        let extras = self.extras.into_inner().unwrap_or_else(PoisonError::into_inner);
        Self { source: self.source, extras: Mutex::new(Extras { says_done: true, ..extras }) }
    }

    /// Returns the id of the last event that had one.
    ///
    /// A new request with this id as its `Last-Event-ID` continues after that event. The result is `None` for
    /// a stream that is not read from a body, and for framings other than `text/event-stream`.
    #[must_use]
    pub fn last_event_id(&self) -> Option<String> {
        match &*self.source.lock().unwrap_or_else(PoisonError::into_inner) {
            Source::Read(items) => items.last_event_id().map(str::to_owned),
            Source::Boxed(_) | Source::Taken => None,
        }
    }

    /// Returns the time that the server asks to wait before a new request.
    ///
    /// The result is `None` in the cases of [`last_event_id`](Self::last_event_id), and if the server sent no
    /// time.
    #[must_use]
    pub fn retry(&self) -> Option<Duration> {
        match &*self.source.lock().unwrap_or_else(PoisonError::into_inner) {
            Source::Read(items) => items.retry(),
            Source::Boxed(_) | Source::Taken => None,
        }
    }

    /// Takes the content and leaves an empty stream.
    fn take(&self) -> Self {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let mut extras = self.extras.lock().unwrap_or_else(PoisonError::into_inner);
        let source = std::mem::replace(&mut *source, Source::Taken);
        Self { source: Mutex::new(source), extras: Mutex::new(take(&mut *extras)) }
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
        let source = self.source.get_mut().unwrap_or_else(PoisonError::into_inner);
        let item = match source {
            Source::Read(items) => {
                let mut value = None;
                let read = ready!(items.poll_item(context, &mut value));
                return Poll::Ready(read.and_then(|read| read.map(|()| value).transpose()));
            }
            Source::Boxed(items) => ready!(items.as_mut().poll_next(context)),
            Source::Taken => None,
        };
        let continues = item
            .as_ref()
            .is_some_and(|item| item.as_ref().map_or_else(|error| error.kind().is_of_one_item(), |_| true));
        if !continues {
            *source = Source::Taken;
        }
        Poll::Ready(item)
    }
}

impl<T: Send + 'static> From<Vec<T>> for ItemStream<T> {
    fn from(items: Vec<T>) -> Self {
        Self::of(Source::Boxed(Box::pin(Listed(items.into_iter()))))
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
        let mut items = self.take();
        let extras = take(items.extras.get_mut().unwrap_or_else(PoisonError::into_inner));
        ByteStream::of(Frames { items: Some(items), writer, extras, of: PhantomData })
    }

    fn ready(&self) -> Vec<Value> {
        let mut items = self.take();
        let mut context = Context::from_waker(Waker::noop());
        let mut values = Vec::new();
        while let Poll::Ready(Some(Ok(item))) = Pin::new(&mut items).poll_next(&mut context) {
            values.push(to_value(&item));
        }
        values
    }
}

/// A stream of items, each as its bytes.
struct Frames<T> {
    items: Option<ItemStream<T>>,
    writer: Box<dyn ItemWriter>,
    extras: Extras,
    of: PhantomData<fn() -> T>,
}

impl<T: Decode + Encode> Stream for Frames<T> {
    type Item = Result<Bytes, StreamError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Self { items: slot, writer, extras, .. } = &mut *self;
        let Some(items) = slot else { return Poll::Ready(None) };
        match Pin::new(items).poll_next(context) {
            Poll::Ready(Some(item)) => {
                let bytes = item.and_then(|item| {
                    check_finite(&item).map_err(StreamError::broken)?;
                    writer.item(&item)
                });
                Poll::Ready(Some(bytes.map(Bytes::from)))
            }
            Poll::Ready(None) => {
                *slot = None;
                let end = writer.end(extras.says_done);
                Poll::Ready((!end.is_empty()).then(|| Ok(end.into())))
            }
            Poll::Pending => {
                let Some(ticks) = &mut extras.ticks else { return Poll::Pending };
                let has_ended = ready!(ticks.as_mut().poll_next(context)).is_none();
                if has_ended || writer.keep_alive().is_empty() {
                    extras.ticks = None;
                    return Poll::Pending;
                }
                Poll::Ready(Some(Ok(Bytes::from_static(writer.keep_alive()))))
            }
        }
    }
}

/// An adapter that converts the errors of a stream.
struct Mapped<S>(Pin<Box<S>>);

impl<T, S: Stream<Item = Result<T, E>>, E: Into<BoxError>> Stream for Mapped<S> {
    type Item = Result<T, StreamError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context).map(|item| item.map(|item| item.map_err(StreamError::broken)))
    }
}

/// An adapter that discards the items of a stream.
struct Ticks<S>(Pin<Box<S>>);

impl<S: Stream> Stream for Ticks<S> {
    type Item = ();

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<()>> {
        self.0.as_mut().poll_next(context).map(|tick| tick.map(|_| ()))
    }
}

/// A stream of items in memory.
struct Listed<T>(std::vec::IntoIter<T>);

impl<T> Unpin for Listed<T> {}

impl<T> Stream for Listed<T> {
    type Item = Result<T, StreamError>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.next().map(Ok))
    }
}
