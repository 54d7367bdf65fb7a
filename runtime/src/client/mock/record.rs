//! A transport that records the exchanges of another one.

use std::{
    fmt, fs, io,
    path::Path,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use futures_core::Stream;

use super::{
    body::Body,
    exchange::{Exchange, Request, response_headers},
};
use crate::client::{
    Attempt, Outgoing, Sending, Transport, platform::lock, response::content_type, secrets::Secrets,
};
use crate::types::{ByteStream, StreamError, Value};

/// A transport that passes requests to another one, and records them with their responses.
///
/// The file is JSON, one object for each exchange, so that a person can review it. [`Replay`](super::Replay) reads it.
///
/// **Secrets with known names are not recorded.** The file has the headers that the document describes, and a few others;
/// `Authorization` and cookies are never in it. Values are `REDACTED` if their names are those of the operation's security schemes or of
/// usual secrets (`access_token`, `password` …): in headers, queries, forms, URLs and properties of JSON. Name others with
/// [`redact`](Self::redact), and read the file before you commit it: a secret with another name, a number, or a secret
/// in XML, in a file or in a multipart body is in it.
///
/// A request body that is a stream is not recorded. An attempt without a response is not, either. Clones share everything.
///
/// # Examples
/// ```no_run
/// use openapi_crates_runtime::client::{Client, Http, mock::Recorder};
///
/// let recorder = Recorder::new(Http::new()?).redact("licence");
/// let client = Client::builder().base_url("https://example.com").transport(recorder.clone()).build()?;
/// // … calls …
/// recorder.save("tests/recordings/icons.json")?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Recorder(Arc<Inner>);

struct Inner {
    transport: Box<dyn Transport>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    secrets: Vec<String>,
    exchanges: Vec<Exchange>,
}

impl Recorder {
    /// Creates a recorder of a transport.
    pub fn new(transport: impl Transport) -> Self {
        Self(Arc::new(Inner { transport: Box::new(transport), state: Mutex::default() }))
    }

    /// Adds the name of a header, a parameter or a property of JSON whose values are secrets.
    #[must_use]
    pub fn redact(self, name: impl Into<String>) -> Self {
        lock(&self.0.state).secrets.push(name.into());
        self
    }

    /// Returns the exchanges so far, in the format of the file.
    #[must_use]
    pub fn to_json(&self) -> String {
        let exchanges: Value = lock(&self.0.state).exchanges.iter().map(Exchange::to_value).collect();
        format!("{exchanges:#}\n")
    }

    /// Writes the exchanges so far to a file.
    ///
    /// # Errors
    /// Returns an error if the file can't be written.
    pub fn save(&self, path: impl AsRef<Path>) -> io::Result<()> {
        fs::write(path, self.to_json())
    }
}

impl Inner {
    fn with_secrets<T>(&self, attempt: Option<Attempt>, read: impl FnOnce(&Secrets<'_>) -> T) -> T {
        let state = lock(&self.state);
        read(&Secrets::new(attempt.map(|attempt| attempt.operation), &state.secrets))
    }
}

impl Transport for Recorder {
    fn send(&self, outgoing: Outgoing) -> Sending<'_> {
        let (attempt, operation) = (outgoing.attempt, outgoing.operation_id());
        let request = self.0.with_secrets(attempt, |secrets| Request::read(&outgoing, secrets));
        Box::pin(async move {
            let response = self.0.transport.send(outgoing).await?;
            let (parts, body) = response.into_parts();
            let headers = |secrets: &Secrets<'_>| secrets.headers(&parts.headers, &response_headers(attempt));
            let exchange = Exchange {
                operation: operation.to_owned(),
                request,
                status: parts.status,
                headers: self.0.with_secrets(attempt, headers),
                body: Body::None,
            };
            let (length, recorder) = (body.length(), Arc::clone(&self.0));
            let content_type = content_type(&parts.headers).to_owned();
            let exchange = Some(exchange);
            let tap = Tap { body, seen: Vec::new(), recorder, attempt, content_type, exchange };
            Ok(http::Response::from_parts(parts, ByteStream::of(tap).of_length(length)))
        })
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("exchanges", &lock(&self.0.state).exchanges.len())
            .finish_non_exhaustive()
    }
}

/// The body of a response, which is recorded when it has been read to its end, or is dropped.
struct Tap {
    body: ByteStream,
    seen: Vec<u8>,
    recorder: Arc<Inner>,
    attempt: Option<Attempt>,
    content_type: String,
    /// The exchange without the body of the response, until it is recorded.
    exchange: Option<Exchange>,
}

impl Tap {
    fn record(&mut self) {
        let Some(mut exchange) = self.exchange.take() else { return };
        let read = |secrets: &Secrets<'_>| Body::read(&self.content_type, &self.seen, secrets);
        exchange.body = self.recorder.with_secrets(self.attempt, read);
        lock(&self.recorder.state).exchanges.push(exchange);
    }
}

impl Stream for Tap {
    type Item = Result<Bytes, StreamError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let piece = ready!(Pin::new(&mut self.body).poll_next(context));
        match &piece {
            Some(Ok(piece)) => self.seen.extend_from_slice(piece),
            // A response that is cut off is not recorded.
            Some(Err(_)) => self.exchange = None,
            None => self.record(),
        }
        Poll::Ready(piece)
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.record();
    }
}
