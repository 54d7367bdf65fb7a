//! Services of tower as transports, and bodies of other libraries as streams.

use std::{
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use futures_core::Stream;
use tower_service::Service;

use crate::client::{BoxError, Outgoing, Sending, Transport, TransportError};
use crate::types::{ByteStream, StreamError};

impl<S, B> Transport for S
where
    S: Service<http::Request<ByteStream>, Response = http::Response<B>> + Clone + Send + Sync + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    fn send(&self, outgoing: Outgoing) -> Sending<'_> {
        let mut service = self.clone();
        let failed = |error: S::Error| -> TransportError {
            let error: BoxError = error.into();
            error.into()
        };
        Box::pin(async move {
            let request = outgoing.into_http()?;
            poll_fn(|context| service.poll_ready(context)).await.map_err(failed)?;
            Ok(service.call(request).await.map_err(failed)?.map(stream_of))
        })
    }
}

/// Returns a body as a stream. Its trailers are dropped.
pub(super) fn stream_of<B>(body: B) -> ByteStream
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    let length = body.size_hint().exact();
    ByteStream::of(Frames(Box::pin(body))).of_length(length)
}

struct Frames<B>(Pin<Box<B>>);

impl<B> Stream for Frames<B>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    type Item = Result<Bytes, StreamError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match ready!(self.0.as_mut().poll_frame(context)) {
                Some(Ok(frame)) => {
                    if let Ok(piece) = frame.into_data() {
                        return Poll::Ready(Some(Ok(piece)));
                    }
                }
                Some(Err(error)) => return Poll::Ready(Some(Err(broken(error.into())))),
                None => return Poll::Ready(None),
            }
        }
    }
}

/// Returns the error of a body, without the URL of `reqwest`, which may contain a key.
pub(super) fn broken(error: BoxError) -> StreamError {
    match error.downcast::<reqwest::Error>() {
        Ok(error) => StreamError::broken(error.without_url()),
        Err(error) => StreamError::broken(error),
    }
}
