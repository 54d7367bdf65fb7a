//! The transport of a client that has no other: `reqwest`.

use std::fmt;

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
pub(in crate::client) use self::native::{body, stream};
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub(in crate::client) use self::wasm::{body, stream};
use crate::client::BuildError;

/// The transport that sends requests over the network with `reqwest`.
///
/// On `wasm32-unknown-unknown` it is the `fetch` of the browser.
#[derive(Clone)]
pub struct Http(reqwest::Client);

impl Http {
    /// Creates the transport of a client that has no other.
    ///
    /// A connection attempt takes at most 10 s. It follows no redirects; [`Client`](crate::client::Client)
    /// follows those that stay on the origin. In a browser, `fetch` follows all.
    ///
    /// # Errors
    /// Returns an error if no HTTP client can be created, for example without the system's configuration of TLS.
    pub fn new() -> Result<Self, BuildError> {
        default_client().map(Self).map_err(|error| BuildError::Http(error.into()))
    }
}

/// Omits the HTTP client, whose default headers may be secret.
impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Http")
    }
}

impl From<reqwest::Client> for Http {
    fn from(client: reqwest::Client) -> Self {
        Self(client)
    }
}

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
use self::native::default_client;
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
use self::wasm::default_client;

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
mod native {
    use std::time::Duration;

    use super::Http;
    use crate::{
        client::{
            builder::http_builder,
            transport::{Outgoing, ResponseUrl, Sending, Transport, TransportError, service::stream_of},
        },
        types::ByteStream,
    };

    impl Transport for Http {
        fn send(&self, outgoing: Outgoing) -> Sending<'_> {
            let response = self.0.execute(outgoing.request);
            Box::pin(async move {
                let response = response.await?;
                let url = ResponseUrl(response.url().clone());
                let mut response = http::Response::<reqwest::Body>::from(response).map(stream_of);
                response.extensions_mut().insert(url);
                Ok(response)
            })
        }
    }

    pub(super) fn default_client() -> reqwest::Result<reqwest::Client> {
        http_builder().connect_timeout(Duration::from_secs(10)).build()
    }

    /// Returns the body of a request. A body that is a stream moves there.
    pub(in crate::client) async fn body(body: &ByteStream) -> Result<reqwest::Body, TransportError> {
        Ok(match body.held() {
            Some(bytes) => bytes.into(),
            None => reqwest::Body::wrap(body.take()),
        })
    }

    /// Returns the body of a request as a stream.
    pub(in crate::client) fn stream(body: reqwest::Body) -> ByteStream {
        stream_of(body)
    }
}

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
mod wasm {
    use std::{
        future::poll_fn,
        pin::{Pin, pin},
        task::{Context, Poll},
    };

    use bytes::Bytes;
    use futures_core::Stream;
    use tokio::sync::{mpsc, oneshot};
    use wasm_bindgen_futures::spawn_local;

    use super::Http;
    use crate::{
        client::{
            platform::race,
            transport::{Outgoing, Sending, Transport, TransportError, service::broken},
        },
        types::{ByteStream, StreamError},
    };

    /// Requests run in tasks of their own: the values of JavaScript that they hold can't leave their thread, and a call
    /// is `Send` on each platform. A call that is dropped aborts its request.
    impl Transport for Http {
        fn send(&self, outgoing: Outgoing) -> Sending<'_> {
            let (head, received) = oneshot::channel();
            spawn_local(run(self.0.clone(), outgoing.request, head));
            let lost = |_| Err(TransportError::Broken("the task of the request ended".into()));
            Box::pin(async move { received.await.unwrap_or_else(lost) })
        }
    }

    type Head = Result<http::Response<ByteStream>, TransportError>;

    async fn run(client: reqwest::Client, request: reqwest::Request, mut head: oneshot::Sender<Head>) {
        let mut response = match race(head.closed(), client.execute(request)).await {
            Some(Ok(response)) => response,
            Some(Err(error)) => {
                head.send(Err(error.into())).ok();
                return;
            }
            None => return,
        };
        let (pieces, coming) = mpsc::channel(1);
        let mut received = http::Response::new(ByteStream::of(Coming(coming)));
        *received.status_mut() = response.status();
        *received.headers_mut() = std::mem::take(response.headers_mut());
        if head.send(Ok(received)).is_err() {
            return;
        }
        let mut body = pin!(response.bytes_stream());
        let mut next = async || poll_fn(|context| body.as_mut().poll_next(context)).await;
        while let Some(Some(piece)) = race(pieces.closed(), next()).await {
            let piece = piece.map_err(|error| broken(error.into()));
            if pieces.send(piece).await.is_err() {
                return;
            }
        }
    }

    /// The pieces of a response that a task receives.
    struct Coming(mpsc::Receiver<Result<Bytes, StreamError>>);

    impl Stream for Coming {
        type Item = Result<Bytes, StreamError>;

        fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            self.0.poll_recv(context)
        }
    }

    /// The browser follows redirects, and sets the limits of connections.
    pub(super) fn default_client() -> reqwest::Result<reqwest::Client> {
        crate::client::builder::http_builder().build()
    }

    /// Returns the body of a request. A body that is a stream is collected first: `fetch` can't stream it in all browsers.
    pub(in crate::client) async fn body(body: &ByteStream) -> Result<reqwest::Body, TransportError> {
        let bytes = match body.held() {
            Some(bytes) => bytes,
            None => body.take().collect().await?,
        };
        Ok(bytes.into())
    }

    /// Returns the body of a request as a stream.
    pub(in crate::client) fn stream(body: reqwest::Body) -> ByteStream {
        body.as_bytes().map(<[u8]>::to_vec).unwrap_or_default().into()
    }
}
