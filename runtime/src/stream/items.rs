//! Items as they come, in their type.

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

use super::{BoxError, ByteStream, Framing, RawItems, StreamError, read::DONE};
use crate::{
    codec::{Decode, Encode, Fault, Reader, Writer, to_value},
    types::{Bytes, Value},
};

/// The items of a body as they come: a [`Stream`] of `T`s. In `text/event-stream` they are events.
///
/// What reads one goes on with [`next`](Self::next), or whatever else takes a `Stream`; what answers with one makes it
/// of any other stream ([`new`](Self::new)), of which nothing is held back. A reader that loses interest drops it, and
/// so is told the sender, whose stream is dropped then.
pub struct ItemStream<T> {
    source: Mutex<Source<T>>,
    more: Mutex<More>,
}

type Made<T> = Pin<Box<dyn Stream<Item = Result<T, StreamError>> + Send>>;

enum Source<T> {
    Read(Box<RawItems>),
    Made(Made<T>),
    Taken,
}

/// What is written beside the items.
#[derive(Default)]
struct More {
    ticks: Option<Pin<Box<dyn Stream<Item = ()> + Send>>>,
    says_done: bool,
}

impl<T> ItemStream<T> {
    /// The items of a stream. An error in it breaks the answer off, so that a reader does not take it for complete.
    pub fn new<S, E>(items: S) -> Self
    where
        S: Stream<Item = Result<T, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        Self::of(Source::Made(Box::pin(Mapped(Box::pin(items)))))
    }

    /// The items of a body, to be decoded.
    pub(super) fn read(items: RawItems) -> Self {
        Self::of(Source::Read(Box::new(items)))
    }

    fn of(source: Source<T>) -> Self {
        Self { source: Mutex::new(source), more: Mutex::default() }
    }

    /// The same, of which something is sent at each tick where there is no item (in events, a comment), so that nobody on
    /// the way takes the connection for dead; a tick every 15 seconds is usual.
    #[must_use]
    pub fn keep_alive<S: Stream + Send + 'static>(self, ticks: S) -> Self {
        let more = self.more.into_inner().unwrap_or_else(PoisonError::into_inner);
        Self {
            source: self.source,
            more: Mutex::new(More { ticks: Some(Box::pin(Ticks(Box::pin(ticks)))), ..more }),
        }
    }

    /// The same, at whose end an event says `[DONE]`, as clients of OpenAI's API expect it. Reading, an event of which
    /// the data should be JSON and is `[DONE]` ends the stream without being asked for.
    #[must_use]
    pub fn with_done(self) -> Self {
        let more = self.more.into_inner().unwrap_or_else(PoisonError::into_inner);
        Self { source: self.source, more: Mutex::new(More { says_done: true, ..more }) }
    }

    /// Of events that are being read: the id of the last one that had one, from which a new request would go on
    /// (`Last-Event-ID`).
    #[must_use]
    pub fn last_event_id(&self) -> Option<String> {
        match &*self.source.lock().unwrap_or_else(PoisonError::into_inner) {
            Source::Read(items) => items.last_event_id().map(str::to_owned),
            Source::Made(_) | Source::Taken => None,
        }
    }

    /// Of events that are being read: how long the server asks to wait before a new request.
    #[must_use]
    pub fn retry(&self) -> Option<Duration> {
        match &*self.source.lock().unwrap_or_else(PoisonError::into_inner) {
            Source::Read(items) => items.retry(),
            Source::Made(_) | Source::Taken => None,
        }
    }

    /// Takes what is in it, and leaves an empty one.
    fn take(&self) -> Self {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let mut more = self.more.lock().unwrap_or_else(PoisonError::into_inner);
        let source = std::mem::replace(&mut *source, Source::Taken);
        Self { source: Mutex::new(source), more: Mutex::new(take(&mut *more)) }
    }
}

impl<T: Decode> ItemStream<T> {
    /// The next item.
    pub async fn next(&mut self) -> Option<Result<T, StreamError>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }
}

impl<T: Decode> Stream for ItemStream<T> {
    type Item = Result<T, StreamError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let source = self.source.get_mut().unwrap_or_else(PoisonError::into_inner);
        let item = match source {
            Source::Read(items) => {
                let mut value = None;
                let mut decode = |reader: &mut dyn Reader| {
                    value = Some(T::decode(reader)?);
                    Ok(())
                };
                let read = ready!(items.poll_item(context, &mut decode));
                return Poll::Ready(read.and_then(|read| read.map(|()| value).transpose()));
            }
            Source::Made(items) => ready!(items.as_mut().poll_next(context)),
            Source::Taken => None,
        };
        if !matches!(item, Some(Ok(_) | Err(StreamError::Item(_)))) {
            *source = Source::Taken;
        }
        Poll::Ready(item)
    }
}

impl<T: Send + 'static> From<Vec<T>> for ItemStream<T> {
    fn from(items: Vec<T>) -> Self {
        Self::of(Source::Made(Box::pin(Listed(items.into_iter()))))
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

impl<T: Decode> Decode for ItemStream<T> {
    fn decode(reader: &mut dyn Reader) -> Result<Self, Fault> {
        reader.items().map(Self::read)
    }
}

impl<T: Decode + Encode + 'static> Encode for ItemStream<T> {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.items(self);
    }
}

/// Items without their type, as a [`Writer`] takes them: once, for what was taken is gone.
pub trait Items {
    /// As the bytes of a body.
    fn frames(&self, framing: Framing) -> ByteStream;

    /// Those that are here already, as values.
    fn ready(&self) -> Vec<Value>;
}

impl<T: Decode + Encode + 'static> Items for ItemStream<T> {
    fn frames(&self, framing: Framing) -> ByteStream {
        let mut items = self.take();
        let more = take(items.more.get_mut().unwrap_or_else(PoisonError::into_inner));
        ByteStream::of(Frames { items: Some(items), framing, more, of: PhantomData })
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

/// Items, each as the bytes that are sent.
struct Frames<T> {
    items: Option<ItemStream<T>>,
    framing: Framing,
    more: More,
    of: PhantomData<fn() -> T>,
}

impl<T: Decode + Encode> Stream for Frames<T> {
    type Item = Result<Bytes, StreamError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Self { items: slot, framing, more, .. } = &mut *self;
        let Some(items) = slot else { return Poll::Ready(None) };
        match Pin::new(items).poll_next(context) {
            Poll::Ready(Some(item)) => {
                Poll::Ready(Some(item.and_then(|item| framing.write(&item)).map(Bytes::from)))
            }
            Poll::Ready(None) => {
                *slot = None;
                let says_done = more.says_done && *framing == Framing::Events;
                Poll::Ready(says_done.then(|| Ok(Bytes::from(format!("data: {DONE}\n\n")))))
            }
            Poll::Pending => {
                let Some(ticks) = &mut more.ticks else { return Poll::Pending };
                if ready!(ticks.as_mut().poll_next(context)).is_none() {
                    more.ticks = None;
                    return Poll::Pending;
                }
                Poll::Ready(Some(Ok(Bytes::from_static(framing.keep_alive()))))
            }
        }
    }
}

/// A stream whose errors are not ours yet.
struct Mapped<S>(Pin<Box<S>>);

impl<T, S: Stream<Item = Result<T, E>>, E: Into<BoxError>> Stream for Mapped<S> {
    type Item = Result<T, StreamError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context).map(|item| item.map(|item| item.map_err(StreamError::broken)))
    }
}

/// A stream of whatever, as ticks.
struct Ticks<S>(Pin<Box<S>>);

impl<S: Stream> Stream for Ticks<S> {
    type Item = ();

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<()>> {
        self.0.as_mut().poll_next(context).map(|tick| tick.map(|_| ()))
    }
}

/// Items that are all here.
struct Listed<T>(std::vec::IntoIter<T>);

impl<T> Unpin for Listed<T> {}

impl<T> Stream for Listed<T> {
    type Item = Result<T, StreamError>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.next().map(Ok))
    }
}
