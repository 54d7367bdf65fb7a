//! The receiver: it verifies requests, drops duplicates and passes events to handlers.

use std::{
    convert::Infallible,
    error::Error,
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue, Request, Response, StatusCode, Uri, header::CONTENT_TYPE, request::Parts,
};
use http_body::Body as HttpBody;
use http_body_util::BodyExt;
use percent_encoding::{CONTROLS, utf8_percent_encode};

use super::{Delivery, Receipt, Seen, Verify, VerifyError};
#[cfg(feature = "client")]
use crate::client::TaskEvents;
use crate::{
    server::{Body, BodyError, DEFAULT_BODY_LIMIT, Rejection, RejectionStyle, Service, Unread, read_body},
    table::Operation,
};

/// Returns the name of the event in a message.
type NameOf = dyn Fn(&HeaderMap, &[u8]) -> Option<String> + Send + Sync;

/// A `tower_service::Service` for the URL, or the URLs, that a program gives to an API.
///
/// The last segment of the path selects the event: `/hooks/order_paid` is the event `order_paid`. If the document has
/// only one event, every path is its path. [`events_by`](Self::events_by) sets another rule.
///
/// | the message | the response |
/// |---|---|
/// | is not trusted | 401 |
/// | is too long, cut off, or not as documented | 413, 400 |
/// | has an unknown event | 404; 204 with `events_by`, so that the sender does not repeat it |
/// | was handled before, is being handled | 204, 409 |
/// | is new | that of the handler: 204 for `Ok(())` |
///
/// Clones share the ids of events.
#[derive(Clone)]
#[must_use]
pub struct Receiver {
    service: Service,
    events: &'static [&'static Operation],
    verify: Arc<dyn Verify>,
    seen: Seen,
    name_of: Option<Arc<NameOf>>,
    body_limit: u64,
    #[cfg(feature = "client")]
    tasks: Option<TaskEvents>,
}

impl Receiver {
    /// Creates a receiver of these events. Generated functions call this, and ensure that `service` has them.
    pub fn new(service: Service, events: &'static [&'static Operation], verify: impl Verify) -> Self {
        Self {
            service,
            events,
            verify: Arc::new(verify),
            seen: Seen::default(),
            name_of: None,
            body_limit: DEFAULT_BODY_LIMIT,
            #[cfg(feature = "client")]
            tasks: None,
        }
    }

    /// Sets the rule that finds the name of the event in a message, for APIs that send all events to one URL.
    ///
    /// Only letters and digits of the name count: `order.paid` is the event `order_paid`.
    pub fn events_by(
        mut self,
        name_of: impl Fn(&HeaderMap, &[u8]) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.name_of = Some(Arc::new(name_of));
        self
    }

    /// Sets the maximum size of a body, in bytes. The default is 2 MiB.
    pub fn body_limit(mut self, bytes: u64) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Sets the store of the ids that were received before. The default has the last 10,000.
    pub fn seen(mut self, seen: Seen) -> Self {
        self.seen = seen;
        self
    }

    /// Passes events to the tasks that this program [waits](crate::client::Wait::events) for.
    #[cfg(feature = "client")]
    pub fn wakes(mut self, tasks: &TaskEvents) -> Self {
        self.tasks = Some(tasks.clone());
        self
    }

    /// Returns the response to a request.
    pub async fn handle<B>(&self, request: Request<B>) -> Response<Body>
    where
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let (parts, body) = request.into_parts();
        if let Err(error) = self.verify.check_headers(&parts.headers) {
            return untrusted(error);
        }
        let body = body.map_err(BodyError::new).boxed_unsync();
        let body = match read_body(body, &parts.headers, self.body_limit).await {
            Ok(body) => body,
            Err(unread) => return refused(unread, self.body_limit),
        };
        let verified = match self.verify.verify(&parts.headers, &body) {
            Ok(verified) => verified,
            Err(error) => return untrusted(error),
        };
        let claim = match verified.id.as_deref().map(|id| self.seen.begin(id)) {
            Some(Receipt::Done) => return empty(StatusCode::NO_CONTENT),
            Some(Receipt::InProgress) => return empty(StatusCode::CONFLICT),
            Some(Receipt::New(claim)) => Some(claim),
            None => None,
        };
        #[cfg(feature = "client")]
        if let Some(tasks) = &self.tasks {
            tasks.notify(&body);
        }
        let Some(path) = self.path(&parts, &body) else { return empty(StatusCode::NO_CONTENT) };
        let (id, sent_at) = (verified.id, verified.sent_at);
        let delivery = Delivery { id, sent_at, body: body.clone(), ..Delivery::default() };
        let response = self.pass(parts, path, delivery, body).await;
        if let Some(claim) = claim.filter(|_| response.status().is_success()) {
            claim.done();
        }
        response
    }

    /// Calls the handler of the event whose operation has this path.
    async fn pass(&self, mut parts: Parts, path: Uri, delivery: Delivery, body: Bytes) -> Response<Body> {
        parts.uri = path;
        parts.headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
        parts.extensions.insert(delivery);
        let Ok(response) = self.service.handle(Request::from_parts(parts, Body::from(body))).await;
        response
    }

    /// Returns the path of the operation of a message's event. `None` if the rule finds no event of the document.
    fn path(&self, parts: &Parts, body: &[u8]) -> Option<Uri> {
        let path = match (&self.name_of, self.events) {
            (Some(name_of), events) => {
                let name = plain(&name_of(&parts.headers, body)?);
                events.iter().find(|event| plain(event.id) == name)?.path
            }
            (None, [only]) => only.path,
            (None, _) => {
                let path = parts.uri.path();
                path.get(path.rfind('/')?..)?
            }
        };
        // Names can have characters that URIs encode.
        utf8_percent_encode(path, CONTROLS).to_string().parse().ok()
    }
}

/// Returns the letters and digits of a name, in lower case.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// Returns the response to a message that is not trusted. The reason says nothing that its sender does not know.
fn untrusted(error: VerifyError) -> Response<Body> {
    empty(StatusCode::UNAUTHORIZED).map(|_| Body::from(error.to_string()))
}

fn refused(unread: Unread, limit: u64) -> Response<Body> {
    RejectionStyle::PROBLEM_DETAILS.respond(&match unread {
        Unread::TooLarge => Rejection::PayloadTooLarge { limit },
        Unread::Broken(error) => Rejection::MalformedBody { detail: error.to_string() },
    })
}

impl<B> tower_service::Service<Request<B>> for Receiver
where
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let receiver = self.clone();
        Box::pin(async move { Ok(receiver.handle(request).await) })
    }
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").field("events", &self.events.len()).finish_non_exhaustive()
    }
}
