//! The body of a response that holds its [`Exchange`] until the last byte is sent.
//!
//! hyper takes all of a body into its buffers, and drops the body before they are sent. So each piece holds the exchange, too.
//! A piece is dropped when the system has taken its last byte.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use bytes::Buf;
use http_body::{Frame, SizeHint};

use super::exchange::Exchange;

/// Marks a response, as an extension, whose bytes are shared: it takes no memory of its own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shared;

/// A response body, and the exchange that it belongs to.
pub(super) struct Sending {
    body: Body,
    exchange: Exchange,
}

/// Returns the response with a body that holds the exchange.
pub(super) fn sending(exchange: Exchange, response: Response) -> Response<Sending> {
    let is_shared = response.extensions().get::<Shared>().is_some();
    let bytes = if is_shared { None } else { response.body().size_hint().exact() };
    exchange.responds(bytes.unwrap_or_default());
    response.map(|body| Sending { body, exchange })
}

impl HttpBody for Sending {
    type Data = Piece;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Piece>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        let piece = |bytes| {
            let is_last = self.body.is_end_stream();
            Piece { bytes, is_last, exchange: self.exchange.clone() }
        };
        Poll::Ready(frame.map(|frame| frame.map(|frame| frame.map_data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A part of a response, which is dropped when it is sent.
pub(super) struct Piece {
    bytes: Bytes,
    is_last: bool,
    exchange: Exchange,
}

impl Buf for Piece {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
        // The end of the exchange says that the last byte of a response is sent.
        if !self.is_last || self.bytes.has_remaining() {
            self.exchange.progresses();
        }
    }
}
