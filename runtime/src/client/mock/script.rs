//! A transport with scripted responses.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use http::{HeaderMap, Method};
use reqwest::Url;

use super::reply::Reply;
use crate::client::{Outgoing, Sending, Transport, TransportError, platform::lock, transport::TOKEN_REQUEST};
use crate::types::Value;

/// A transport that responds by operation id, and records the calls.
///
/// The replies for an operation are used in their order; the last one is repeated. A call of an operation without a
/// reply fails with [`ErrorKind::Refused`](crate::client::ErrorKind::Refused), which names it. Clones share everything.
///
/// Requests for the tokens of an [`OAuth2`](crate::client::OAuth2) grant have the id [`Mock::TOKEN`].
///
/// # Examples
/// ```
/// use openapi_crates_runtime::client::{Client, mock::{Mock, Reply}};
///
/// let mock = Mock::new().on("getIcon", Reply::new(503)).on("getIcon", Reply::json(200, &"an icon".to_owned()));
/// let client = Client::builder().base_url("http://mock").transport(mock.clone()).build()?;
/// // … the program calls `getIcon` …
/// assert_eq!(mock.calls().len(), 0);
/// # Ok::<(), openapi_crates_runtime::client::BuildError>(())
/// ```
#[derive(Clone, Default)]
pub struct Mock(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    scripts: Vec<(String, VecDeque<Respond>)>,
    calls: Vec<MockCall>,
}

type Respond = Arc<dyn Fn(&MockCall) -> Reply + Send + Sync>;

impl Mock {
    /// The operation id of requests to a token endpoint.
    pub const TOKEN: &str = TOKEN_REQUEST;

    /// Creates a mock without replies.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a reply for the calls of an operation. Returns a clone.
    pub fn on(&self, operation_id: impl Into<String>, reply: Reply) -> Self {
        self.on_call(operation_id, move |_| reply.clone())
    }

    /// Adds a function that returns the reply for a call of an operation. Returns a clone.
    pub fn on_call<F>(&self, operation_id: impl Into<String>, reply: F) -> Self
    where
        F: Fn(&MockCall) -> Reply + Send + Sync + 'static,
    {
        let (id, reply): (String, _) = (operation_id.into(), Arc::new(reply));
        let mut state = lock(&self.0);
        match state.scripts.iter_mut().find(|(other, _)| *other == id) {
            Some((_, replies)) => replies.push_back(reply),
            None => state.scripts.push((id, VecDeque::from([reply as Respond]))),
        }
        self.clone()
    }

    /// Returns the calls so far, each attempt of them.
    #[must_use]
    pub fn calls(&self) -> Vec<MockCall> {
        lock(&self.0).calls.clone()
    }

    /// Returns the calls of an operation so far, each attempt of them.
    #[must_use]
    pub fn calls_of(&self, operation_id: &str) -> Vec<MockCall> {
        lock(&self.0).calls.iter().filter(|call| call.operation == operation_id).cloned().collect()
    }

    fn reply(&self, call: MockCall) -> Result<Reply, TransportError> {
        let mut state = lock(&self.0);
        let replies =
            state.scripts.iter_mut().find(|(id, _)| id == call.operation).map(|(_, replies)| replies);
        let respond = match replies {
            Some(replies) if replies.len() > 1 => replies.pop_front(),
            Some(replies) => replies.front().cloned(),
            None => None,
        };
        state.calls.push(call.clone());
        if let Some(respond) = respond {
            // The function may use the mock.
            drop(state);
            return Ok(respond(&call));
        }
        let known: Vec<&str> = state.scripts.iter().map(|(id, _)| id.as_str()).collect();
        let known = if known.is_empty() { "nothing".to_owned() } else { known.join(", ") };
        let (operation, method, path) = (call.operation, &call.method, call.url.path());
        let text = format!("the mock has no reply for `{operation}` ({method} {path}), only for {known}");
        Err(TransportError::Refused(text.into()))
    }
}

impl Transport for Mock {
    fn send(&self, outgoing: Outgoing) -> Sending<'_> {
        Box::pin(async move {
            let call = MockCall::receive(outgoing).await?;
            self.reply(call)?.send().await
        })
    }
}

impl fmt::Debug for Mock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = lock(&self.0);
        let scripts = state.scripts.iter().map(|(id, replies)| (id, replies.len()));
        f.debug_struct("Mock")
            .field("replies", &scripts.collect::<Vec<_>>())
            .field("calls", &state.calls.len())
            .finish()
    }
}

/// A call that a [`Mock`] has received: one attempt of it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MockCall {
    /// The operation id, or [`Mock::TOKEN`].
    pub operation: &'static str,
    /// The number of the attempt, from 1. It is 0 for a request to a token endpoint.
    pub attempt: u32,
    /// The method.
    pub method: Method,
    /// The URL.
    pub url: Url,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl MockCall {
    async fn receive(outgoing: Outgoing) -> Result<Self, TransportError> {
        let (operation, url) = (outgoing.operation_id(), outgoing.request.url().clone());
        let attempt = outgoing.attempt.map_or(0, |attempt| attempt.number);
        let (parts, body) = outgoing.into_http()?.into_parts();
        let body = body.collect().await?;
        Ok(Self { operation, attempt, method: parts.method, url, headers: parts.headers, body })
    }

    /// Returns the body as JSON. `None` if it is not JSON.
    #[must_use]
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// Returns the first value of a parameter of the query.
    #[must_use]
    pub fn query(&self, name: &str) -> Option<String> {
        self.url.query_pairs().find(|(other, _)| other == name).map(|(_, value)| value.into_owned())
    }

    /// Returns the value of a header, if it is text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}
