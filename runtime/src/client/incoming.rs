//! Responses that are streamed.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use futures_core::Stream;

use super::Limits;
use super::platform::{Instant, Sleep, sleep_until};
use crate::types::{ByteStream, StreamError, StreamErrorKind};

/// Returns the body of a response as a stream with time limits.
///
/// Each piece must arrive within the timeout of an attempt, and all of them before `end`.
pub(super) fn stream(pieces: ByteStream, limits: Limits, end: Option<Instant>) -> ByteStream {
    let length = pieces.length();
    let incoming =
        Incoming { pieces, next: timer(Instant::now().checked_add(limits.timeout)), limits, end: timer(end) };
    ByteStream::of(incoming).of_length(length)
}

type Timer = Option<Pin<Box<Sleep>>>;

struct Incoming {
    pieces: ByteStream,
    limits: Limits,
    /// The time at which the next piece must have arrived.
    next: Timer,
    /// The time at which all pieces must have arrived.
    end: Timer,
}

fn timer(end: Option<Instant>) -> Timer {
    end.map(|end| Box::pin(sleep_until(end)))
}

fn has_expired(timer: &mut Timer, context: &mut Context<'_>) -> bool {
    timer.as_mut().is_some_and(|timer| timer.as_mut().poll(context).is_ready())
}

impl Stream for Incoming {
    type Item = Result<Bytes, StreamError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        // The deadline is checked first, so that it also ends a stream that is always ready.
        if has_expired(&mut self.end, context) {
            let after = self.limits.deadline.unwrap_or(Duration::MAX);
            return Poll::Ready(Some(Err(StreamErrorKind::Deadline { after }.into())));
        }
        let Poll::Ready(piece) = Pin::new(&mut self.pieces).poll_next(context) else {
            if has_expired(&mut self.next, context) {
                let after = self.limits.timeout;
                return Poll::Ready(Some(Err(StreamErrorKind::Timeout { after }.into())));
            }
            return Poll::Pending;
        };
        let next = Instant::now().checked_add(self.limits.timeout);
        if let (Some(timer), Some(next)) = (&mut self.next, next) {
            timer.as_mut().reset(next);
        }
        Poll::Ready(piece)
    }
}
